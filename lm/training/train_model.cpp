#include "tlm/lm/training/train_model.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/hash.h"
#include "tlm/core/rng.h"
#include "tlm/core/stopwatch.h"
#include "tlm/lm/language_model.h"
#include "tlm/lm/training/model_card.h"
#include "tlm/lm/training/teacher.h"
#include "tlm/lm/training/trainer.h"
#include "tlm/lm/training/training_state.h"

namespace tlm::lm {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr size_t kLargestFile = 1 << 22;
constexpr const char* kFile = "training.json";
constexpr size_t kTaughtPrograms = 4;  // of each shape

// What a training was begun with: settings, and what followed from data and machine.
struct Plan {
  Recipe recipe;
  int64_t pretraining_steps = 0, steps = 0;
  uint64_t data = 0;  // fingerprint
  std::string command;

  uint64_t identity() const {
    Recipe r = recipe;
    r.records.clear(), r.lists.clear();
    return Hasher().text(print_recipe(r)).number(pretraining_steps).number(steps).number(static_cast<int64_t>(data)).value();
  }
};

std::optional<Plan> load_plan(const fs::path& folder) {
  const fs::path file = folder / kFile;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::nullopt;
  try {
    const Json j = Json::parse(read_file(file, kLargestFile));
    Plan p;
    p.recipe = parse_recipe(j.at("settings").dump(), file.string());
    p.pretraining_steps = j.at("pretraining_steps").get<int64_t>();
    p.steps = j.at("steps").get<int64_t>();
    p.data = std::stoull(j.at("data").get<std::string>(), nullptr, 16);
    p.command = j.at("command").get<std::string>();
    return p;
  } catch (const nlohmann::json::exception& e) {
    throw Error(ErrorCode::kBadModel, std::string("not the plan of a training: ") + e.what(), file.string());
  } catch (const std::logic_error&) {
    throw Error(ErrorCode::kBadModel, "not the plan of a training: data", file.string());
  }
}

void save_plan(const fs::path& folder, const Plan& p) {
  Json j;
  j["settings"] = Json::parse(print_recipe(p.recipe));
  j["pretraining_steps"] = p.pretraining_steps;
  j["steps"] = p.steps;
  j["data"] = to_hex(p.data);
  j["command"] = p.command;
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) throw Error(ErrorCode::kEnvironment, "cannot make the folder: " + failure.message(), folder.string());
  write_file_atomic(folder / kFile, j.dump(1) + "\n");
}

// Refuses what would be mixed up: a folder in use, other settings, other data.
void check_folder(const std::optional<Plan>& begun, const TrainModelOptions& options) {
  if (!begun) return;
  if (!options.resume)
    throw Error(ErrorCode::kUsage, "the folder holds a training", options.folder.string(),
                "--resume goes on with it; or take another folder");
  const auto names = differences(begun->recipe, options.recipe);
  if (names.empty()) return;
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  throw Error(ErrorCode::kUsage, "the training was begun with other settings: " + list, options.folder.string(),
              "`tlm train --resume --out FOLDER` alone takes those that it was begun with");
}

// Of what the training itself may learn from, as it stands in the labels.
Teacher teacher_of(std::vector<LabelledWorkload> workloads, const DatasetOptions& options, Executor& executor) {
  return Teacher(measured_workloads(std::move(workloads),
                                    [&](const ir::Subgraph& g, const Target& t) {
                                      return std::string(may_learn(g, t, options) ? "" : "is not learned from");
                                    }),
                 executor);
}

// Steps of both phases, by what the recipe says.
void set_steps(Plan& plan, std::vector<Phase>& phases, const Weights& weights, const Dataset& dev, const TrainerOptions& trainer,
               Executor& executor, const Log& log) {
  const Recipe& r = plan.recipe;
  Phase& main = phases.back();
  if (phases.size() > 1)
    phases[0].steps = plan.pretraining_steps =
        steps_of_epochs(*phases[0].data, phases[0].packing, phases[0].seed, r.pretrain_epochs);
  if (r.time_s > 0) {
    double left = 0.98 * r.time_s;  // some for states
    if (!dev.groups.empty()) {
      const Stopwatch time;
      validate(weights, dev, main.packing, trainer.validation, executor);
      left -= trainer.validations * time.seconds();
    }
    if (phases.size() > 1) left -= static_cast<double>(phases[0].steps) * measure_step(weights, phases[0], executor);
    const double step = measure_step(weights, main, executor);
    plan.steps = std::max<int64_t>(1, static_cast<int64_t>(left / step));
    log.info("a step takes " + std::to_string(step) + " s: " + std::to_string(plan.steps) + " steps");
  } else {
    plan.steps = r.steps >= 0 ? r.steps : steps_of_epochs(*main.data, main.packing, main.seed, r.epochs);
  }
  main.steps = plan.steps;
}

// What is learned from, and what judges.
struct Material {
  Datasets sets;
  Dataset unmeasured;  // for pretraining
  int64_t taught_programs = 0;

  uint64_t fingerprint() const {
    return Hasher()
        .number(static_cast<int64_t>(sets.train.fingerprint()))
        .number(static_cast<int64_t>(unmeasured.fingerprint()))
        .value();
  }
};

DatasetOptions dataset_options(const TrainModelOptions& options) {
  const Recipe& r = options.recipe;
  DatasetOptions data = options.data;
  data.form = r.form();
  data.context = r.context;
  data.fraction = r.fraction;
  data.leave_out_kinds = r.leave_out_kinds;
  data.leave_out_variants = r.leave_out_variants;
  return data;
}

Material gather(std::vector<LabelledWorkload> workloads, const TrainModelOptions& options, Executor& executor,
                Progress& progress) {
  const Recipe& r = options.recipe;
  const DatasetOptions data = dataset_options(options);
  std::optional<Teacher> teacher;
  if (!r.untrained() && r.taught > 0) teacher.emplace(teacher_of(workloads, data, executor));
  Material m;
  m.sets = make_datasets(std::move(workloads), data, executor, options.cancel, progress);
  if (r.untrained()) return m;
  const DatasetCounts& counts = m.sets.train_counts;
  if (m.sets.train.groups.empty())
    throw Error(ErrorCode::kUsage, "the records hold no program to learn from", options.folder.string(),
                std::to_string(counts.refused) + " schedules are not in the space of today, " + std::to_string(counts.held_out) +
                    " programs are held out, " + std::to_string(counts.too_long) + " sentences are too long, " +
                    std::to_string(m.sets.dev_counts.programs) + " programs belong to dev");
  const SpaceSource shapes = [&](int64_t i) -> std::shared_ptr<const space::Space> {
    TLM_CHECK(options.unmeasured != nullptr);
    auto space = options.unmeasured(i);
    return space && may_learn(space->subgraph(), space->target(), data) ? space : nullptr;
  };
  if (r.pretrain > 0)
    m.unmeasured = constructive_sentences(shapes, r.pretrain, r.form(), r.context, executor, options.cancel, progress);
  if (teacher) {
    Dataset taught =
        taught_sentences(shapes, r.taught, kTaughtPrograms, *teacher, r.form(), r.context, executor, options.cancel, progress);
    m.taught_programs = taught.programs();
    m.sets.train.add(std::move(taught));
  }
  return m;
}

// Their steps are not known yet.
std::vector<Phase> phases_of(const TrainModelOptions& options, const Material& m) {
  const Recipe& r = options.recipe;
  const Rng seeds(r.seed);
  std::vector<Phase> phases;
  if (!m.unmeasured.groups.empty()) {
    phases.push_back({"pretraining", &m.unmeasured, r.packing(), r.learning_rate(), seeds.split(1).next(), 0});
    phases[0].packing.enough = 1;
    phases[0].packing.any_quality = true;  // one program of each, of unknown quality
  }
  phases.push_back({"training", &m.sets.train, r.packing(), r.learning_rate(), seeds.split(2).next(), 0});
  const Phase& main = phases.back();
  if (!r.untrained() && plan_epoch(*main.data, main.packing, main.seed, 0).empty())
    throw Error(ErrorCode::kUsage, "no workload has enough programs to know its best", options.folder.string(),
                "more measurements of each, a smaller --enough, or --quality token");
  return phases;
}

}  // namespace

std::optional<Recipe> recipe_of(const fs::path& folder) {
  const auto plan = load_plan(folder);
  if (!plan) return std::nullopt;
  return plan->recipe;
}

TrainedModel train_model(std::vector<LabelledWorkload> workloads, const LabelCounts& counts, const TrainModelOptions& options,
                         Executor& executor, Progress& progress) {
  const Recipe& r = options.recipe;
  check(r);
  const std::optional<Plan> begun = load_plan(options.folder);
  check_folder(begun, options);
  if (!begun && last_training_state(options.folder))
    throw Error(ErrorCode::kUsage, "the folder holds states of a training but no training.json", options.folder.string(),
                "take another folder");

  const LanguageInfo language = standard_language(r.form(), r.quality_buckets());
  Weights weights(r.config(static_cast<int64_t>(language.words.size())));
  weights.initialize(r.seed);

  const Material material = gather(std::move(workloads), options, executor, progress);
  std::vector<Phase> phases = phases_of(options, material);
  const Dataset& dev = material.sets.dev;
  Plan plan{r, 0, 0, material.fingerprint(), options.command};
  TrainerOptions trainer;
  trainer.validations = options.validations;
  if (begun) {
    if (begun->data != plan.data)
      throw Error(ErrorCode::kUsage, "the records are not those that the training was begun with", options.folder.string(),
                  "train anew in another folder");
    plan = *begun;
    phases.back().steps = plan.steps;
    if (phases.size() > 1) phases[0].steps = plan.pretraining_steps;
  } else {
    if (!r.untrained()) set_steps(plan, phases, weights, dev, trainer, executor, options.log);
    save_plan(options.folder, plan);
  }

  trainer.adamw = r.adamw();
  trainer.clip = r.clip;
  trainer.identity = plan.identity();
  trainer.checkpoint_seconds = options.checkpoint_seconds;
  trainer.checkpoint_steps = options.checkpoint_steps;
  trainer.folder = options.folder;
  trainer.cancel = options.cancel;
  train(weights, language, phases, dev, trainer, executor, progress);

  TrainedModel out;
  for (const WeightInfo& info : weights.table()) out.parameters += static_cast<int64_t>(info.count);
  out.steps = plan.steps, out.pretraining_steps = plan.pretraining_steps;
  out.train = material.sets.train_counts, out.dev = material.sets.dev_counts;
  out.pretraining_sentences = material.unmeasured.programs();
  out.taught_sentences = material.taught_programs;
  out.metrics = read_metrics(options.folder / "metrics.jsonl");
  save_language_model(options.folder, weights, language);
  write_file_atomic(options.folder / "MODEL_CARD.md", model_card(out, material.sets, counts, plan.recipe, plan.command));
  return out;
}

}  // namespace tlm::lm
