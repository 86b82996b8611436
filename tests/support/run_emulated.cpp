#include "tests/support/run_emulated.h"

#include <cstring>
#include <fstream>

#include "tests/support/run_kernel.h"
#include "tlm/codegen/build/compile_c.h"
#include "tlm/codegen/build/process.h"
#include "tlm/core/error.h"

namespace tlm::test {

namespace {

constexpr const char* kSysroot = "/usr/aarch64-linux-gnu";

// Reads cases, runs them, writes the outputs' buffers. All numbers are i64: cases; then for each: first entry, phases, their
// extents; workspace and worker bytes; parameters; then for each parameter: is it an output, bytes, the bytes.
const char* kMain = R"(#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
typedef struct { void* const* buffers; const int64_t* ints; void* workspace; } Args;
typedef void (*Phase)(const Args*, int64_t, int64_t, void*);
typedef struct { uint32_t abi, phase_count; const Phase* phases; } Module;
static int64_t number(FILE* f) {
  int64_t v;
  if (fread(&v, 8, 1, f) != 1) exit(3);
  return v;
}
static char* guarded(int64_t bytes) {
  int64_t page = 65536, inner = (bytes + page) / page * page;
  char* map = mmap(0, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED || mprotect(map + page, inner, PROT_READ | PROT_WRITE)) exit(4);
  memset(map + page, 0x7f, inner);
  return map + page + inner - bytes;
}
int main(int argc, char** argv) {
  void* library = dlopen(argv[1], RTLD_NOW);
  if (!library) { fprintf(stderr, "%s\n", dlerror()); return 2; }
  const Module* module = ((const Module* (*)(void))dlsym(library, "tlm_module"))();
  FILE *in = fopen(argv[2], "rb"), *out = fopen(argv[3], "wb");
  int64_t cases = number(in);
  for (int64_t c = 0; c < cases; ++c) {
    int64_t first = number(in), phases = number(in), extents[64];
    for (int64_t p = 0; p < phases; ++p) extents[p] = number(in);
    char *workspace = guarded(number(in)), *worker = guarded(number(in));
    int64_t params = number(in), sizes[64], outputs[64];
    void* buffers[64];
    for (int64_t p = 0; p < params; ++p) {
      outputs[p] = number(in), sizes[p] = number(in);
      buffers[p] = guarded(sizes[p]);
      if (sizes[p] && fread(buffers[p], sizes[p], 1, in) != 1) return 3;
    }
    Args args = {buffers, 0, workspace};
    fprintf(stderr, "case %d\n", (int)c);
    for (int64_t p = 0; p < phases; ++p)
      for (int64_t at = 0, step = extents[p] / 3 + 1; at < extents[p]; at += step)
        module->phases[first + p](&args, at, at + step < extents[p] ? at + step : extents[p], worker);
    for (int64_t p = 0; p < params; ++p)
      if (outputs[p] && sizes[p]) fwrite(buffers[p], sizes[p], 1, out);
  }
  return fclose(out);
}
)";

void write_number(std::ostream& f, int64_t v) { f.write(reinterpret_cast<const char*>(&v), 8); }

std::string last_lines(const std::string& text) { return text.size() > 400 ? text.substr(text.size() - 400) : text; }

}  // namespace

std::string missing_for_aarch64() {
  for (const char* program : {"aarch64-linux-gnu-gcc", "qemu-aarch64"})
    if (codegen::find_program(program).empty()) return std::string(program) + " is not installed";
  return std::filesystem::exists(kSysroot) ? "" : std::string(kSysroot) + " is not there";
}

void run_emulated(std::vector<EmulatedCase>& cases, const Target& target) {
  std::vector<ir::Kernel> kernels;
  for (const EmulatedCase& c : cases) kernels.push_back(c.kernel);
  std::vector<uint32_t> first_entry;
  codegen::BuildOptions options;
  options.jobs = 2;
  const std::vector<std::byte> image =
      codegen::build_image(kernel_sources(kernels, target, first_entry), target, codegen::find_c_toolchain(target), options);

  codegen::TempFolder folder;
  const std::filesystem::path so = folder.path() / "kernels.so", main_c = folder.path() / "main.c",
                              program = folder.path() / "main", input = folder.path() / "input",
                              output = folder.path() / "output";
  std::ofstream(so, std::ios::binary)
      .write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(image.size()));
  std::ofstream(main_c) << kMain;
  const codegen::ProcessResult built =
      codegen::run_process({"aarch64-linux-gnu-gcc", "-O1", main_c.string(), "-o", program.string(), "-ldl"}, "");
  TLM_CHECK(built.exit_code == 0) << built.output;
  {
    std::ofstream f(input, std::ios::binary);
    write_number(f, static_cast<int64_t>(cases.size()));
    for (size_t i = 0; i < cases.size(); ++i) {
      const ir::Kernel& k = cases[i].kernel;
      write_number(f, first_entry[i]);
      write_number(f, static_cast<int64_t>(k.phases.size()));
      for (const ir::Phase& p : k.phases) write_number(f, p.extent);
      write_number(f, (k.workspace_bytes + 63) / 64 * 64);
      write_number(f, (k.worker_bytes + 63) / 64 * 64);
      write_number(f, static_cast<int64_t>(k.params.size()));
      const std::vector<std::vector<std::byte>> buffers = kernel_buffers(k, *cases[i].g, cases[i].bound);
      for (size_t p = 0; p < buffers.size(); ++p) {
        write_number(f, k.params[p].output);
        write_number(f, static_cast<int64_t>(buffers[p].size()));
        f.write(reinterpret_cast<const char*>(buffers[p].data()), static_cast<std::streamsize>(buffers[p].size()));
      }
    }
  }
  codegen::ProcessOptions process;
  process.deadline_s = 300;
  const codegen::ProcessResult ran = codegen::run_process(
      {"qemu-aarch64", "-L", kSysroot, program.string(), so.string(), input.string(), output.string()}, "", process);
  TLM_CHECK(ran.exit_code == 0) << "exit " << ran.exit_code << ": " << last_lines(ran.output);
  std::ifstream f(output, std::ios::binary);
  for (EmulatedCase& c : cases) {
    std::vector<std::vector<std::byte>> buffers;
    std::vector<const std::byte*> pointers;
    for (const ir::KernelParam& p : c.kernel.params) {
      buffers.emplace_back(
          p.output ? static_cast<size_t>(p.elements) * dtype_size(c.g->tensors[static_cast<size_t>(p.tensor)].dtype) : 0);
      f.read(reinterpret_cast<char*>(buffers.back().data()), static_cast<std::streamsize>(buffers.back().size()));
    }
    TLM_CHECK(f.good() || f.eof()) << "short output";
    for (const auto& b : buffers) pointers.push_back(b.data());
    c.wrong = take_outputs(c.kernel, *c.g, pointers, c.bound);
  }
}

}  // namespace tlm::test
