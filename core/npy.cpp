#include "tlm/core/npy.h"

#include <cctype>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "tlm/core/error.h"
#include "tlm/core/file.h"

namespace tlm {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxRank = 64;

struct Descr {
  DType dtype;
  std::string_view text;  // as written by NumPy
};

constexpr Descr kDescrs[] = {
    {DType::kF32, "<f4"}, {DType::kF64, "<f8"}, {DType::kF16, "<f2"},  {DType::kBF16, "<V2"}, {DType::kI8, "|i1"},
    {DType::kI16, "<i2"}, {DType::kI32, "<i4"}, {DType::kI64, "<i8"},  {DType::kU8, "|u1"},   {DType::kU16, "<u2"},
    {DType::kU32, "<u4"}, {DType::kU64, "<u8"}, {DType::kBool, "|b1"},
};

struct Header {
  DType dtype = DType::kF32;
  bool fortran = false;
  Shape shape;
};

// Reads the header's text, a Python dictionary of the three known keys.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  Header read() {
    Header header;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr") {
        header.dtype = dtype(string());
        has_descr = true;
      } else if (key == "fortran_order") {
        header.fortran = boolean();
        has_order = true;
      } else if (key == "shape") {
        header.shape = shape();
        has_shape = true;
      } else {
        fail("unknown key '" + std::string(key) + "'");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (position_ != text_.size()) fail("text after the dictionary");
    if (!has_descr || !has_order || !has_shape) fail("a key is missing: descr, fortran_order and shape are needed");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(ErrorCode::kBadModel, "malformed .npy header: " + reason, where_, "write the file with numpy.save");
  }

  void skip_space() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_]))) ++position_;
  }

  bool accept(char c) {
    skip_space();
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(std::string("'") + c + "' expected at byte " + std::to_string(position_));
  }

  std::string_view string() {
    skip_space();
    const char quote = position_ < text_.size() ? text_[position_] : '\0';
    if (quote != '\'' && quote != '"') fail("a string expected at byte " + std::to_string(position_));
    const size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) fail("a string has no end");
    const std::string_view s = text_.substr(position_ + 1, end - position_ - 1);
    position_ = end + 1;
    return s;
  }

  bool boolean() {
    skip_space();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(position_).starts_with(word)) {
        position_ += word.size();
        return value;
      }
    }
    fail("True or False expected at byte " + std::to_string(position_));
  }

  Shape shape() {
    Shape result;
    expect('(');
    while (!accept(')')) {
      skip_space();
      int64_t extent = 0;
      const auto [end, error] = std::from_chars(text_.data() + position_, text_.data() + text_.size(), extent);
      if (error != std::errc() || extent < 0) fail("an extent expected at byte " + std::to_string(position_));
      position_ = static_cast<size_t>(end - text_.data());
      result.push_back(extent);
      if (result.size() > kMaxRank) fail("more than " + std::to_string(kMaxRank) + " dimensions");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return result;
  }

  DType dtype(std::string_view text) const {
    for (const Descr& row : kDescrs) {
      if (text.size() < 2 || text.substr(1) != row.text.substr(1)) continue;
      const char order = text[0];
      if (order == '<' || order == '=' || order == '|') return row.dtype;
      if (order == '>' && dtype_size(row.dtype) == 1) return row.dtype;
    }
    throw Error(ErrorCode::kBadModel, "element type '" + std::string(text) + "' of a .npy file is not supported", where_,
                "convert the array to a little-endian number type: a.astype('<f4')");
  }

  std::string_view text_;
  const std::string& where_;
  size_t position_ = 0;
};

uint64_t read_little(std::span<const std::byte> bytes, size_t offset, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) value |= static_cast<uint64_t>(bytes[offset + i]) << (8 * i);
  return value;
}

// Copies elements in Fortran order (first index fastest) to row-major order.
void copy_fortran(const std::byte* from, std::byte* to, const Shape& shape, size_t element) {
  const size_t rank = shape.size();
  std::vector<int64_t> stride(rank, 1), index(rank, 0);  // strides of the source, in elements
  for (size_t d = 1; d < rank; ++d) stride[d] = stride[d - 1] * shape[d - 1];
  int64_t source = 0;
  const int64_t count = element_count(shape);
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + static_cast<size_t>(i) * element, from + static_cast<size_t>(source) * element, element);
    for (size_t d = rank; d-- > 0;) {
      source += stride[d];
      if (++index[d] < shape[d]) break;
      source -= stride[d] * shape[d];
      index[d] = 0;
    }
  }
}

}  // namespace

Tensor parse_npy(std::span<const std::byte> file, const std::string& where) {
  const auto bad = [&where](const std::string& reason) { return Error(ErrorCode::kBadModel, reason, where); };
  if (file.size() < 8 || std::memcmp(file.data(), kMagic.data(), kMagic.size()) != 0) throw bad("not a .npy file");
  const auto major = static_cast<int>(file[6]);
  if (major < 1 || major > 3) throw bad(".npy version " + std::to_string(major) + " is not supported (1, 2 and 3 are)");
  const size_t length_bytes = major == 1 ? 2 : 4;
  const size_t start = 8 + length_bytes;
  if (file.size() < start) throw bad("the .npy file ends within its header");
  const uint64_t length = read_little(file, 8, length_bytes);
  if (length > file.size() - start) throw bad("the .npy file ends within its header");
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + start, length);
  const Header header = HeaderReader(text, where).read();

  const std::span<const std::byte> data = file.subspan(start + length);
  int64_t count = 0;
  try {
    count = element_count(header.shape);
  } catch (const Error& e) {
    throw bad(e.message());
  }
  const size_t element = dtype_size(header.dtype);
  if (data.size() % element != 0 || data.size() / element != static_cast<uint64_t>(count)) {
    throw bad("the .npy header announces " + std::to_string(count) + " elements of " + std::to_string(element) +
              " bytes, the file holds " + std::to_string(data.size()) + " bytes of data");
  }
  Tensor tensor(header.dtype, header.shape);
  if (count == 0) return tensor;
  if (header.fortran) {
    copy_fortran(data.data(), tensor.mutable_data(), header.shape, element);
  } else {
    std::memcpy(tensor.mutable_data(), data.data(), data.size());
  }
  if (header.dtype == DType::kBool)  // other non-zero bytes would break code that computes with 0 and 1
    for (uint8_t& b : tensor.mutable_as<uint8_t>()) b = b != 0;
  return tensor;
}

Tensor read_npy(const std::filesystem::path& path) { return parse_npy(MappedFile::open(path)->bytes(), path.string()); }

std::string npy_header(DType dtype, const Shape& shape) {
  std::string text = "{'descr': '";
  for (const Descr& row : kDescrs)
    if (row.dtype == dtype) text += row.text;
  text += "', 'fortran_order': False, 'shape': (";
  for (size_t d = 0; d < shape.size(); ++d) text += std::to_string(shape[d]) + (d + 1 < shape.size() ? ", " : "");
  text += shape.size() == 1 ? ",), }" : "), }";
  const auto build = [&text](char version, size_t length_bytes) {
    const size_t start = 8 + length_bytes;
    const size_t total = (start + text.size() + 1 + 63) / 64 * 64;
    std::string header(kMagic);
    header += {version, '\0'};
    const size_t length = total - start;
    for (size_t i = 0; i < length_bytes; ++i) header += static_cast<char>(length >> (8 * i) & 0xff);
    header += text;
    header.resize(total - 1, ' ');
    return header += '\n';
  };
  return text.size() < 65000 ? build(1, 2) : build(2, 4);
}

void write_npy(const std::filesystem::path& path, const Tensor& tensor) {
  AtomicFile file(path);
  file.write(npy_header(tensor.dtype(), tensor.shape()));
  if (tensor.bytes() > 0) file.write(tensor.data(), tensor.bytes());
  file.commit();
}

}  // namespace tlm
