#include "tlm/lm/training/training_state.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/hash.h"
#include "tlm/lm/checkpoint.h"

namespace tlm::lm {
namespace {

namespace fs = std::filesystem;

constexpr int kFormat = 1;
constexpr size_t kLargestState = 1 << 16;
constexpr std::string_view kPrefix = "checkpoint-", kUnfinished = ".checkpoint-";

[[noreturn]] void fail(const std::error_code& why, const fs::path& where) {
  throw Error(ErrorCode::kEnvironment, "cannot keep the state of the training: " + why.message(), where.string());
}

// Folders that begin with `prefix`, by the number that follows; others are not touched.
std::vector<std::pair<int64_t, fs::path>> numbered(const fs::path& folder, std::string_view prefix) {
  std::vector<std::pair<int64_t, fs::path>> found;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    const std::string digits = name.substr(prefix.size());
    if (digits.empty() || digits.size() > 18 || digits.find_first_not_of("0123456789") != std::string::npos) continue;
    found.emplace_back(std::stoll(digits), entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

void save_training_state(const fs::path& folder, const Weights& weights, const LanguageInfo& language, const AdamW& optimizer,
                         const TrainingPosition& position) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) fail(failure, folder);
  for (const auto& [number, path] : numbered(folder, kUnfinished)) fs::remove_all(path, failure);  // of one that was killed
  const std::string number = std::to_string(position.step);
  const fs::path unfinished = folder / (std::string(kUnfinished) + number), finished = folder / (std::string(kPrefix) + number);
  save_language_model(unfinished, weights, language);
  optimizer.save(unfinished / "optimizer.safetensors");
  nlohmann::ordered_json json;
  json["format"] = kFormat;
  json["step"] = position.step;
  json["tokens"] = position.tokens;
  json["seconds"] = position.seconds;
  json["identity"] = to_hex(position.identity);
  write_file_atomic(unfinished / "state.json", json.dump(1) + "\n");
  fs::remove_all(finished, failure);  // the same step again, of a training that was begun anew
  fs::rename(unfinished, finished, failure);
  if (failure) fail(failure, finished);
  for (const auto& [step, path] : numbered(folder, kPrefix))
    if (step != position.step) fs::remove_all(path, failure);
}

std::optional<fs::path> last_training_state(const fs::path& folder) {
  const auto found = numbered(folder, kPrefix);
  if (found.empty()) return std::nullopt;
  return found.back().second;
}

TrainingPosition load_training_position(const fs::path& state) {
  const fs::path file = state / "state.json";
  const auto bad = [&](const std::string& what) -> Error { return Error(ErrorCode::kBadModel, what, file.string()); };
  try {
    const auto json = nlohmann::json::parse(read_file(file, kLargestState));
    if (json.at("format").get<int>() != kFormat) throw bad("a state of another version of tlm");
    TrainingPosition p;
    p.step = json.at("step").get<int64_t>();
    p.tokens = json.at("tokens").get<int64_t>();
    p.seconds = json.at("seconds").get<double>();
    p.identity = std::stoull(json.at("identity").get<std::string>(), nullptr, 16);
    if (p.step < 0) throw bad("a negative step");
    return p;
  } catch (const nlohmann::json::exception& e) {
    throw bad(std::string("not the state of a training: ") + e.what());
  } catch (const std::logic_error&) {  // of stoull
    throw bad("not the state of a training: identity");
  }
}

void load_training_state(const fs::path& state, Weights& weights, AdamW& optimizer) {
  Weights loaded = load_checkpoint(state);
  if (loaded.config() != weights.config())
    throw Error(ErrorCode::kBadModel, "the state of a model of another size", state.string());
  weights = std::move(loaded);
  optimizer.load(state / "optimizer.safetensors");
}

}  // namespace tlm::lm
