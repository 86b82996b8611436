/* The header is C99, and a C program can fill its structs. Called by c_api_test.cpp. */
#include "tlm/runtime.h"

const char* c_header_check(const char* path, const float* x, float* y, float* z);

/* NULL, or the message of what failed. */
const char* c_header_check(const char* path, const float* x, float* y, float* z) {
  TlmEngine* engine = NULL;
  TlmPackage* package = NULL;
  TlmSession* session = NULL;
  TlmEngineOptions engine_options = {sizeof engine_options};
  TlmSessionOptions session_options = {sizeof session_options};
  TlmStatus status;
  engine_options.threads = 2;
  session_options.threads = 1;
  status = tlm_engine_create(&engine_options, &engine);
  if (status == TLM_OK) status = tlm_package_load(engine, path, NULL, &package);
  tlm_engine_release(engine); /* the package keeps it */
  if (status == TLM_OK) status = tlm_session_create(package, &session_options, &session);
  tlm_package_release(package);
  if (status == TLM_OK) status = tlm_session_bind_input(session, 0, x, 64 * sizeof(float));
  if (status == TLM_OK) status = tlm_session_bind_output(session, 0, y, 64 * sizeof(float));
  if (status == TLM_OK) status = tlm_session_bind_output(session, 1, z, 64 * sizeof(float));
  if (status == TLM_OK) status = tlm_session_run(session, NULL);
  tlm_session_release(session);
  return status == TLM_OK ? NULL : tlm_error_message();
}
