#include "tlm/tools/eval/entrants.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/hash.h"
#include "tlm/space/records/record.h"
#include "tlm/tools/eval/rivals/rivals.h"
#include "tlm/tools/eval/rivals/training_files.h"

namespace tlm::eval {
namespace {

std::string with_k(const std::string& name, int k) { return k == 1 ? name : name + " k=" + std::to_string(k); }

// What rivals have learned, once it is asked for: proposals that are there already need none of it.
class Learned {
 public:
  Learned(const EntrantOptions& options, Executor& executor, Log log)
      : options_(options), executor_(executor), log_(std::move(log)) {}

  TrainingSet training() {
    if (!training_)
      training_ = std::make_shared<const std::vector<TrainingWorkload>>(read_training(options_.training, options_.lists, log_));
    return training_;
  }
  std::shared_ptr<const space::CostModel> cost_model() {
    constexpr size_t kMostRows = 60000;
    if (!cost_model_) cost_model_ = fit_cost_model(*training(), kMostRows, executor_);
    return cost_model_;
  }

 private:
  const EntrantOptions options_;
  Executor& executor_;
  Log log_;
  TrainingSet training_;
  std::shared_ptr<const space::CostModel> cost_model_;
};

double mean_seconds(const std::vector<Contender>& before, const std::string& name) {
  for (const Contender& c : before)
    if (c.name == name && !c.seconds.empty())
      return std::accumulate(c.seconds.begin(), c.seconds.end(), 0.0) / static_cast<double>(c.seconds.size());
  TLM_CHECK(false) << name << " has proposed nothing yet";
  return 0;
}

class Entrants {
 public:
  Entrants(const EntrantOptions& options, Executor& executor, const Log& log)
      : o_(options), executor_(executor), log_(log), learned_(std::make_shared<Learned>(options, executor, log)) {}

  std::vector<Entrant> make() {
    for (const ModelChoice& m : o_.models) {
      for (const std::string& d : o_.decode) add_model(m, d, 1, false);
      for (const std::string& d : o_.decode_k) add_model(m, d, o_.k, false);
      if (o_.blind_target) add_model(m, o_.decode[0], 1, true);
    }
    if (!o_.rivals) return std::move(all_);
    for (const int k : {1, o_.k}) {
      if (k == 1 || !o_.decode_k.empty()) add_rivals(k);
      if (o_.k == 1) break;
    }
    return std::move(all_);
  }

 private:
  void add_model(ModelChoice m, const std::string& decode, int k, bool blind) {
    const std::vector<std::string>& usual = k == 1 ? o_.decode : o_.decode_k;
    m.decode = decode;
    m.k = k;
    m.blind_target = blind;
    m.seed = o_.seed;
    if (usual.size() > 1) m.name += " " + decode;
    if (blind) m.name += " target unknown";
    m.name = with_k(m.name, k);
    all_.push_back(model_entrant(m, executor_, log_));
    std::string& first = first_[k];
    if (first.empty()) first = m.name, fingerprint_[k] = all_.back().fingerprint;
  }

  void add(const std::string& name, int k, const std::string& knows,
           std::function<std::unique_ptr<space::Scheduler>(const std::vector<Contender>&)> make) {
    Hasher h;
    h.text("rival 2").text(name).number(k).number(static_cast<int64_t>(o_.seed)).text(knows);
    all_.push_back({with_k(name, k), "rival", k, h.hex(), std::move(make)});
  }

  void add_rivals(int k) {
    const int n = proposals_for(k);
    const uint64_t seed = o_.seed;
    add("constructive", k, "", [n](const auto&) { return make_constructive_rival(n); });
    add("random", k, "", [n, seed](const auto&) { return make_random_rival(n, seed); });
    if (!o_.models.empty()) {
      ModelChoice untrained = o_.models[0];
      untrained.name = with_k("untrained", k);
      untrained.k = k;
      untrained.decode = k == 1 ? o_.decode[0] : o_.decode_k[0];
      untrained.seed = seed;
      all_.push_back(untrained_entrant(untrained, executor_, log_));
    }
    if (o_.training.empty()) {
      if (k == 1) log_.warning("no records to learn from (--training): nearest, n-gram and cost model do not race");
      return;
    }
    const std::string records = training_fingerprint(o_.training);
    const auto learned = learned_;
    Executor& executor = executor_;
    add("nearest", k, records, [=](const auto&) { return make_nearest_rival(learned->training(), n); });
    add("n-gram", k, records,
        [=, &executor](const auto&) { return make_ngram_rival(learned->training(), n, seed, 6, executor); });
    for (const int factor : {1, 10}) {
      const std::string model = first_[k];
      add(factor == 1 ? "cost model" : "cost model, 10 × time", k, records + fingerprint_[k],
          [=, &executor](const std::vector<Contender>& before) {
            CostModelBudget budget;
            constexpr int kSamples = 100;  // without a model to race with
            if (model.empty()) budget.samples = kSamples * factor;
            if (!model.empty()) budget.seconds = factor * mean_seconds(before, model);
            return make_cost_model_rival(learned->cost_model(), budget, n, seed, executor);
          });
    }
  }

  const EntrantOptions o_;
  Executor& executor_;
  const Log& log_;
  std::shared_ptr<Learned> learned_;
  std::vector<Entrant> all_;
  std::map<int, std::string> first_, fingerprint_;  // the first model, by k
};

}  // namespace

space::Schedule checked(const space::Space& space, const space::Schedule& s, const std::string& name, const std::string& where) {
  const Result<space::Walk> walk = space.replay(s);
  if (!walk)
    throw Error(ErrorCode::kUsage, "the reference of '" + name + "' is no schedule of today's space: " + walk.reason(), where,
                "make it anew");
  return walk->schedule();
}

std::vector<Entrant> make_entrants(const EntrantOptions& options, Executor& executor, const Log& log) {
  return Entrants(options, executor, log).make();
}

std::vector<Contender> reference_contenders(const std::vector<Reference>& references, const std::vector<EvalWorkload>& list,
                                            const Target& machine, const std::string& where) {
  std::vector<Contender> prefixes;
  Contender whole;
  for (const EvalWorkload& w : list) {
    const uint64_t target = space::target_hash(target_of(w, machine));
    const auto r = std::find_if(references.begin(), references.end(),
                                [&](const Reference& x) { return x.workload == w.hash && x.target == target; });
    if (r == references.end())
      throw Error(ErrorCode::kUsage, "the workload '" + w.name + "' has no reference on this machine", where,
                  "make it by `tlm eval --reference`, or race without one: --against none");
    const auto space = space_of(w, machine);
    TLM_CHECK(!r->after.empty());
    if (whole.name.empty()) {
      for (const ReferencePrefix& p : r->after) prefixes.push_back({"search-" + std::to_string(p.trials), "search", 1, {}, {}});
      whole = prefixes.back();
      whole.k = 3;
      prefixes.pop_back();
    }
    for (size_t i = 0; i + 1 < r->after.size(); ++i) {
      prefixes[i].picks.push_back({checked(*space, r->after[i].best.schedule, w.name, where)});
      prefixes[i].seconds.push_back(r->after[i].seconds);
    }
    whole.picks.emplace_back();
    for (const ReferenceSchedule& s : r->top) whole.picks.back().push_back(checked(*space, s.schedule, w.name, where));
    if (whole.picks.back().empty()) whole.picks.back().push_back(checked(*space, {}, w.name, where));
    whole.seconds.push_back(r->seconds);
  }
  prefixes.push_back(std::move(whole));
  return prefixes;
}

}  // namespace tlm::eval
