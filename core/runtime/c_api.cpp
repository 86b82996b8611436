// The C boundary: handles over the C++ classes; every exception becomes a status and a message.
#include "tlm/core/runtime/runtime.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "tlm/core/error.h"
#include "tlm/core/runtime/session.h"
#include "tlm/core/thread_pool.h"
#include "tlm/core/version.h"

namespace rt = tlm::runtime;

namespace {

// An application's executor as ours.
class ForeignExecutor final : public tlm::Executor {
 public:
  explicit ForeignExecutor(const TlmExecutor& executor) : executor_(executor) {}
  int width() const override { return executor_.width; }
  void parallel_for(int64_t count, Body body, void* context) override {
    executor_.parallel_for(executor_.user, count, body, context);
  }

 private:
  TlmExecutor executor_;
};

struct Engine {
  std::unique_ptr<tlm::Executor> own;  // null: the shared pool
  void (*log)(void*, TlmLogLevel, const char*) = nullptr;
  void* log_user = nullptr;

  tlm::Executor& executor() const { return own ? *own : tlm::shared_thread_pool(); }
  void write(TlmLogLevel level, const std::string& message) const {
    if (log) log(log_user, level, message.c_str());
  }
};

}  // namespace

struct TlmEngine {
  std::shared_ptr<const Engine> engine;
};

struct TlmPackage {
  std::shared_ptr<const Engine> engine;
  std::shared_ptr<const rt::Package> package;
};

struct TlmSession {
  std::shared_ptr<const Engine> engine;  // before the session: it owns the executor
  rt::Session session;
};

namespace {

// A fixed buffer, so that reporting an error needs no memory.
thread_local char last_error[2048] = "";

TlmStatus fail(TlmStatus status, const char* message) noexcept {
  std::strncpy(last_error, message, sizeof last_error - 1);
  return status;
}

TlmStatus status_of(tlm::ErrorCode code) {
  switch (code) {
    case tlm::ErrorCode::kUsage: return TLM_MISUSE;
    case tlm::ErrorCode::kBadModel: return TLM_BAD_PACKAGE;
    case tlm::ErrorCode::kUnsupported: return TLM_UNSUPPORTED;
    case tlm::ErrorCode::kEnvironment: return TLM_ENVIRONMENT;
    case tlm::ErrorCode::kInterrupted: return TLM_CANCELLED;
    default: return TLM_INTERNAL;
  }
}

// Runs `body`; what it throws becomes a status.
template <typename F>
TlmStatus guarded(F&& body) noexcept {
  try {
    body();
    return TLM_OK;
  } catch (const tlm::Error& e) {
    return fail(status_of(e.code()), e.what());
  } catch (const std::bad_alloc&) {
    return fail(TLM_ENVIRONMENT, "no memory");
  } catch (const std::exception& e) {
    return fail(TLM_INTERNAL, e.what());
  } catch (...) {
    return fail(TLM_INTERNAL, "unknown exception");
  }
}

void require(bool ok, const char* what) {
  if (!ok) throw tlm::Error(tlm::ErrorCode::kUsage, what);
}

// The caller's options as this version knows them: members that an older caller lacks are zero.
template <typename Options>
Options known(const Options* options) {
  Options result{};
  if (!options) return result;
  require(options->size >= sizeof(size_t), "options without their size");
  std::memcpy(&result, options, std::min(options->size, sizeof result));
  return result;
}

template <typename Load>
TlmStatus load_package(TlmEngine* engine, const TlmLoadOptions* options, TlmPackage** package, Load&& load) noexcept {
  return guarded([&] {
    require(engine && package, "engine or package is null");
    *package = nullptr;
    rt::LoadOptions load_options;
    load_options.verify_weights = known(options).verify_weights != 0;
    auto loaded = load(load_options);
    engine->engine->write(TLM_LOG_INFO, "loaded '" + loaded->manifest().model_name + "' from " + loaded->where() + ", variant " +
                                            std::to_string(loaded->variant_index()));
    *package = new TlmPackage{engine->engine, std::move(loaded)};
  });
}

TlmStatus describe_port(const std::vector<rt::PortDesc>& ports, int32_t index, TlmPort* port) {
  return guarded([&] {
    require(port, "port is null");
    require(index >= 0 && static_cast<size_t>(index) < ports.size(), "there is no port of this index");
    const rt::PortDesc& desc = ports[static_cast<size_t>(index)];
    *port = {desc.name.c_str(), static_cast<TlmType>(desc.dtype), static_cast<int32_t>(desc.shape.size()), desc.shape.data(),
             static_cast<size_t>(tlm::element_count(desc.shape)) * tlm::dtype_size(desc.dtype)};
  });
}

int session_threads(const Engine& engine, int32_t threads) {
  const int width = std::max(1, engine.executor().width());
  return threads > 0 ? std::min(threads, width) : width;
}

TlmStatus run_status(rt::RunCode code) {
  switch (code) {
    case rt::RunCode::kOk: return TLM_OK;
    case rt::RunCode::kBusy: return TLM_BUSY;
    case rt::RunCode::kCancelled: return TLM_CANCELLED;
    case rt::RunCode::kUnbound: return TLM_MISUSE;
    default: return TLM_BAD_PACKAGE;
  }
}

}  // namespace

extern "C" {

const char* tlm_error_message(void) { return last_error; }
const char* tlm_runtime_version(void) { return tlm::kEngineVersion; }
uint32_t tlm_runtime_api(void) { return TLM_RUNTIME_API; }

TlmStatus tlm_engine_create(const TlmEngineOptions* options, TlmEngine** engine) {
  return guarded([&] {
    require(engine, "engine is null");
    *engine = nullptr;
    const TlmEngineOptions o = known(options);
    require(o.threads >= 0 && (!o.has_spin || o.spin_us >= 0), "negative number of threads or spin time");
    auto made = std::make_shared<Engine>();
    made->log = o.log;
    made->log_user = o.log_user;
    if (o.executor) {
      require(o.executor->width >= 1 && o.executor->parallel_for, "an executor needs width >= 1 and parallel_for");
      made->own = std::make_unique<ForeignExecutor>(*o.executor);
    } else if (o.threads || o.has_spin) {
      tlm::ThreadPoolOptions pool;
      pool.width = o.threads;
      if (o.has_spin) pool.spin_us = o.spin_us;
      made->own = std::make_unique<tlm::ThreadPool>(pool);
    }
    *engine = new TlmEngine{std::move(made)};
  });
}

void tlm_engine_release(TlmEngine* engine) { delete engine; }

TlmStatus tlm_package_load(TlmEngine* engine, const char* path, const TlmLoadOptions* options, TlmPackage** package) {
  return load_package(engine, options, package, [&](const rt::LoadOptions& o) {
    require(path, "path is null");
    return rt::Package::load(path, o);
  });
}

TlmStatus tlm_package_load_descriptor(TlmEngine* engine, int descriptor, const TlmLoadOptions* options, TlmPackage** package) {
  return load_package(engine, options, package,
                      [&](const rt::LoadOptions& o) { return rt::Package::load_descriptor(descriptor, o); });
}

TlmStatus tlm_package_load_memory(TlmEngine* engine, const void* data, size_t bytes, const TlmLoadOptions* options,
                                  TlmPackage** package) {
  return load_package(engine, options, package, [&](const rt::LoadOptions& o) {
    require(data, "data is null");
    return rt::Package::load_memory({static_cast<const std::byte*>(data), bytes}, {}, o);
  });
}

TlmStatus tlm_package_verify_weights(const TlmPackage* package) {
  return guarded([&] {
    require(package, "package is null");
    package->package->verify_weights();
  });
}

void tlm_package_release(TlmPackage* package) { delete package; }

int32_t tlm_package_input_count(const TlmPackage* package) {
  return package ? static_cast<int32_t>(package->package->manifest().inputs.size()) : 0;
}
int32_t tlm_package_output_count(const TlmPackage* package) {
  return package ? static_cast<int32_t>(package->package->manifest().outputs.size()) : 0;
}
TlmStatus tlm_package_input(const TlmPackage* package, int32_t index, TlmPort* port) {
  return package ? describe_port(package->package->manifest().inputs, index, port) : fail(TLM_MISUSE, "package is null");
}
TlmStatus tlm_package_output(const TlmPackage* package, int32_t index, TlmPort* port) {
  return package ? describe_port(package->package->manifest().outputs, index, port) : fail(TLM_MISUSE, "package is null");
}

const char* tlm_package_model_name(const TlmPackage* package) {
  return package ? package->package->manifest().model_name.c_str() : "";
}

const char* tlm_package_metadata(const TlmPackage* package, const char* key) {
  if (!package || !key) return nullptr;
  for (const auto& [name, value] : package->package->manifest().metadata)
    if (name == key) return value.c_str();
  return nullptr;
}

TlmStatus tlm_package_arena_bytes(const TlmPackage* package, int32_t threads, size_t* bytes) {
  return guarded([&] {
    require(package && bytes && threads >= 0, "package or bytes is null, or threads is negative");
    *bytes = rt::Session::arena_bytes_needed(*package->package, session_threads(*package->engine, threads));
  });
}

TlmStatus tlm_session_create(TlmPackage* package, const TlmSessionOptions* options, TlmSession** session) {
  return guarded([&] {
    require(package && session, "package or session is null");
    *session = nullptr;
    const TlmSessionOptions o = known(options);
    rt::SessionOptions made;
    made.executor = &package->engine->executor();
    made.threads = o.threads;
    if (o.allocator) made.allocator = {o.allocator->user, o.allocator->allocate, o.allocator->release};
    made.arena = o.arena;
    made.arena_bytes = o.arena_bytes;
    *session = new TlmSession{package->engine, rt::Session(package->package, made)};
  });
}

void tlm_session_release(TlmSession* session) { delete session; }
size_t tlm_session_arena_bytes(const TlmSession* session) { return session ? session->session.arena_bytes() : 0; }

TlmStatus tlm_session_bind_input(TlmSession* session, int32_t index, const void* data, size_t bytes) {
  return guarded([&] {
    require(session, "session is null");
    session->session.bind_input(index, data, bytes);
  });
}

TlmStatus tlm_session_bind_output(TlmSession* session, int32_t index, void* data, size_t bytes) {
  return guarded([&] {
    require(session, "session is null");
    session->session.bind_output(index, data, bytes);
  });
}

TlmStatus tlm_session_input(TlmSession* session, int32_t index, void** data) {
  return guarded([&] {
    require(session && data, "session or data is null");
    *data = session->session.input(index);
  });
}

TlmStatus tlm_session_output(TlmSession* session, int32_t index, void** data) {
  return guarded([&] {
    require(session && data, "session or data is null");
    *data = session->session.output(index);
  });
}

TlmStatus tlm_session_run(TlmSession* session, const TlmRunOptions* options) {
  if (!session) return fail(TLM_MISUSE, "session is null");
  if (options && options->size < sizeof(size_t)) return fail(TLM_MISUSE, "options without their size");
  const TlmRunOptions o = known(options);
  rt::RunProfile profile;
  rt::RunOptions run;
  run.step_ms = {o.step_ms, o.step_ms ? o.step_count : 0};
  if (o.step_ms || o.total_ms || o.overhead_ms) run.profile = &profile;
  const rt::RunResult result = session->session.run(run);
  if (!result.ok()) return fail(run_status(result.code), result.message);
  if (o.total_ms) *o.total_ms = profile.total_ms;
  if (o.overhead_ms) *o.overhead_ms = profile.overhead_ms;
  return TLM_OK;
}

void tlm_session_cancel(TlmSession* session) {
  if (session) session->session.cancel();
}

}  // extern "C"
