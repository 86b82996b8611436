/* tlm runtime: runs prepared packages (.tlm). The binary boundary of libtlm_runtime; C99.
 *
 *   TlmEngine* engine;   TlmPackage* package;   TlmSession* session;
 *   tlm_engine_create(NULL, &engine);
 *   tlm_package_load(engine, "model.tlm", NULL, &package);
 *   tlm_session_create(package, NULL, &session);
 *   tlm_session_bind_input(session, 0, image, image_bytes);
 *   tlm_session_bind_output(session, 0, scores, scores_bytes);
 *   tlm_session_run(session, NULL);
 *
 * Every function that can fail returns a TlmStatus; tlm_error_message() then tells what happened, where and what to do. No C++
 * exception crosses this boundary. Objects are reference-counted: a session keeps its package, a package its engine, so they may
 * be released in any order. Functions on different objects may be called from several threads at once; on one session only
 * tlm_session_cancel may be called while another thread runs it. Option structs begin with their size; set it with sizeof, zero
 * the rest: members that later versions add then have their defaults. NULL options mean all defaults.
 */
#ifndef TLM_RUNTIME_H
#define TLM_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

typedef struct TlmEngine TlmEngine;   /* executor, log sink: what an application sets once */
typedef struct TlmPackage TlmPackage; /* a loaded package, immutable */
typedef struct TlmSession TlmSession; /* memory to run a package in */

typedef enum TlmStatus {
  TLM_OK = 0,
  TLM_MISUSE = 2,      /* an argument is wrong: index, size, alignment, null */
  TLM_BAD_PACKAGE = 3, /* damaged, or no package; or data that an operator refuses (an index out of range) */
  TLM_UNSUPPORTED = 4, /* a newer format, or something that this runtime does not do */
  TLM_ENVIRONMENT = 5, /* file, memory, or a CPU feature that this machine lacks */
  TLM_BUSY = 6,        /* another run of this session is in progress */
  TLM_INTERNAL = 70,   /* a bug in tlm */
  TLM_CANCELLED = 130
} TlmStatus;

/* The message of the last function that failed on this thread; "" before. Valid until the next failure on this thread. */
const char* tlm_error_message(void);

/* "0.1.0", and the number of this interface: it grows when functions are added. */
const char* tlm_runtime_version(void);
#define TLM_RUNTIME_API 1
uint32_t tlm_runtime_api(void);

/* ---- Engine */

typedef enum TlmLogLevel { TLM_LOG_DEBUG = 0, TLM_LOG_INFO = 1, TLM_LOG_WARNING = 2, TLM_LOG_ERROR = 3 } TlmLogLevel;

/* Runs body(context, index, worker) for every index in [0, count) and returns when all have returned. `worker` is in [0, width);
   one worker id is used by one thread at a time. May be called by several sessions at once. */
typedef void (*TlmTask)(void* context, int64_t index, int32_t worker);
typedef struct TlmExecutor {
  void* user;
  int32_t width; /* workers that may run at once, >= 1 */
  void (*parallel_for)(void* user, int64_t count, TlmTask body, void* context);
} TlmExecutor;

typedef struct TlmEngineOptions {
  size_t size;
  const TlmExecutor* executor; /* copied; NULL: a pool of threads of the runtime */
  int32_t threads;             /* of that pool; 0: as many as the machine has cores, one pool shared by all such engines */
  int32_t has_spin;            /* not 0: spin_us holds */
  int32_t spin_us;             /* how long an idle thread of the pool looks for work before it sleeps; 0 allowed (a pool of its own) */
  void (*log)(void* user, TlmLogLevel level, const char* message); /* NULL: no messages. From any thread. */
  void* log_user;
} TlmEngineOptions;

TlmStatus tlm_engine_create(const TlmEngineOptions* options, TlmEngine** engine);
void tlm_engine_release(TlmEngine* engine); /* NULL allowed, as for all release functions */

/* ---- Package */

typedef struct TlmLoadOptions {
  size_t size;
  int32_t verify_weights; /* not 0: compare the weights with their checksum now; else tlm_package_verify_weights does it */
} TlmLoadOptions;

TlmStatus tlm_package_load(TlmEngine* engine, const char* path, const TlmLoadOptions* options, TlmPackage** package);
/* A regular file open for reading, from its beginning; it may be closed afterwards. */
TlmStatus tlm_package_load_descriptor(TlmEngine* engine, int descriptor, const TlmLoadOptions* options, TlmPackage** package);
/* Borrows `data` for as long as the package and its sessions live. 64-byte alignment saves a copy of the weights. */
TlmStatus tlm_package_load_memory(TlmEngine* engine, const void* data, size_t bytes, const TlmLoadOptions* options,
                                  TlmPackage** package);
TlmStatus tlm_package_verify_weights(const TlmPackage* package);
void tlm_package_release(TlmPackage* package);

typedef enum TlmType {
  TLM_F32 = 0, TLM_F64 = 1, TLM_F16 = 2, TLM_BF16 = 3, TLM_I8 = 4, TLM_I16 = 5, TLM_I32 = 6, TLM_I64 = 7,
  TLM_U8 = 8, TLM_U16 = 9, TLM_U32 = 10, TLM_U64 = 11, TLM_BOOL = 12
} TlmType;

/* An input or output: dense, row-major. Lives as long as the package. */
typedef struct TlmPort {
  const char* name;
  TlmType type;
  int32_t rank;
  const int64_t* shape; /* rank extents */
  size_t bytes;
} TlmPort;

int32_t tlm_package_input_count(const TlmPackage* package);
int32_t tlm_package_output_count(const TlmPackage* package);
TlmStatus tlm_package_input(const TlmPackage* package, int32_t index, TlmPort* port);
TlmStatus tlm_package_output(const TlmPackage* package, int32_t index, TlmPort* port);
const char* tlm_package_model_name(const TlmPackage* package);
/* The value of an entry of the model's metadata, or NULL. */
const char* tlm_package_metadata(const TlmPackage* package, const char* key);

/* ---- Session */

typedef struct TlmAllocator {
  void* user;
  void* (*allocate)(void* user, size_t bytes, size_t alignment); /* NULL when there is no memory */
  void (*release)(void* user, void* data, size_t bytes);
} TlmAllocator;

typedef struct TlmSessionOptions {
  size_t size;
  int32_t threads;               /* at most so many workers; 0: as many as the engine has */
  const TlmAllocator* allocator; /* copied; NULL: the heap */
  void* arena;                   /* 64-byte aligned memory for the session, kept by the caller; NULL: from the allocator */
  size_t arena_bytes;            /* of it: at least tlm_package_arena_bytes */
} TlmSessionOptions;

/* Memory that a session of `threads` workers (0: as many as the engine has) needs. */
TlmStatus tlm_package_arena_bytes(const TlmPackage* package, int32_t threads, size_t* bytes);
TlmStatus tlm_session_create(TlmPackage* package, const TlmSessionOptions* options, TlmSession** session);
void tlm_session_release(TlmSession* session);
size_t tlm_session_arena_bytes(const TlmSession* session);

/* The caller's memory, used in place: `bytes` as the port says, aligned to an element, valid while the session runs. */
TlmStatus tlm_session_bind_input(TlmSession* session, int32_t index, const void* data, size_t bytes);
TlmStatus tlm_session_bind_output(TlmSession* session, int32_t index, void* data, size_t bytes);
/* The session's own memory for a port, bound by this call, released with the session. */
TlmStatus tlm_session_input(TlmSession* session, int32_t index, void** data);
TlmStatus tlm_session_output(TlmSession* session, int32_t index, void** data);

typedef struct TlmRunOptions {
  size_t size;
  double* step_ms;    /* NULL, or one entry for each step: its time in ms */
  size_t step_count;  /* entries of step_ms */
  double* total_ms;   /* NULL, or the time of the run */
  double* overhead_ms; /* NULL, or the part of it that was spent outside kernels */
} TlmRunOptions;

/* Allocates nothing. Outputs are the same bits on any number of threads. All ports must be bound. */
TlmStatus tlm_session_run(TlmSession* session, const TlmRunOptions* options);
/* Ends the run in progress, else the next one, with TLM_CANCELLED. From any thread, and from a signal handler. */
void tlm_session_cancel(TlmSession* session);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
