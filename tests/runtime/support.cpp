#include "support.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "tlm/core/file.h"

extern char** environ;

namespace tlm::runtime::test {
namespace {

int run_program(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ) != 0) return 127;
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

bool has_program(const std::string& name) {
  std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find(':', at), path.size());
    if (access((path.substr(at, end - at) + "/" + name).c_str(), X_OK) == 0) return true;
    at = end + 1;
  }
  return false;
}

std::filesystem::path temporary_folder() {
  static const std::filesystem::path folder = [] {
    std::string pattern = (std::filesystem::temp_directory_path() / "tlm_runtime_XXXXXX").string();
    TLM_CHECK(mkdtemp(pattern.data()) != nullptr) << pattern;
    return std::filesystem::path(pattern);
  }();
  static const struct Remover {
    ~Remover() {
      std::error_code ignored;
      std::filesystem::remove_all(folder, ignored);
    }
  } remover;
  return folder;
}

std::vector<std::byte> compile_module(const std::string& source, const std::vector<std::string>& flags,
                                      const std::string& compiler) {
  static int number = 0;
  const std::string stem = (temporary_folder() / ("module" + std::to_string(number++))).string();
  std::ofstream(stem + ".c") << "#include \"kernel_abi.h\"\n" << source;
  std::vector<std::string> words = {compiler,
                                    "-std=c99",
                                    "-O2",
                                    "-shared",
                                    "-fPIC",
                                    "-nostdlib",
                                    "-ffreestanding",
                                    "-fno-stack-protector",
                                    "-fvisibility=hidden",
                                    "-fno-asynchronous-unwind-tables",
                                    "-I" TLM_SOURCE_DIR "/core/runtime",
                                    stem + ".c",
                                    "-o",
                                    stem + ".so"};
  words.insert(words.end(), flags.begin(), flags.end());
  TLM_CHECK(run_program(words) == 0) << compiler << " failed";
  const std::string image = read_file(stem + ".so");
  const auto* p = reinterpret_cast<const std::byte*>(image.data());
  return {p, p + image.size()};
}

std::string sample_source() {
  return R"(
static void scale(const TlmKernelArgs* a, int64_t begin, int64_t end, void* worker) {
  const float *x = a->buffers[0], *w = a->buffers[2];
  float* products = a->buffers[1];
  (void)worker;
  for (int64_t i = begin; i < end; ++i) products[i] = x[i] * w[i];
}
static void sum(const TlmKernelArgs* a, int64_t begin, int64_t end, void* worker) {
  const float* products = a->buffers[0];
  float* total = a->workspace;
  (void)worker;
  *total = 0;
  for (int64_t i = begin; i < end; ++i) *total += products[i] + 1;
}
static void spread(const TlmKernelArgs* a, int64_t begin, int64_t end, void* worker) {
  const float *total = a->workspace, *products = a->buffers[0];
  float *y = a->buffers[1], *z = a->buffers[2], *factors = worker;
  for (int64_t i = begin; i < end; ++i) factors[i - begin] = (float)(i + a->ints[0]);
  for (int64_t i = begin; i < end; ++i) y[i] = *total * factors[i - begin], z[i] = products[i];
}
static const TlmPhase phases[3] = {scale, sum, spread};
static const TlmModule module = {TLM_KERNEL_ABI, 3, phases};
__attribute__((visibility("default"))) const TlmModule* tlm_module(void) { return &module; }
)";
}

// Small integers, so that every order of additions gives the same sum.
std::vector<float> sample_weights() {
  std::vector<float> w(kN);
  for (int64_t i = 0; i < kN; ++i) w[static_cast<size_t>(i)] = static_cast<float>(i % 7 - 3);
  return w;
}
std::vector<float> sample_input() {
  std::vector<float> x(kN);
  for (int64_t i = 0; i < kN; ++i) x[static_cast<size_t>(i)] = static_cast<float>(i % 5 - 1);
  return x;
}
std::vector<float> expected_z() {
  std::vector<float> z = sample_input();
  for (size_t i = 0; i < z.size(); ++i) z[i] *= sample_weights()[i];
  return z;
}
std::vector<float> expected_y() {
  float total = 0;
  for (float z : expected_z()) total += z + 1;
  std::vector<float> y(kN);
  for (size_t i = 0; i < y.size(); ++i) y[i] = total * static_cast<float>(i + 3);
  return y;
}

Manifest sample_manifest(int code_section, int weights_section) {
  constexpr uint64_t kBytes = kN * sizeof(float);
  const BufferRef products{BufferSpace::kArena, 0, 64, kBytes};
  const BufferRef input{BufferSpace::kInput, 0, 0, kBytes}, weights{BufferSpace::kWeights, 0, 128, kBytes};
  Manifest m;
  m.engine_version = "0.1.0";
  m.compiler = "test";
  m.model_name = "sample";
  m.metadata = {{"author", "tests"}};
  m.inputs = {{"x", DType::kF32, {kN}}};
  m.outputs = {{"y", DType::kF32, {1, kN}}, {"z", DType::kF32, {kN}}};
  VariantDesc v;
  v.target_json = "{}";
  v.arch = host_arch();
  v.code_section = code_section;
  v.weights_section = weights_section;
  v.arena_bytes = 64 + kBytes + 64;
  StepDesc scale, rest;
  scale.name = "scale";
  scale.workload = 0x123456789abcdef0;
  scale.flops = kN;
  scale.args = {input, products, weights};
  scale.phases = {{0, kN, 5}};
  rest.name = "sum and spread";
  rest.args = {products, {BufferSpace::kOutput, 0, 0, kBytes}, {BufferSpace::kOutput, 1, 0, kBytes}};
  rest.phases = {{1, kN, kN}, {2, kN, 3}};
  rest.ints = {3};
  rest.workspace_offset = 64 + kBytes;
  rest.workspace_bytes = 64;
  rest.worker_bytes = 3 * sizeof(float);
  v.steps = {scale, rest};
  m.variants = {v};
  return m;
}

const std::vector<std::byte>& sample_code() {
  static const std::vector<std::byte> code = compile_module(sample_source());
  return code;
}

std::vector<std::byte> package_of(const Manifest& manifest, const std::vector<std::byte>& code,
                                  const std::vector<float>& weights) {
  PackageBuilder builder;
  TLM_CHECK(builder.add_section(SectionKind::kCode, code) == 1);
  // Weights at byte 128 of their section: a piece with a gap before it.
  const std::vector<std::byte> bytes = as_bytes(weights);
  TLM_CHECK(builder.add_section(SectionKind::kWeights, {{128, bytes, {}}}, 128 + bytes.size()) == 2);
  return builder.bytes(manifest);
}

std::vector<std::byte> sample_package() { return package_of(sample_manifest(1, 2), sample_code(), sample_weights()); }

}  // namespace tlm::runtime::test
