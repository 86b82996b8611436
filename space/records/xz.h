// Lines of text in xz files (liblzma).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tlm::space {

// Whether the file begins as xz files do. False: it does not, or cannot be read.
bool is_xz(const std::filesystem::path& file);

class XzWriter {
 public:
  // `sink` gets the compressed bytes in order.
  explicit XzWriter(std::function<void(std::string_view bytes)> sink);
  ~XzWriter();
  XzWriter(const XzWriter&) = delete;
  XzWriter& operator=(const XzWriter&) = delete;
  void write(std::string_view text);
  void finish();  // nothing is written after it; without it the file is cut short

 private:
  struct State;
  void run(int action);
  std::function<void(std::string_view)> sink_;
  std::unique_ptr<State> state_;
};

class XzLines {
 public:
  explicit XzLines(std::filesystem::path file);  // throws Error(kEnvironment)
  ~XzLines();
  XzLines(const XzLines&) = delete;
  XzLines& operator=(const XzLines&) = delete;
  // The next line without its end; false: there is none. Throws Error(kBadModel): damaged, cut short.
  bool next(std::string& line);

 private:
  struct State;
  bool fill();
  std::filesystem::path file_;
  std::unique_ptr<State> state_;
};

}  // namespace tlm::space
