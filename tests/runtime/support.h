// Small packages made by the tests: freestanding C text, compiled by the system's C compiler.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tlm/core/error.h"
#include "tlm/core/runtime/package.h"

namespace tlm::runtime::test {

// Compiles `source` (after the kernel ABI) to an ELF shared object image as generated code is compiled. `flags` are added.
std::vector<std::byte> compile_module(const std::string& source, const std::vector<std::string>& flags = {},
                                      const std::string& compiler = "gcc");
bool has_program(const std::string& name);

// A model with everything in it:  y[i] = Σ_k (x[k]·w[k] + 1)·(i + 3)  and  z[i] = x[i]·w[i]  for i < 64, in three phases:
// a parallel one with a ragged last chunk, a serial sum through the workspace, a parallel one through the workers' scratch.
std::string sample_source();
std::vector<float> sample_weights();
std::vector<float> sample_input();
std::vector<float> expected_y();
std::vector<float> expected_z();
Manifest sample_manifest(int code_section, int weights_section);
// The package of it, with the code compiled once for the process.
const std::vector<std::byte>& sample_code();
std::vector<std::byte> sample_package();
std::vector<std::byte> package_of(const Manifest& manifest, const std::vector<std::byte>& code,
                                  const std::vector<float>& weights);

inline constexpr int64_t kN = 64;

template <typename T>
std::vector<std::byte> as_bytes(const std::vector<T>& values) {
  const auto* p = reinterpret_cast<const std::byte*>(values.data());
  return {p, p + values.size() * sizeof(T)};
}

// The text of the Error that `f` throws; "" if none.
template <typename F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

std::filesystem::path temporary_folder();

}  // namespace tlm::runtime::test
