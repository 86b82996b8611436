#include "tlm/core/runtime/package.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <cstring>
#include <fstream>
#include <functional>

#include "support.h"
#include "tlm/core/file.h"
#include "tlm/core/runtime/session.h"

namespace tlm::runtime::test {
namespace {

std::filesystem::path write_sample() {
  const auto path = temporary_folder() / "sample.tlm";
  const std::vector<std::byte> image = sample_package();
  write_file_atomic(path, {reinterpret_cast<const char*>(image.data()), image.size()});
  return path;
}

std::vector<float> first_output(std::shared_ptr<const Package> package) {
  Session session(std::move(package), {.threads = 1});
  const std::vector<float> x = sample_input();
  std::memcpy(session.input(0), x.data(), session.input_bytes(0));
  const auto* y = static_cast<const float*>(session.output(0));
  session.output(1);
  session.run_or_throw();
  return {y, y + kN};
}

TEST(Package, LoadsFromPathDescriptorAndMemory) {
  const auto path = write_sample();
  EXPECT_EQ(first_output(Package::load(path)), expected_y());
  const int descriptor = open(path.c_str(), O_RDONLY);
  auto package = Package::load_descriptor(descriptor);
  close(descriptor);
  EXPECT_EQ(first_output(package), expected_y());
  // Memory at every alignment: weights are copied where the image is not aligned.
  const std::vector<std::byte> image = sample_package();
  for (size_t shift : {size_t{0}, size_t{1}, size_t{8}, size_t{64}}) {
    auto copy = std::make_shared<std::vector<std::byte>>(image.size() + shift);
    std::memcpy(copy->data() + shift, image.data(), image.size());
    package = Package::load_memory(std::span(*copy).subspan(shift), copy);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(package->weights().data()) % 64, 0u);
    EXPECT_EQ(first_output(package), expected_y());
  }
  EXPECT_EQ(package->manifest().model_name, "sample");
  EXPECT_EQ(read_package_manifest(path).model_name, "sample");
}

TEST(Package, MissingFileAndOtherFiles) {
  EXPECT_NE(error_of([] { Package::load("/nonexistent/model.tlm"); }).find("/nonexistent/model.tlm"), std::string::npos);
  const auto path = temporary_folder() / "text.tlm";
  std::ofstream(path) << "hello";
  EXPECT_NE(error_of([&] { Package::load(path); }).find("not a tlm package"), std::string::npos);
  std::ofstream(path, std::ios::trunc);
  EXPECT_NE(error_of([&] { Package::load(path); }).find("not a tlm package"), std::string::npos);
  EXPECT_NE(error_of([&] { Package::load(temporary_folder()); }), "") << "a folder";
  EXPECT_NE(error_of([] { Package::load_descriptor(-1); }), "");
}

TEST(Package, FileMayBeReplacedWhileLoaded) {
  const auto path = write_sample();
  const auto package = Package::load(path);
  write_file_atomic(path, "something else");
  EXPECT_EQ(first_output(package), expected_y());
}

TEST(Package, DamagedCodeIsRefusedBeforeItRuns) {
  std::vector<std::byte> image = sample_package();
  const SectionEntry code = parse_package(image, "").sections[1];
  for (uint64_t i = 0; i < code.bytes; i += 97) {
    image[code.offset + i] ^= std::byte{0x40};
    EXPECT_NE(error_of([&] { Package::load_memory(image); }).find("checksum of section 1 is wrong"), std::string::npos) << i;
    image[code.offset + i] ^= std::byte{0x40};
  }
}

TEST(Package, WeightsAreCheckedOnDemand) {
  auto image = std::make_shared<std::vector<std::byte>>(sample_package());
  image->back() ^= std::byte{1};  // the weights are the last section
  const auto package = Package::load_memory(*image, image);
  EXPECT_NE(error_of([&] { package->verify_weights(); }).find("checksum of section 2 is wrong"), std::string::npos);
  LoadOptions options;
  options.verify_weights = true;
  EXPECT_NE(error_of([&] { Package::load_memory(*image, image, options); }).find("checksum of section 2"), std::string::npos);
  image->back() ^= std::byte{1};
  Package::load_memory(*image, image, options)->verify_weights();
}

// A package with several variants of the same code.
std::vector<std::byte> variants_package(const std::vector<VariantDesc>& changes) {
  Manifest m = sample_manifest(1, 2);
  const VariantDesc base = m.variants[0];
  m.variants.clear();
  for (const VariantDesc& change : changes) {
    VariantDesc v = base;
    v.features = change.features;
    v.arch = change.arch;
    m.variants.push_back(v);
  }
  return package_of(m, sample_code(), sample_weights());
}

TEST(Package, TakesTheFirstVariantThatRuns) {
  const std::string here = host_arch(), other = here == "x86-64" ? "aarch64" : "x86-64";
  const auto image = variants_package(
      {{.arch = other}, {.arch = here, .features = {"avx2", "avx512f"}}, {.arch = here, .features = {"avx2"}}, {.arch = here}});
  LoadOptions options;
  options.available_features = {{"avx2", "avx512f", "fma"}};
  EXPECT_EQ(Package::load_memory(image, {}, options)->variant_index(), 1);
  options.available_features = {{"avx2", "fma"}};
  EXPECT_EQ(Package::load_memory(image, {}, options)->variant_index(), 2);
  options.available_features = std::vector<std::string>{};
  EXPECT_EQ(Package::load_memory(image, {}, options)->variant_index(), 3);
}

TEST(Package, RefusesByTheNameOfTheMissingFeature) {
  const auto image = variants_package({{.arch = host_arch(), .features = {"avx2", "avx512f", "avx512vl"}}});
  LoadOptions options;
  options.available_features = {{"avx2", "fma"}};
  const std::string message = error_of([&] { Package::load_memory(image, {}, options); });
  EXPECT_NE(message.find("this machine lacks avx512f, avx512vl"), std::string::npos) << message;
  // Of the machine itself: a feature that no machine has.
  const auto impossible = variants_package({{.arch = host_arch(), .features = {"flux_capacitor"}}, {.arch = "abacus"}});
  const std::string second = error_of([&] { Package::load_memory(impossible); });
  EXPECT_NE(second.find("variant 0: this machine lacks flux_capacitor; variant 1: it is for abacus"), std::string::npos)
      << second;
  try {
    Package::load_memory(image, {}, options);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kEnvironment);
  }
}

TEST(Package, PhaseBeyondTheModuleIsRefused) {
  Manifest m = sample_manifest(1, 2);
  m.variants[0].steps[1].phases[0].entry = 3;
  const auto image = package_of(m, sample_code(), sample_weights());
  EXPECT_NE(error_of([&] { Package::load_memory(image); }).find("step 'sum and spread' calls phase 3 of 3"), std::string::npos);
}

TEST(Package, ManifestIsCheckedAgainstTheSections) {
  struct Case {
    const char* message;
    std::function<void(Manifest&)> change;
  };
  const auto step = [](Manifest& m, size_t s) -> StepDesc& { return m.variants[0].steps[s]; };
  const Case cases[] = {
      {"there is no variant", [](Manifest& m) { m.variants.clear(); }},
      {"port 'x'", [](Manifest& m) { m.inputs[0].shape = {int64_t{1} << 50}; }},
      {"kernels but no code section", [](Manifest& m) { m.variants[0].code_section = -1; }},
      {"section 2 holds no code", [](Manifest& m) { m.variants[0].code_section = 2; }},
      {"code section 9 of 3", [](Manifest& m) { m.variants[0].code_section = 9; }},
      {"section 1 holds no weights", [](Manifest& m) { m.variants[0].weights_section = 1; }},
      {"arena of", [](Manifest& m) { m.variants[0].arena_bytes = ~uint64_t{0}; }},
      {"variant 0, step 0 'scale'", [&](Manifest& m) { step(m, 0).args[0].bytes += 1; }},
      {"buffer 0 is outside: offset 8, 256 bytes, of 256", [&](Manifest& m) { step(m, 0).args[0].offset = 8; }},
      {"buffer 1 is outside", [&](Manifest& m) { step(m, 0).args[1].offset = ~uint64_t{0} - 3; }},
      {"buffer 2 is outside", [](Manifest& m) { m.variants[0].weights_section = -1; }},
      {"buffer 0 names port 1 of 1", [&](Manifest& m) { step(m, 0).args[0].index = 1; }},
      {"buffer 2 is outside", [&](Manifest& m) { step(m, 1).args[2].bytes = 260; }},
      {"workspace is outside", [&](Manifest& m) { step(m, 1).workspace_bytes = 65; }},
      {"workspace is not 64-byte aligned", [&](Manifest& m) { step(m, 1).workspace_offset -= 4; }},
      {"scratch of", [&](Manifest& m) { step(m, 1).worker_bytes = ~uint64_t{0}; }},
  };
  const Manifest good = sample_manifest(1, 2);
  const std::vector<std::byte> image = sample_package();
  const std::vector<SectionEntry> sections = parse_package(image, "").sections;
  for (const Case& c : cases) {
    Manifest bad = good;
    c.change(bad);
    const std::string message = error_of([&] { verify_manifest(bad, sections, "p.tlm"); });
    EXPECT_NE(message.find(c.message), std::string::npos) << c.message << ": " << message;
  }
}

// The package of format 1.0 that is checked in runs on every later version. Written once by
// `TLM_WRITE_GOLDEN=1 test_runtime --gtest_filter=Package.GoldenOfFormat1`; never again for this version.
TEST(Package, GoldenOfFormat1) {
  const std::filesystem::path path = TLM_SOURCE_DIR "/tests/data/packages/sample-1.0.tlm";
  if (std::getenv("TLM_WRITE_GOLDEN")) {
    std::filesystem::create_directories(path.parent_path());
    ASSERT_FALSE(std::filesystem::exists(path)) << "the golden package of a format version is written once";
    Manifest m = sample_manifest(1, 2);
    const std::vector<std::byte> code = compile_module(sample_source(), {"-s", "-Wl,--build-id=none", "-Wl,-z,noseparate-code"});
    const auto image = package_of(m, code, sample_weights());
    write_file_atomic(path, {reinterpret_cast<const char*>(image.data()), image.size()});
  }
  if (host_arch() != "x86-64") GTEST_SKIP() << "the golden package is for x86-64";
  const auto package = Package::load(path);
  package->verify_weights();
  EXPECT_EQ(package->file().header.format_major, 1);
  EXPECT_EQ(package->file().header.format_minor, 0);
  EXPECT_EQ(package->manifest().metadata.at("author"), "tests");
  EXPECT_EQ(first_output(package), expected_y());
}

}  // namespace
}  // namespace tlm::runtime::test
