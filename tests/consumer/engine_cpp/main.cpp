// Usage: engine_cpp A.onnx B.onnx. Compiles both models in process, runs them at once on one executor of two threads that this
// application brings, and compares their outputs with runs on one thread, bit by bit.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <tlm/core/executor.h>
#include <tlm/tools/engine/engine.h>
#include <vector>

#ifdef WITH_ONNX
int count_nodes_with_onnx(const std::string& path);
#endif

namespace {

// Two threads for each loop, made anew each time: simple, not fast.
class TwoThreads : public tlm::Executor {
 public:
  int width() const override { return 2; }
  void parallel_for(int64_t count, Body body, void* context) override {
    loops_.fetch_add(1);
    std::thread other([&] {
      for (int64_t i = 1; i < count; i += 2) body(context, i, 1);
    });
    for (int64_t i = 0; i < count; i += 2) body(context, i, 0);
    other.join();
  }
  int loops() const { return loops_; }

 private:
  std::atomic<int> loops_{0};
};

using Outputs = std::vector<std::vector<char>>;

Outputs run(tlm::runtime::Session& session) {
  const auto& manifest = session.package().manifest();
  for (int i = 0; i < static_cast<int>(manifest.inputs.size()); ++i) {
    void* data = session.input(i);
    std::memset(data, 0, session.input_bytes(i));
    if (manifest.inputs[static_cast<size_t>(i)].dtype != tlm::DType::kF32) continue;
    for (size_t n = 0; n < session.input_bytes(i) / 4; ++n) static_cast<float*>(data)[n] = static_cast<float>(n % 17) / 8 - 1;
  }
  for (int i = 0; i < static_cast<int>(manifest.outputs.size()); ++i) session.output(i);
  session.run_or_throw();
  Outputs outputs;
  for (int i = 0; i < static_cast<int>(manifest.outputs.size()); ++i) {
    const auto* data = static_cast<const char*>(session.output(i));
    outputs.emplace_back(data, data + session.output_bytes(i));
  }
  return outputs;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) return std::fprintf(stderr, "usage: %s A.onnx B.onnx\n", argv[0]), 2;
#ifdef WITH_ONNX
  const int nodes = count_nodes_with_onnx(argv[1]);
  if (nodes < 1) return std::fprintf(stderr, "onnx does not read the model\n"), 1;
#endif
  tlm::EngineOptions options;
  options.target.cores = 2;
  tlm::Engine engine(options);
  const auto package_a = engine.compile_file(argv[1]), package_b = engine.compile_file(argv[2]);

  tlm::runtime::Session alone_a(package_a, {.threads = 1}), alone_b(package_b, {.threads = 1});
  const Outputs expected_a = run(alone_a), expected_b = run(alone_b);

  TwoThreads executor;
  tlm::runtime::Session session_a(package_a, {.executor = &executor}), session_b(package_b, {.executor = &executor});
  Outputs a, b;
  std::thread other([&] { a = run(session_a); });
  b = run(session_b);
  other.join();
  if (a != expected_a || b != expected_b) return std::fprintf(stderr, "outputs differ\n"), 1;
  if (executor.loops() == 0) return std::fprintf(stderr, "the application's executor was not used\n"), 1;
#ifdef WITH_ONNX
  if (count_nodes_with_onnx(argv[1]) != nodes) return std::fprintf(stderr, "onnx was disturbed\n"), 1;
  std::printf("onnx counts %d nodes; ", nodes);
#endif
  std::printf("outputs agree; %d loops on the application's executor\n", executor.loops());
  return 0;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 1;
}
