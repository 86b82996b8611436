// The C boundary (runtime.h) for C++: handles that release themselves, errors as exceptions. Header only, needs C++17; only
// functions of libtlm_runtime are called, so application and library may use different compilers and standard libraries.
//
//   tlm::app::Engine engine;
//   tlm::app::Package package(engine, "model.tlm");
//   tlm::app::Session session(package);
//   session.bind_input(0, image.data(), image.size() * sizeof(float));
//   session.bind_output(0, scores.data(), scores.size() * sizeof(float));
//   session.run();
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

#include "tlm/core/runtime/runtime.h"

namespace tlm::app {

// What a function of the runtime reports: status() says which kind, what() is its message.
class RuntimeError : public std::runtime_error {
 public:
  explicit RuntimeError(TlmStatus status) : std::runtime_error(tlm_error_message()), status_(status) {}
  TlmStatus status() const { return status_; }

 private:
  TlmStatus status_;
};

inline void check(TlmStatus status) {
  if (status != TLM_OK) throw RuntimeError(status);
}

// Options with their size set and the rest zero.
template <typename Options>
Options options() {
  Options o{};
  o.size = sizeof(Options);
  return o;
}

template <typename Handle, void (*release)(Handle*)>
class Owner {
 public:
  Handle* get() const { return handle_.get(); }

 protected:
  struct Release {
    void operator()(Handle* h) const { release(h); }
  };
  std::unique_ptr<Handle, Release> handle_;
};

class Engine : public Owner<TlmEngine, tlm_engine_release> {
 public:
  explicit Engine(const TlmEngineOptions* options = nullptr) {
    TlmEngine* h = nullptr;
    check(tlm_engine_create(options, &h));
    handle_.reset(h);
  }
};

class Package : public Owner<TlmPackage, tlm_package_release> {
 public:
  Package(const Engine& engine, const std::string& path, const TlmLoadOptions* options = nullptr) {
    TlmPackage* h = nullptr;
    check(tlm_package_load(engine.get(), path.c_str(), options, &h));
    handle_.reset(h);
  }
  // Borrows `data`.
  Package(const Engine& engine, const void* data, size_t bytes, const TlmLoadOptions* options = nullptr) {
    TlmPackage* h = nullptr;
    check(tlm_package_load_memory(engine.get(), data, bytes, options, &h));
    handle_.reset(h);
  }
  int input_count() const { return tlm_package_input_count(get()); }
  int output_count() const { return tlm_package_output_count(get()); }
  TlmPort input(int index) const {
    TlmPort port;
    check(tlm_package_input(get(), index, &port));
    return port;
  }
  TlmPort output(int index) const {
    TlmPort port;
    check(tlm_package_output(get(), index, &port));
    return port;
  }
  void verify_weights() const { check(tlm_package_verify_weights(get())); }
};

class Session : public Owner<TlmSession, tlm_session_release> {
 public:
  explicit Session(const Package& package, const TlmSessionOptions* options = nullptr) {
    TlmSession* h = nullptr;
    check(tlm_session_create(package.get(), options, &h));
    handle_.reset(h);
  }
  void bind_input(int index, const void* data, size_t bytes) { check(tlm_session_bind_input(get(), index, data, bytes)); }
  void bind_output(int index, void* data, size_t bytes) { check(tlm_session_bind_output(get(), index, data, bytes)); }
  void* input(int index) {
    void* data = nullptr;
    check(tlm_session_input(get(), index, &data));
    return data;
  }
  void* output(int index) {
    void* data = nullptr;
    check(tlm_session_output(get(), index, &data));
    return data;
  }
  void run(const TlmRunOptions* options = nullptr) { check(tlm_session_run(get(), options)); }
  void cancel() { tlm_session_cancel(get()); }
};

}  // namespace tlm::app
