#include "tlm/lm/language_model.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/space/language/number_alphabet.h"
#include "tlm/space/version.h"

namespace tlm::lm {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;
constexpr size_t kLargestLanguage = 1 << 20;  // bytes of language.json
// Without these no sentence can be read or written.
constexpr const char* kNeeded[] = {"<target>", "<subgraph>", "<stage>", "<schedule>", "<end>", "unknown"};

[[noreturn]] void bad(const std::string& what, const std::string& where) { throw Error(ErrorCode::kBadModel, what, where); }

template <typename T>
T field(const json& j, const char* key, const std::string& where) {
  const auto it = j.find(key);
  if (it == j.end()) bad(std::string("no '") + key + "'", where);
  try {
    return it->get<T>();
  } catch (const json::exception&) {
    bad(std::string("'") + key + "' has the wrong type", where);
  }
}

// A name that the file holds wrongly is a fault of the model, not of the command line.
template <typename Parse>
auto named(const json& j, const char* key, const std::string& where, const Parse& parse) {
  try {
    return parse(field<std::string>(j, key, where));
  } catch (const Error& e) {
    if (e.code() == ErrorCode::kBadModel) throw;
    throw Error(ErrorCode::kBadModel, e.message(), where, e.hint());
  }
}

}  // namespace

LanguageInfo standard_language(const PromptForm& form, int quality_buckets) {
  TLM_CHECK(quality_buckets >= 0 && quality_buckets <= kMostQualityBuckets);
  LanguageInfo info;
  const space::Vocabulary& v = space::Vocabulary::standard();
  for (space::Token t = 0; t < v.size(); ++t) info.words.push_back(v.word(t));
  info.form = form;
  info.quality_buckets = quality_buckets;
  info.language_version = space::kLanguageVersion;
  info.space_version = space::kSpaceVersion;
  return info;
}

LanguageInfo parse_language(std::string_view text, const std::string& where) {
  const json j = json::parse(text, nullptr, false);
  if (!j.is_object()) bad("not a JSON object", where);
  if (const int format = field<int>(j, "format", where); format != kFormat)
    throw Error(ErrorCode::kUnsupported, "language format " + std::to_string(format), where,
                "this version reads format " + std::to_string(kFormat));
  LanguageInfo info;
  info.words = field<std::vector<std::string>>(j, "words", where);
  info.form.blind = named(j, "blind", where, parse_blind);
  info.form.numbers = named(j, "numbers", where, parse_numbers);
  info.quality_buckets = field<int>(j, "quality_buckets", where);
  info.devices = field<std::vector<std::string>>(j, "devices", where);
  info.language_version = j.contains("language_version") ? field<int>(j, "language_version", where) : 1;
  info.space_version = field<int>(j, "space_version", where);
  info.description = field<std::string>(j, "description", where);
  if (info.language_version != space::kLanguageVersion)
    throw Error(ErrorCode::kUnsupported,
                "the model learned version " + std::to_string(info.language_version) +
                    " of the tensor language, this is version " + std::to_string(space::kLanguageVersion),
                where, "train it again from its records with `tlm train`: records stay valid");
  if (info.quality_buckets < 0 || info.quality_buckets > kMostQualityBuckets)
    bad("quality_buckets is " + std::to_string(info.quality_buckets) + ", 0 to " + std::to_string(kMostQualityBuckets), where);
  const std::set<std::string> distinct(info.words.begin(), info.words.end());
  if (distinct.size() != info.words.size()) bad("a word occurs twice", where);
  for (const char* word : kNeeded)
    if (!distinct.contains(word)) bad(std::string("the word '") + word + "' is missing", where);
  for (int bucket = 0; bucket < info.quality_buckets; ++bucket)
    if (const std::string number = std::to_string(bucket); !distinct.contains("<quality>") || !distinct.contains(number))
      bad("the words '<quality>' and '" + number + "' are not both there: quality_buckets asks for them", where);
  return info;
}

std::string print_language(const LanguageInfo& info) {
  nlohmann::ordered_json j;
  j["format"] = kFormat;
  j["words"] = info.words;
  j["blind"] = blind_name(info.form.blind);
  j["numbers"] = numbers_name(info.form.numbers);
  j["quality_buckets"] = info.quality_buckets;
  j["devices"] = info.devices;
  j["language_version"] = info.language_version;
  j["space_version"] = info.space_version;
  j["description"] = info.description;
  return j.dump(1) + "\n";
}

LanguageInfo load_language(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "language.json";
  return parse_language(read_file(file, kLargestLanguage), file.string());
}

void save_language_model(const std::filesystem::path& folder, const Weights& weights, const LanguageInfo& info, DType storage) {
  TLM_CHECK(static_cast<size_t>(weights.config().vocabulary) == info.words.size());
  save_checkpoint(folder, weights, storage);
  write_file_atomic(folder / "language.json", print_language(info));
}

LanguageModel::LanguageModel(Weights weights, LanguageInfo info, std::string name, const kernels::BlockKernels& kernels)
    : model_(std::move(weights), kernels), info_(std::move(info)), name_(std::move(name)) {
  if (static_cast<size_t>(model_.config().vocabulary) != info_.words.size())
    throw Error(ErrorCode::kBadModel,
                "language.json has " + std::to_string(info_.words.size()) + " words, config.json a vocabulary of " +
                    std::to_string(model_.config().vocabulary),
                name_, "a checkpoint of the tensor language is made by `tlm train`");
  const space::Vocabulary& v = space::Vocabulary::standard();
  ids_.assign(static_cast<size_t>(v.size()), -1);
  for (size_t id = 0; id < info_.words.size(); ++id) {
    const space::Token token = v.find(info_.words[id]);  // -1: the language no longer has the word
    if (token >= 0) ids_[static_cast<size_t>(token)] = static_cast<int32_t>(id);
  }
  unknown_ = id_of(v.token("unknown"));
  knows_all_words_ = std::count(ids_.begin(), ids_.end(), -1) == 0;
}

LanguageModel LanguageModel::load(const std::filesystem::path& folder) {
  LanguageInfo info = load_language(folder);
  std::filesystem::path named = folder.lexically_normal();
  if (!named.has_filename()) named = named.parent_path();  // a trailing slash
  return LanguageModel(load_checkpoint(folder), std::move(info), named.filename().string());
}

bool LanguageModel::fits(const Target& target) const {
  const std::string device = target.device == DeviceKind::kCpu ? "cpu" : "gpu";
  return std::find(info_.devices.begin(), info_.devices.end(), device) != info_.devices.end();
}

std::vector<int32_t> LanguageModel::prompt_ids(const std::vector<space::Token>& prompt) const {
  std::vector<int32_t> ids;
  for (const space::Token t : prompt) ids.push_back(prompt_id(t));
  return ids;
}

std::vector<int32_t> LanguageModel::opening(const std::vector<space::Token>& prompt, int quality) const {
  std::vector<int32_t> ids = prompt_ids(prompt);
  if (info_.quality_buckets > 0) {
    TLM_CHECK(quality >= 0 && quality < info_.quality_buckets) << quality << " of " << info_.quality_buckets;
    const space::Vocabulary& v = space::Vocabulary::standard();
    ids.push_back(id_of(v.token("<quality>")));
    ids.push_back(id_of(v.token(std::to_string(quality))));
  }
  return ids;
}

}  // namespace tlm::lm
