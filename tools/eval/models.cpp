#include "tlm/tools/eval/models.h"

#include "tlm/core/file.h"
#include "tlm/core/hash.h"
#include "tlm/lm/checkpoint.h"
#include "tlm/lm/decoding/strategies.h"
#include "tlm/lm/lm_scheduler.h"

namespace tlm::eval {
namespace {

std::string fingerprint(const ModelChoice& c, const char* what) {
  Hasher h;
  h.text(what).text(c.decode).number(c.k).number(c.blind_target).number(static_cast<int64_t>(c.seed));
  for (const char* name : {"config.json", "language.json", "model.safetensors"}) {
    const std::shared_ptr<const MappedFile> file = MappedFile::open(c.folder / name);
    h.number(static_cast<int64_t>(hash_bytes(file->data(), file->size())));
  }
  return h.hex();
}

// Says what it had to leave to the constructive scheduler.
class ToldScheduler : public space::Scheduler {
 public:
  ToldScheduler(lm::LmScheduler model, Log log) : model_(std::move(model)), log_(std::move(log)) {}
  std::string name() const override { return model_.name(); }
  std::vector<std::vector<space::Schedule>> schedule(const std::vector<std::shared_ptr<const space::Space>>& spaces) override {
    std::vector<std::vector<space::Schedule>> out = model_.schedule(spaces);
    for (const std::string& f : model_.report().fallbacks) log_.warning(model_.name() + ": constructive schedule for " + f);
    return out;
  }

 private:
  lm::LmScheduler model_;
  Log log_;
};

Entrant entrant(const ModelChoice& c, lm::Weights weights, const char* what, const char* kind, Executor& executor,
                const Log& log) {
  lm::LanguageInfo info = lm::load_language(c.folder);
  using Blind = lm::PromptForm::Blind;
  if (c.blind_target) {
    Blind& blind = info.form.blind;
    blind = blind == Blind::kExtents || blind == Blind::kAll ? Blind::kAll : Blind::kTarget;
  }
  const auto model = std::make_shared<const lm::LanguageModel>(std::move(weights), std::move(info), c.name);
  const std::shared_ptr<const lm::Strategy> strategy =
      lm::standard_strategies().make(c.decode, c.k == 1 ? 0 : proposals_for(c.k));
  lm::DecodeOptions options;
  options.seed = c.seed;
  options.executor = &executor;
  const int schedules = proposals_for(c.k);
  return {c.name, kind, c.k, fingerprint(c, what), [=](const std::vector<Contender>&) {
            return std::make_unique<ToldScheduler>(lm::LmScheduler(model, strategy, options, schedules), log);
          }};
}

}  // namespace

Entrant model_entrant(const ModelChoice& choice, Executor& executor, const Log& log) {
  return entrant(choice, lm::load_checkpoint(choice.folder), "model", "model", executor, log);
}

Entrant untrained_entrant(const ModelChoice& choice, Executor& executor, const Log& log) {
  lm::Weights weights(lm::load_checkpoint(choice.folder).config());
  weights.initialize(choice.seed + 1);
  return entrant(choice, std::move(weights), "untrained", "rival", executor, log);
}

}  // namespace tlm::eval
