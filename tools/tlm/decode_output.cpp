#include "tlm/tools/tlm/decode_output.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tlm/core/hash.h"
#include "tlm/space/language/vocabulary.h"
#include "tlm/tools/plot/line_plot.h"

namespace tlm::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string plain(double v) { return Json(v).dump(); }  // shortest text that reads back to the same number

double ratio_of(const DecodedSchedule& s) { return s.measurement ? s.measurement->ratio : 0; }

size_t most_schedules(const DecodedList& list) {
  size_t most = 0;
  for (const DecodedWorkload& w : list.workloads) most = std::max(most, w.schedules.size());
  return most;
}

}  // namespace

std::vector<DecodedSchedule> distinct_schedules(const lm::Answer& answer, int most) {
  std::vector<DecodedSchedule> out;
  for (const lm::Sentence& s : answer.sentences) {
    space::Schedule schedule = s.walk.schedule();
    const auto at = std::find_if(out.begin(), out.end(), [&](const DecodedSchedule& d) { return d.schedule == schedule; });
    if (at != out.end()) {
      ++at->times;
    } else if (most == 0 || static_cast<int>(out.size()) < most) {
      out.push_back({std::move(schedule), space::to_text(s.tokens), s.log_probability, static_cast<int>(s.defaults.size()), 1,
                     s.measurement});
    }
  }
  return out;
}

std::vector<double> best_ratio_by_count(const DecodedList& list) {
  std::vector<double> out;
  for (size_t k = 1; k <= most_schedules(list); ++k) {
    double sum = 0;
    int workloads = 0;
    for (const DecodedWorkload& w : list.workloads) {
      double best = 0;
      for (size_t i = 0; i < std::min(k, w.schedules.size()); ++i) best = std::max(best, ratio_of(w.schedules[i]));
      if (best <= 0) continue;
      sum += std::log(best);
      ++workloads;
    }
    out.push_back(workloads ? std::exp(sum / workloads) : 0);
  }
  return out;
}

std::string decoded_json(const DecodedList& list) {
  Json j;
  j["model"] = list.model;
  j["decode"] = list.decode;
  j["quality"] = list.quality ? Json(*list.quality) : Json(nullptr);
  j["seed"] = list.seed;
  Json workloads = Json::array();
  for (const DecodedWorkload& w : list.workloads) {
    Json item;
    item["name"] = w.name;
    item["workload"] = to_hex(w.hash);
    item["cores"] = w.cores;
    item["fallback"] = w.fallback.empty() ? Json(nullptr) : Json(w.fallback);
    Json schedules = Json::array();
    for (const DecodedSchedule& s : w.schedules) {
      Json one;
      one["log_probability"] = w.fallback.empty() ? Json(s.log_probability) : Json(nullptr);
      one["times"] = s.times;
      one["defaults"] = s.defaults;
      if (list.measured) {
        const bool timed = s.measurement && s.measurement->timed();
        one["status"] = s.measurement ? Json(space::measure_status_name(s.measurement->status)) : Json(nullptr);
        one["median_ms"] = timed ? Json(s.measurement->median_ms) : Json(nullptr);
        one["ratio"] = timed ? Json(s.measurement->ratio) : Json(nullptr);
      }
      one["schedule"] = print(s.schedule);
      one["sentence"] = s.sentence;
      schedules.push_back(std::move(one));
    }
    item["schedules"] = std::move(schedules);
    workloads.push_back(std::move(item));
  }
  j["workloads"] = std::move(workloads);
  return j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string decoded_csv(const DecodedList& list) {
  std::string out = "name,workload,cores,rank,log_probability,times,defaults,";
  if (list.measured) out += "status,median_ms,ratio,";
  out += "schedule,sentence\n";
  for (const DecodedWorkload& w : list.workloads) {
    for (size_t i = 0; i < w.schedules.size(); ++i) {
      const DecodedSchedule& s = w.schedules[i];
      out += csv_cell(w.name) + "," + to_hex(w.hash) + "," + std::to_string(w.cores) + "," + std::to_string(i + 1) + "," +
             (w.fallback.empty() ? plain(s.log_probability) : "") + "," + std::to_string(s.times) + "," +
             std::to_string(s.defaults) + ",";
      if (list.measured) {
        const bool timed = s.measurement && s.measurement->timed();
        out += (s.measurement ? std::string(space::measure_status_name(s.measurement->status)) : "") + "," +
               (timed ? plain(s.measurement->median_ms) + "," + plain(s.measurement->ratio) : ",") + ",";
      }
      out += csv_cell(print(s.schedule)) + "," + csv_cell(s.sentence) + "\n";
    }
  }
  return out;
}

std::string decoded_svg(const DecodedList& list) {
  LinePlot plot;
  plot.title = list.decode + " on " + std::to_string(list.workloads.size()) + " workloads";
  PlotLine line;
  line.markers = true;
  if (list.measured) {
    plot.x_label = "schedules measured for each workload";
    plot.y_label = "times as fast as the constructive schedule";
    const std::vector<double> best = best_ratio_by_count(list);
    for (size_t k = 0; k < best.size(); ++k) line.points.emplace_back(static_cast<double>(k + 1), best[k]);
  } else {
    plot.x_label = "rank";
    plot.y_label = "log-probability, mean";
    for (size_t k = 0; k < most_schedules(list); ++k) {
      double sum = 0;
      int count = 0;
      for (const DecodedWorkload& w : list.workloads)
        if (w.fallback.empty() && k < w.schedules.size()) sum += w.schedules[k].log_probability, ++count;
      if (count) line.points.emplace_back(static_cast<double>(k + 1), sum / count);
    }
  }
  plot.lines = {line};
  return svg(plot);
}

}  // namespace tlm::tools
