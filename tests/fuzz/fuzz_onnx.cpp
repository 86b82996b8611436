// Anything as an ONNX model or as one tensor: an Error, or a graph that is sound and that the writer and the reader agree about.
//   build-fuzz/bin/fuzz_onnx -max_total_time=600 CORPUS /usr/share/libonnx-testdata/data/node
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <span>
#include <string>

#include "tlm/core/error.h"
#include "tlm/ir/onnx/onnx_reader.h"
#include "tlm/ir/onnx/onnx_writer.h"

namespace {

constexpr int64_t kMaxBytes = 32 << 20;

// In memory where there is such a folder; one file for each process.
const std::string& scratch() {
  static const std::string path =
      (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + std::string("/tlm-fuzz-") + std::to_string(getpid());
  static const bool registered = std::atexit([] { unlink(path.c_str()); }) == 0;
  (void)registered;
  return path;
}

template <typename F>
void ignore_errors(F&& f) {
  try {
    f();
  } catch (const tlm::InternalError&) {
    throw;  // a bug
  } catch (const tlm::Error&) {
  }
}

void read_model(std::span<const std::byte> bytes) {
  tlm::ir::OnnxOptions options;
  options.max_bytes = kMaxBytes;
  tlm::ir::Graph g = tlm::ir::read_onnx(bytes, "fuzz", options);
  tlm::ir::verify(g);
  tlm::ir::print(g);
  static unsigned count = 0;
  if (++count % 16 != 0) return;  // files are slow
  tlm::ir::write_onnx(g, scratch());
  const tlm::ir::Graph back = tlm::ir::read_onnx(scratch(), options);
  tlm::ir::verify(back);
  if (back.inputs.size() != g.inputs.size() || back.outputs.size() != g.outputs.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  ignore_errors([&] { read_model({bytes, size}); });
  // The first byte of a TensorProto that begins with its dimensions or its type; of a model it is another.
  if (size > 0 && size < 4096 && (data[0] == 0x08 || data[0] == 0x10)) {
    std::ofstream(scratch(), std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    ignore_errors([&] { tlm::ir::read_tensor_proto(scratch()); });
  }
  return 0;
}
