#include "tlm/space/records/xz.h"

#include <lzma.h>

#include <array>
#include <fstream>

#include "tlm/core/error.h"

namespace tlm::space {
namespace {

constexpr size_t kBlock = size_t{1} << 16;
constexpr uint32_t kPreset = 6;
constexpr uint64_t kMostMemory = uint64_t{1} << 28;  // of reading: presets up to 9 need 65 MiB

}  // namespace

bool is_xz(const std::filesystem::path& file) {
  constexpr std::string_view kMagic(
      "\xFD"
      "7zXZ\0",
      6);
  std::array<char, 6> begin{};
  std::ifstream in(file, std::ios::binary);
  in.read(begin.data(), begin.size());
  return in && std::string_view(begin.data(), begin.size()) == kMagic;
}

struct XzWriter::State {
  lzma_stream stream = LZMA_STREAM_INIT;
  std::array<uint8_t, kBlock> out;
};

XzWriter::XzWriter(std::function<void(std::string_view)> sink) : sink_(std::move(sink)), state_(std::make_unique<State>()) {
  const lzma_ret code = lzma_easy_encoder(&state_->stream, kPreset, LZMA_CHECK_CRC64);
  if (code != LZMA_OK) throw Error(ErrorCode::kEnvironment, "no memory to compress with");
}

XzWriter::~XzWriter() { lzma_end(&state_->stream); }

void XzWriter::run(int action) {
  lzma_stream& s = state_->stream;
  for (;;) {
    s.next_out = state_->out.data();
    s.avail_out = state_->out.size();
    const lzma_ret code = lzma_code(&s, static_cast<lzma_action>(action));
    TLM_CHECK(code == LZMA_OK || code == LZMA_STREAM_END || code == LZMA_BUF_ERROR) << "liblzma says " << static_cast<int>(code);
    const size_t made = state_->out.size() - s.avail_out;
    if (made > 0) sink_({reinterpret_cast<const char*>(state_->out.data()), made});
    if (code == LZMA_STREAM_END || (action == LZMA_RUN && s.avail_in == 0 && s.avail_out > 0)) return;
  }
}

void XzWriter::write(std::string_view text) {
  state_->stream.next_in = reinterpret_cast<const uint8_t*>(text.data());
  state_->stream.avail_in = text.size();
  if (!text.empty()) run(LZMA_RUN);
}

void XzWriter::finish() { run(LZMA_FINISH); }

struct XzLines::State {
  std::ifstream in;
  lzma_stream stream = LZMA_STREAM_INIT;
  std::array<uint8_t, kBlock> packed, out;
  std::string text;  // unpacked, not yet handed out from `at`
  size_t at = 0;
  bool ended = false;
};

XzLines::XzLines(std::filesystem::path file) : file_(std::move(file)), state_(std::make_unique<State>()) {
  state_->in.open(file_, std::ios::binary);
  if (!state_->in) throw Error(ErrorCode::kEnvironment, "cannot open the file", file_.string());
  if (lzma_stream_decoder(&state_->stream, kMostMemory, 0) != LZMA_OK)
    throw Error(ErrorCode::kEnvironment, "no memory to decompress with", file_.string());
}

XzLines::~XzLines() { lzma_end(&state_->stream); }

// Unpacks some more. False: that was all.
bool XzLines::fill() {
  State& s = *state_;
  if (s.ended) return false;
  s.text.erase(0, s.at);
  s.at = 0;
  if (s.stream.avail_in == 0 && s.in) {
    s.in.read(reinterpret_cast<char*>(s.packed.data()), static_cast<std::streamsize>(s.packed.size()));
    s.stream.next_in = s.packed.data();
    s.stream.avail_in = static_cast<size_t>(s.in.gcount());
    if (s.in.bad()) throw Error(ErrorCode::kEnvironment, "cannot read", file_.string());
  }
  s.stream.next_out = s.out.data();
  s.stream.avail_out = s.out.size();
  const lzma_ret code = lzma_code(&s.stream, s.in ? LZMA_RUN : LZMA_FINISH);
  if (code != LZMA_OK && code != LZMA_STREAM_END)
    throw Error(ErrorCode::kBadModel, "bad xz file: damaged or cut short", file_.string());
  s.text.append(reinterpret_cast<const char*>(s.out.data()), s.out.size() - s.stream.avail_out);
  s.ended = code == LZMA_STREAM_END;
  return true;
}

bool XzLines::next(std::string& line) {
  State& s = *state_;
  size_t searched = s.at;
  for (;;) {
    const size_t end = s.text.find('\n', searched);
    if (end != std::string::npos) {
      line.assign(s.text, s.at, end - s.at);
      s.at = end + 1;
      return true;
    }
    const size_t unread = s.text.size() - s.at;
    if (!fill()) break;
    searched = unread;
  }
  if (s.at == s.text.size()) return false;
  line.assign(s.text, s.at);
  s.at = s.text.size();
  return true;
}

}  // namespace tlm::space
