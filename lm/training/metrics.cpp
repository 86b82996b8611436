#include "tlm/lm/training/metrics.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "tlm/core/error.h"
#include "tlm/core/file.h"

namespace tlm::lm {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Validation& v) {
  Json j;
  j["loss"] = v.loss;
  j["full_loss"] = v.full_loss;
  j["accuracy"] = v.accuracy;
  j["best_loss"] = v.best_loss;
  j["pick"] = v.pick;
  j["random_pick"] = v.random_pick;
  j["pick_of_kind"] = v.pick_of_kind;
  j["groups"] = v.groups;
  j["programs"] = v.programs;
  return j;
}

Validation validation_of(const Json& j) {
  Validation v;
  v.loss = j.at("loss").get<double>();
  v.full_loss = j.at("full_loss").get<double>();
  v.accuracy = j.at("accuracy").get<double>();
  v.best_loss = j.at("best_loss").get<double>();
  v.pick = j.at("pick").get<double>();
  v.random_pick = j.at("random_pick").get<double>();
  v.pick_of_kind = j.at("pick_of_kind").get<std::map<std::string, double>>();
  v.groups = j.at("groups").get<int>();
  v.programs = j.at("programs").get<int>();
  return v;
}

}  // namespace

std::string metrics_line(const StepMetrics& m) {
  Json j;
  j["step"] = m.step;
  j["phase"] = m.phase;
  j["tokens"] = m.tokens;
  j["targets"] = m.targets;
  j["loss"] = m.loss;
  j["norm"] = m.norm;
  j["rate"] = m.rate;
  j["seconds"] = m.seconds;
  j["tokens_per_second"] = m.tokens_per_second;
  if (m.dev) j["dev"] = to_json(*m.dev);
  return j.dump();
}

StepMetrics parse_metrics_line(const std::string& line, const std::string& where) {
  try {
    const Json j = Json::parse(line);
    StepMetrics m;
    m.step = j.at("step").get<int64_t>();
    m.phase = j.at("phase").get<std::string>();
    m.tokens = j.at("tokens").get<int64_t>();
    m.targets = j.at("targets").get<int64_t>();
    m.loss = j.at("loss").get<double>();
    m.norm = j.at("norm").get<double>();
    m.rate = j.at("rate").get<double>();
    m.seconds = j.at("seconds").get<double>();
    m.tokens_per_second = j.at("tokens_per_second").get<double>();
    if (j.contains("dev")) m.dev = validation_of(j.at("dev"));
    return m;
  } catch (const nlohmann::json::exception& e) {
    throw Error(ErrorCode::kBadModel, std::string("not a line of metrics: ") + e.what(), where);
  }
}

std::vector<StepMetrics> read_metrics(const std::filesystem::path& file) {
  std::vector<StepMetrics> out;
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line)) {
    try {
      out.push_back(parse_metrics_line(line, file.string()));
    } catch (const Error&) {
      break;
    }
  }
  return out;
}

void keep_metrics(const std::filesystem::path& file, int64_t step) {
  std::string kept;
  for (const StepMetrics& m : read_metrics(file))
    if (m.step <= step) kept += metrics_line(m) + "\n";
  write_file_atomic(file, kept);
}

}  // namespace tlm::lm
