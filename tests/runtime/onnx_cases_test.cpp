// Runtime calls against the ONNX backend cases of Debian's libonnx-testdata, where it is installed. The attributes of each case
// stand here; the tensors are read from its .pb files.
#include <gtest/gtest.h>
#include <cmath>
#include <filesystem>

#include "call_support.h"
#include "support.h"
#include "tlm/core/file.h"

namespace tlm::runtime::test {
namespace {

const std::filesystem::path kData = "/usr/share/libonnx-testdata/data/node";

// As much of protobuf's wire format as a TensorProto of these cases needs: dims = 1, data_type = 2, raw_data = 9, packed numbers.
class TensorFile {
 public:
  explicit TensorFile(const std::filesystem::path& path) : text_(read_file(path)) {
    while (at_ < text_.size()) {
      const uint64_t key = varint();
      const uint64_t field = key >> 3;
      if ((key & 7) == 0) {
        const uint64_t value = varint();
        if (field == 1) shape_.push_back(static_cast<int64_t>(value));
        if (field == 2) type_ = value;
      } else {
        TLM_CHECK((key & 7) == 2) << "wire type " << (key & 7);
        const uint64_t bytes = varint();
        if (field == 1)
          for (const uint64_t end = at_ + bytes; at_ < end;) shape_.push_back(static_cast<int64_t>(varint()));
        else if (field == 9)
          raw_ = text_.substr(at_, bytes), at_ += bytes;
        else
          at_ += bytes;  // the name
      }
    }
  }
  CallTensor tensor() const {
    const DType types[] = {DType::kF32, DType::kF32, DType::kU8, DType::kI8, DType::kU16, DType::kI16, DType::kI32, DType::kI64};
    const auto* p = reinterpret_cast<const std::byte*>(raw_.data());
    return {{types[type_], shape_, true}, {p, p + raw_.size()}};
  }

 private:
  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<uint8_t>(text_.at(at_++));
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (!(byte & 0x80)) return value;
    }
  }
  std::string text_, raw_;
  size_t at_ = 0;
  Shape shape_;
  uint64_t type_ = 0;
};

struct Case {
  const char* folder;
  const char* call;
  std::vector<int> outputs;  // which outputs the files output_0.pb, … are
  CallNumbers numbers = {};
  std::map<std::string, std::string> strings = {};
};

TEST(OnnxCases, Agree) {
  if (!std::filesystem::exists(kData)) GTEST_SKIP() << "libonnx-testdata is not installed";
  const Case cases[] = {
      {"gru_batchwise", "GRU", {0, 1}, {{"layout", {1}}}},
      {"gru_defaults", "GRU", {1}},
      {"gru_seq_length", "GRU", {1}},
      {"gru_with_initial_bias", "GRU", {1}},
      {"lstm_batchwise", "LSTM", {0, 1}, {{"layout", {1}}}},
      {"lstm_defaults", "LSTM", {1}},
      {"lstm_with_initial_bias", "LSTM", {1}},
      {"lstm_with_peepholes", "LSTM", {1}},
      {"rnn_seq_length", "RNN", {1}},
      {"simple_rnn_batchwise", "RNN", {0, 1}, {{"layout", {1}}}},
      {"simple_rnn_defaults", "RNN", {1}},
      {"simple_rnn_with_initial_bias", "RNN", {1}},
      {"scatter_elements_with_axis", "ScatterElements", {0}, {{"axis", {1}}}},
      {"scatter_elements_with_duplicate_indices", "ScatterElements", {0}, {{"axis", {1}}}, {{"reduction", "add"}}},
      {"scatter_elements_with_negative_indices", "ScatterElements", {0}, {{"axis", {1}}}},
      {"scatter_elements_without_axis", "ScatterElements", {0}},
      {"scatter_with_axis", "ScatterElements", {0}, {{"axis", {1}}}},
      {"scatter_without_axis", "ScatterElements", {0}},
      {"scatternd", "ScatterND", {0}},
      {"scatternd_add", "ScatterND", {0}, {}, {{"reduction", "add"}}},
      {"scatternd_multiply", "ScatterND", {0}, {}, {{"reduction", "mul"}}},
      {"top_k", "TopK", {0, 1}, {{"axis", {1}}}},
      {"top_k_negative_axis", "TopK", {0, 1}, {{"axis", {-1}}}},
      {"top_k_smallest", "TopK", {0, 1}, {{"axis", {1}}, {"largest", {0}}}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.folder);
    const auto folder = kData / (std::string("test_") + c.folder) / "test_data_set_0";
    Call call{c.call, {}, {}, c.numbers, c.strings};
    for (int i = 0; std::filesystem::exists(folder / ("input_" + std::to_string(i) + ".pb")); ++i)
      call.inputs.push_back(TensorFile(folder / ("input_" + std::to_string(i) + ".pb")).tensor());
    ASSERT_FALSE(call.inputs.empty());
    std::vector<CallTensor> expected;
    call.outputs.resize(static_cast<size_t>(c.outputs.back()) + 1, {DType::kF32, {}, false});
    for (size_t o = 0; o < c.outputs.size(); ++o) {
      expected.push_back(TensorFile(folder / ("output_" + std::to_string(o) + ".pb")).tensor());
      call.outputs[static_cast<size_t>(c.outputs[o])] = expected.back().desc;
    }
    const CallResult result = run_call(call);
    ASSERT_TRUE(result.status.ok());
    for (size_t o = 0; o < c.outputs.size(); ++o) {
      const CallTensor& actual = result.outputs[static_cast<size_t>(c.outputs[o])];
      if (expected[o].desc.dtype != DType::kF32) {
        EXPECT_EQ(actual.bytes, expected[o].bytes);
        continue;
      }
      const std::vector<float> a = values_of<float>(actual), b = values_of<float>(expected[o]);
      ASSERT_EQ(a.size(), b.size());
      float worst = 0;
      for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::fabs(a[i] - b[i]));
      EXPECT_LE(worst, 2e-6f);
    }
  }
}

}  // namespace
}  // namespace tlm::runtime::test
