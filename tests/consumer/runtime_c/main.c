/* Usage: runtime_c PACKAGE. Runs it on zeros and prints the first numbers of each output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tlm/runtime.h>

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, tlm_error_message());
  return 1;
}

int main(int argc, char** argv) {
  TlmEngine* engine = NULL;
  TlmPackage* package = NULL;
  TlmSession* session = NULL;
  int32_t i;
  if (argc != 2) return fprintf(stderr, "usage: %s PACKAGE\n", argv[0]), 2;
  if (tlm_engine_create(NULL, &engine) != TLM_OK) return failed("engine");
  if (tlm_package_load(engine, argv[1], NULL, &package) != TLM_OK) return failed("load");
  if (tlm_session_create(package, NULL, &session) != TLM_OK) return failed("session");
  for (i = 0; i < tlm_package_input_count(package); ++i) {
    TlmPort port;
    void* data;
    if (tlm_package_input(package, i, &port) != TLM_OK || tlm_session_input(session, i, &data) != TLM_OK) return failed("input");
    memset(data, 0, port.bytes);
  }
  for (i = 0; i < tlm_package_output_count(package); ++i) {
    void* data;
    if (tlm_session_output(session, i, &data) != TLM_OK) return failed("output");
  }
  if (tlm_session_run(session, NULL) != TLM_OK) return failed("run");
  for (i = 0; i < tlm_package_output_count(package); ++i) {
    TlmPort port;
    void* data;
    size_t n;
    if (tlm_package_output(package, i, &port) != TLM_OK || tlm_session_output(session, i, &data) != TLM_OK)
      return failed("output");
    printf("%s:", port.name);
    for (n = 0; port.type == TLM_F32 && n < 8 && n < port.bytes / sizeof(float); ++n) printf(" %g", ((const float*)data)[n]);
    printf("\n");
  }
  tlm_session_release(session);
  tlm_package_release(package);
  tlm_engine_release(engine);
  return 0;
}
