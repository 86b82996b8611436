#include "tlm/core/runtime/package_format.h"

#include <gtest/gtest.h>
#include <cstring>

#include "repair.h"
#include "support.h"
#include "tlm/core/file.h"
#include "tlm/core/hash.h"

namespace tlm::runtime::test {
namespace {

std::string parse_error(const std::vector<std::byte>& image) {
  return error_of([&] { read_manifest(parse_package(image, "p.tlm"), "p.tlm"); });
}

// Changes the header and makes its checksum right again.
std::vector<std::byte> with_header(const std::function<void(PackageHeader&)>& change) {
  std::vector<std::byte> image = sample_package();
  PackageHeader h;
  std::memcpy(&h, image.data(), sizeof h);
  change(h);
  h.header_hash = hash_bytes(&h, offsetof(PackageHeader, header_hash));
  std::memcpy(image.data(), &h, sizeof h);
  return image;
}

// The same for the section table.
std::vector<std::byte> with_sections(const std::function<void(std::vector<SectionEntry>&)>& change) {
  std::vector<std::byte> image = sample_package();
  std::vector<SectionEntry> table = parse_package(image, "").sections;
  change(table);
  std::memcpy(image.data() + sizeof(PackageHeader), table.data(), table.size() * sizeof(SectionEntry));
  PackageHeader h;
  std::memcpy(&h, image.data(), sizeof h);
  h.table_hash = hash_bytes(table.data(), table.size() * sizeof(SectionEntry));
  h.header_hash = hash_bytes(&h, offsetof(PackageHeader, header_hash));
  std::memcpy(image.data(), &h, sizeof h);
  return image;
}

TEST(PackageFormat, SectionsComeBackAlignedAndInOrder) {
  const std::vector<std::byte> image = sample_package();
  const PackageFile file = parse_package(image, "p.tlm");
  ASSERT_EQ(file.sections.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(file.sections[static_cast<size_t>(i)].offset % kSectionAlignment, 0u);
    verify_section(file, i, "p.tlm");
  }
  const auto code = file.section(1);
  EXPECT_TRUE(std::equal(code.begin(), code.end(), sample_code().begin(), sample_code().end()));
  const auto weights = file.section(2);
  ASSERT_EQ(weights.size(), 128 + kN * sizeof(float));
  EXPECT_EQ(std::memcmp(weights.data() + 128, sample_weights().data(), kN * sizeof(float)), 0);
  for (size_t i = 0; i < 128; ++i) EXPECT_EQ(weights[i], std::byte{0});
}

TEST(PackageFormat, EqualSectionsAreStoredOnce) {
  PackageBuilder builder;
  std::vector<std::byte> big(3 << 20);
  for (size_t i = 0; i < big.size(); ++i) big[i] = static_cast<std::byte>(i * 7 >> 3);
  const std::span<const std::byte> all(big);
  EXPECT_EQ(builder.add_section(SectionKind::kWeights, all), 1);
  // The same bytes in pieces that cross the blocks of the stream.
  const size_t cut = (1 << 20) + 5;
  EXPECT_EQ(builder.add_section(SectionKind::kWeights, {{0, all.first(cut), {}}, {cut, all.subspan(cut), {}}}, big.size()), 1);
  EXPECT_EQ(builder.add_section(SectionKind::kCode, all), 2) << "of another kind";
  EXPECT_EQ(builder.add_section(SectionKind::kWeights, all.first(all.size() - 1)), 3);
}

TEST(PackageFormat, HashOfASectionIsThatOfItsStream) {
  for (const size_t n : {size_t{0}, size_t{1}, size_t{1} << 20, (size_t{1} << 20) + 1, size_t{3} << 20}) {
    std::vector<std::byte> bytes(n);
    for (size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(i ^ i >> 9);
    PackageBuilder builder;
    const int number = builder.add_section(SectionKind::kDevice, bytes);
    const std::vector<std::byte> image = [&] {
      Manifest m;
      m.variants.resize(1);
      return builder.bytes(m);
    }();
    const PackageFile file = parse_package(image, "");
    EXPECT_EQ(file.sections[static_cast<size_t>(number)].hash, section_hash(bytes)) << n;
    verify_section(file, number, "");
  }
}

TEST(PackageFormat, FileAndMemoryAreTheSameBytesEveryTime) {
  const std::vector<std::byte> image = sample_package();
  EXPECT_EQ(image, sample_package());
  const auto path = temporary_folder() / "same.tlm";
  PackageBuilder builder;
  builder.add_section(SectionKind::kCode, sample_code());
  const std::vector<std::byte> weights = as_bytes(sample_weights());
  builder.add_section(SectionKind::kWeights, {{128, weights, {}}}, 128 + weights.size());
  builder.write(sample_manifest(1, 2), path);
  const std::string file = read_file(path);
  ASSERT_EQ(file.size(), image.size());
  EXPECT_EQ(std::memcmp(file.data(), image.data(), image.size()), 0);
}

TEST(PackageFormat, RefusesToWriteAWrongManifest) {
  PackageBuilder builder;
  builder.add_section(SectionKind::kCode, sample_code());
  const auto path = temporary_folder() / "wrong.tlm";
  EXPECT_NE(error_of([&] { builder.write(sample_manifest(1, 2), path); }).find("weights section 2 of 2"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(PackageFormat, NewerMajorVersionIsRefusedNamingBoth) {
  const std::string message = parse_error(with_header([](PackageHeader& h) {
    h.format_major = 2;
    h.format_minor = 5;
  }));
  EXPECT_NE(message.find("package format 2.5 is newer than this runtime, which reads up to 1.0"), std::string::npos) << message;
  // Even if nothing else of the header is as it was.
  std::vector<std::byte> image(64, std::byte{0xee});
  std::memcpy(image.data(), kPackageMagic, 8);
  image[8] = std::byte{3}, image[9] = std::byte{0};
  EXPECT_NE(parse_error(image).find("package format 3."), std::string::npos);
}

TEST(PackageFormat, NewerMinorVersionAndUnknownSectionsAreAccepted) {
  EXPECT_EQ(parse_error(with_header([](PackageHeader& h) { h.format_minor = 9; })), "");
  PackageBuilder builder;
  builder.add_section(SectionKind::kCode, sample_code());
  const std::vector<std::byte> weights = as_bytes(sample_weights());
  builder.add_section(SectionKind::kWeights, {{128, weights, {}}}, 128 + weights.size());
  builder.add_section(static_cast<SectionKind>(77), weights);
  EXPECT_EQ(parse_error(builder.bytes(sample_manifest(1, 2))), "");
}

TEST(PackageFormat, HeaderAndTableMessages) {
  struct Case {
    const char* message;
    std::vector<std::byte> image;
  };
  const std::vector<std::byte> good = sample_package();
  std::vector<std::byte> text(100, std::byte{'x'}), longer = good;
  longer.push_back(std::byte{0});
  const Case cases[] = {
      {"not a tlm package", {}},
      {"not a tlm package", text},
      {"ends inside the header", {good.begin(), good.begin() + 63}},
      {"its header says", longer},
      {"for runtime ABI 7; this runtime speaks 1", with_header([](PackageHeader& h) { h.runtime_abi = 7; })},
      {"format 0.0", with_header([](PackageHeader& h) { h.format_major = 0; })},
      {"section table is outside", with_header([](PackageHeader& h) { h.table_offset = ~uint64_t{0} - 31; })},
      {"section table is outside", with_header([](PackageHeader& h) { h.table_offset = 8; })},
      {"section table is outside", with_header([](PackageHeader& h) { h.section_count = ~0u; })},
      {"checksum of the section table", with_header([](PackageHeader& h) { h.table_offset += 8; })},
      {"section 1 is not aligned", with_sections([](auto& t) { t[1].offset += 1; })},
      {"section 2 is outside the file", with_sections([](auto& t) { t[2].bytes = ~uint64_t{0}; })},
      {"section 2 is outside the file", with_sections([](auto& t) { t[2].offset = ~uint64_t{0} - 4095; })},
      {"section 1 overlaps", with_sections([](auto& t) { t[1].offset = t[0].offset; })},
      {"section 0 overlaps", with_sections([](auto& t) { t[0].offset = 0; })},
      {"first section is no manifest", with_sections([](auto& t) { t[0].kind = 3; })},
      {"checksum of section 0", with_sections([](auto& t) { t[0].hash ^= 1; })},
      {"checksum of section 0", with_sections([](auto& t) { t[0].bytes -= 1; })},
  };
  for (const Case& c : cases) {
    const std::string message = parse_error(c.image);
    EXPECT_NE(message.find(c.message), std::string::npos) << c.message << ": " << message;
  }
}

TEST(PackageFormat, EveryFlippedByteOfHeaderTableAndManifestIsAnError) {
  std::vector<std::byte> image = sample_package();
  const PackageFile file = parse_package(image, "");
  const auto flip = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      for (const auto bits : {std::byte{0x01}, std::byte{0x80}, std::byte{0xff}}) {
        image[i] ^= bits;
        const std::string message = parse_error(image);
        const bool minor = i >= 10 && i < 12;  // still part of the checksum
        EXPECT_NE(message, "") << "byte " << i << (minor ? " (minor)" : "");
        image[i] ^= bits;
      }
  };
  flip(0, sizeof(PackageHeader) + file.sections.size() * sizeof(SectionEntry));
  flip(file.sections[0].offset, file.sections[0].offset + file.sections[0].bytes);
}

// The same with the checksums made right: whatever the damage means now, reading ends in an Error or in a verified manifest.
TEST(PackageFormat, EveryFlippedByteBehindGoodChecksumsIsSafe) {
  const std::vector<std::byte> good = sample_package();
  const SectionEntry manifest = parse_package(good, "").sections[0];
  int refused = 0, tried = 0;
  for (size_t i = 0; i < manifest.offset + manifest.bytes; ++i) {
    if (i == sizeof(PackageHeader) + 3 * sizeof(SectionEntry)) i = manifest.offset;
    for (const auto bits : {std::byte{0x01}, std::byte{0x10}, std::byte{0x80}}) {
      std::vector<std::byte> image = good;
      image[i] ^= bits;
      repair_checksums(image);
      ++tried;
      try {
        const PackageFile file = parse_package(image, "");
        read_manifest(file, "");
        for (int s = 1; s < static_cast<int>(file.sections.size()); ++s) verify_section(file, s, "");
      } catch (const InternalError& e) {
        ADD_FAILURE() << "byte " << i << ": " << e.what();
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, tried / 2);
}

TEST(PackageFormat, EveryTruncationIsAnError) {
  const std::vector<std::byte> good = sample_package();
  for (size_t n = 0; n < good.size(); ++n) {
    // A copy of its own size, so that a sanitizer sees any read beyond it.
    const std::vector<std::byte> image(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n));
    if (parse_error(image).empty()) ADD_FAILURE() << n;
  }
}

}  // namespace
}  // namespace tlm::runtime::test
