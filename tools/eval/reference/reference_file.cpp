#include "tlm/tools/eval/reference/reference_file.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/hash.h"
#include "tlm/core/lines.h"

namespace tlm::eval {
namespace {

using Json = nlohmann::ordered_json;

// Five significant digits: measured figures have no more.
double shortened(double x) {
  if (x == 0) return 0;
  const double scale = std::pow(10, 4 - std::floor(std::log10(std::abs(x))));
  return std::round(x * scale) / scale;
}

Json to_json(const ReferenceSchedule& s) { return {{"ratio", shortened(s.ratio)}, {"schedule", print(s.schedule)}}; }

ReferenceSchedule schedule_of(const Json& j) {
  return {space::parse_schedule(j.at("schedule").get<std::string>()), j.at("ratio").get<double>()};
}

Reference from_json(const Json& j) {
  const auto hash = [&](const char* key) { return std::stoull(j.at(key).get<std::string>(), nullptr, 16); };
  Reference r;
  r.name = j.at("name").get<std::string>();
  r.workload = hash("workload");
  r.target = hash("target");
  r.cores = j.at("cores").get<int>();
  r.trials = j.at("trials").get<int>();
  r.seed = j.at("seed").get<uint64_t>();
  r.seconds = j.at("seconds").get<double>();
  r.constructive_ms = j.at("constructive_ms").get<double>();
  for (const Json& s : j.at("top")) r.top.push_back(schedule_of(s));
  for (const Json& s : j.at("after"))
    r.after.push_back({s.at("trials").get<int>(), s.at("seconds").get<double>(), schedule_of(s)});
  for (const Json& p : j.at("curve")) r.curve.push_back({p.at(0).get<int>(), p.at(1).get<double>(), p.at(2).get<double>()});
  r.space_version = j.at("space_version").get<int>();
  r.emitter_version = j.at("emitter_version").get<int>();
  r.engine = j.at("engine").get<std::string>();
  r.compiler = j.at("compiler").get<std::string>();
  return r;
}

}  // namespace

std::string reference_line(const Reference& r) {
  Json j;
  j["name"] = r.name;
  j["workload"] = to_hex(r.workload);
  j["target"] = to_hex(r.target);
  j["cores"] = r.cores;
  j["trials"] = r.trials;
  j["seed"] = r.seed;
  j["seconds"] = shortened(r.seconds);
  j["constructive_ms"] = shortened(r.constructive_ms);
  j["top"] = Json::array();
  for (const ReferenceSchedule& s : r.top) j["top"].push_back(to_json(s));
  j["after"] = Json::array();
  for (const ReferencePrefix& p : r.after) {
    Json prefix = {{"trials", p.trials}, {"seconds", shortened(p.seconds)}};
    prefix.update(to_json(p.best));
    j["after"].push_back(std::move(prefix));
  }
  j["curve"] = Json::array();
  for (const CurvePoint& p : r.curve) j["curve"].push_back({p.trials, shortened(p.seconds), shortened(p.ms)});
  j["space_version"] = r.space_version;
  j["emitter_version"] = r.emitter_version;
  j["engine"] = r.engine;
  j["compiler"] = r.compiler;
  return j.dump();
}

std::vector<Reference> parse_references(const std::string& text, const std::string& where) {
  std::vector<Reference> all;
  for_each_line(text, where, [&](const std::string& line, const std::string& at) {
    const std::string hint = "`tlm eval --reference` makes such files";
    try {
      all.push_back(from_json(Json::parse(line)));
    } catch (const nlohmann::json::exception& e) {
      throw Error(ErrorCode::kBadModel, std::string("not a line of a reference: ") + e.what(), at, hint);
    } catch (const std::logic_error& e) {  // stoull
      throw Error(ErrorCode::kBadModel, "not a line of a reference: a hash is no hexadecimal number", at, hint);
    }
  });
  return all;
}

std::vector<Reference> read_references(const std::filesystem::path& file) {
  return parse_references(read_file(file), file.string());
}

}  // namespace tlm::eval
