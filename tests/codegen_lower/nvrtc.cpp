#include "tests/codegen_lower/nvrtc.h"

#include <dlfcn.h>

namespace tlm::test {

namespace {
struct Program;
using Result = int;
}  // namespace

Nvrtc::Nvrtc() {
  for (const char* name : {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"})
    if (!library_) library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library_) reason_ = "NVRTC is not on this machine";
}

size_t Nvrtc::compile(const std::string& source, int sm, std::string& log) const {
  const auto create =
      reinterpret_cast<Result (*)(Program**, const char*, const char*, int, const char* const*, const char* const*)>(
          dlsym(library_, "nvrtcCreateProgram"));
  const auto compile_program =
      reinterpret_cast<Result (*)(Program*, int, const char* const*)>(dlsym(library_, "nvrtcCompileProgram"));
  const auto log_size = reinterpret_cast<Result (*)(Program*, size_t*)>(dlsym(library_, "nvrtcGetProgramLogSize"));
  const auto get_log = reinterpret_cast<Result (*)(Program*, char*)>(dlsym(library_, "nvrtcGetProgramLog"));
  const auto cubin_size = reinterpret_cast<Result (*)(Program*, size_t*)>(dlsym(library_, "nvrtcGetCUBINSize"));
  const auto destroy = reinterpret_cast<Result (*)(Program**)>(dlsym(library_, "nvrtcDestroyProgram"));
  Program* p = nullptr;
  if (create(&p, source.c_str(), "kernel.cu", 0, nullptr, nullptr) != 0) return 0;
  const std::string arch = "--gpu-architecture=sm_" + std::to_string(sm);
  const char* options[] = {arch.c_str(), "--std=c++17"};
  const Result result = compile_program(p, 2, options);
  size_t size = 0;
  log_size(p, &size);
  log.assign(size, '\0');
  if (size > 0) get_log(p, log.data());
  while (!log.empty() && log.back() == '\0') log.pop_back();
  size = 0;
  if (result == 0) cubin_size(p, &size);
  destroy(&p);
  return size;
}

}  // namespace tlm::test
