#include "tlm/tools/engine/schedulers.h"

#include "tlm/codegen/measure/measurer.h"
#include "tlm/core/error.h"
#include "tlm/core/thread_pool.h"
#include "tlm/tools/engine/engine.h"
#include "tlm/tools/engine/pretrained.h"

namespace tlm {

std::vector<std::string> scheduler_names() { return {"default", "lm", "constructive", "random", "search"}; }

std::string resolved_scheduler(const EngineOptions& options) {
  std::string names;
  for (const std::string& n : scheduler_names()) {
    if (n == options.scheduler && n != "default") return n;
    names += (names.empty() ? "" : ", ") + n;
  }
  if (options.scheduler != "default")
    throw Error(ErrorCode::kUsage, "no scheduler is called '" + options.scheduler + "'", "", "choose one of: " + names);
  const bool has_model = options.lm.loaded || !options.lm.model.empty() || pretrained_model();
  return has_model ? "lm" : "constructive";  // <- the default scheduler
}

std::string resolved_decode(const LmSettings& settings, int schedules) {
  return !settings.decode.empty() ? settings.decode : schedules > 1 ? "gumbel" : "greedy";
}

std::shared_ptr<const lm::LanguageModel> language_model(const LmSettings& settings) {
  if (settings.loaded) return settings.loaded;
  if (!settings.model.empty()) return std::make_shared<const lm::LanguageModel>(lm::LanguageModel::load(settings.model));
  if (auto pretrained = pretrained_model()) return pretrained;
  throw Error(ErrorCode::kUsage, "no weights of a language model are built into this engine", "",
              "name a checkpoint's folder (--model FOLDER), or take another scheduler");
}

std::unique_ptr<space::Scheduler> make_scheduler(const EngineOptions& options, int schedules) {
  const std::string name = resolved_scheduler(options);
  if (name == "constructive" || name == "search") return space::make_constructive_scheduler();
  if (name == "random") return space::make_random_scheduler(options.seed);
  TLM_CHECK(name == "lm") << name;
  lm::DecodeOptions decode;
  decode.seed = options.seed;
  decode.executor = options.jobs == 1 ? &serial_executor() : &shared_thread_pool();
  decode.cancel = options.cancel;
  decode.progress = options.progress;
  std::shared_ptr<const lm::Strategy> strategy =
      options.lm.strategies.make(resolved_decode(options.lm, schedules), schedules > 1 ? schedules : 0);
  if (strategy->measures()) decode.measurer = engine_measurer(options);
  return std::make_unique<lm::LmScheduler>(language_model(options.lm), std::move(strategy), std::move(decode), schedules);
}

std::optional<LmUse> lm_use(const space::Scheduler& scheduler, const std::string& decode) {
  const auto* lm = dynamic_cast<const lm::LmScheduler*>(&scheduler);
  if (!lm) return std::nullopt;
  return LmUse{lm->model().name(), decode, 0, lm->report()};
}

void tell_taken(space::Scheduler& scheduler, const std::vector<space::Schedule>& schedules) {
  if (auto* lm = dynamic_cast<lm::LmScheduler*>(&scheduler)) lm->tell_taken(schedules);
}

std::shared_ptr<space::Measurer> engine_measurer(const EngineOptions& options) {
  if (options.search.measurer) return options.search.measurer;
  codegen::MeasureOptions measure;
  measure.jobs = options.jobs;
  measure.c_compiler = options.c_compiler;
  measure.log = options.log;
  return codegen::make_measurer(std::move(measure));
}

}  // namespace tlm
