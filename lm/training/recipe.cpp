#include "tlm/lm/training/recipe.h"

#include <nlohmann/json.hpp>

#include "tlm/core/error.h"
#include "tlm/lm/language_model.h"

namespace tlm::lm {
namespace {

using Json = nlohmann::ordered_json;

// The fields under their JSON names: one list for writing and for reading.
template <typename R, typename F>
void for_each_field(R& r, F&& f) {
  f("records", r.records);
  f("lists", r.lists);
  f("layers", r.layers);
  f("heads", r.heads);
  f("width", r.width);
  f("context", r.context);
  f("epochs", r.epochs);
  f("steps", r.steps);
  f("time_s", r.time_s);
  f("rate", r.rate);
  f("warm_up", r.warm_up);
  f("last_rate", r.last_rate);
  f("weight_decay", r.weight_decay);
  f("clip", r.clip);
  f("seed", r.seed);
  f("quality", r.quality);
  f("buckets", r.buckets);
  f("enough", r.enough);
  f("best", r.best);
  f("tie", r.tie);
  f("soft", r.soft);
  f("growth", r.growth);
  f("branches", r.branches);
  f("batch", r.batch);
  f("balance", r.balance);
  f("unknown_target", r.unknown_target);
  f("withheld", r.withheld);
  f("loss", r.loss);
  f("pretrain", r.pretrain);
  f("pretrain_epochs", r.pretrain_epochs);
  f("taught", r.taught);
  f("blind", r.blind);
  f("numbers", r.numbers);
  f("fraction", r.fraction);
  f("leave_out_kinds", r.leave_out_kinds);
  f("leave_out_variants", r.leave_out_variants);
}

Json to_json(const Recipe& recipe) {
  Json j;
  for_each_field(recipe, [&](const char* key, const auto& value) { j[key] = value; });
  return j;
}

[[noreturn]] void refuse(const std::string& what, const std::string& hint = {}) {
  throw Error(ErrorCode::kUsage, what, "settings of the training", hint);
}

}  // namespace

PromptForm Recipe::form() const { return {parse_blind(blind), parse_numbers(numbers)}; }

PackingOptions Recipe::packing() const {
  PackingOptions p;
  p.quality = parse_quality_mode(quality);
  p.scale = {static_cast<int>(buckets), tie, growth};
  p.enough = static_cast<int>(enough);
  p.best = static_cast<int>(best);
  p.soft = soft;
  p.branches = static_cast<int>(branches);
  p.tokens = batch;
  p.balance = balance;
  p.unknown_target = unknown_target;
  p.withheld = withheld;
  p.legal_loss = loss == "legal";
  return p;
}

AdamWOptions Recipe::adamw() const { return {.weight_decay = static_cast<float>(weight_decay)}; }

Config Recipe::config(int64_t vocabulary) const {
  return {.layers = layers, .heads = heads, .width = width, .inner = 4 * width, .context = context, .vocabulary = vocabulary};
}

int Recipe::quality_buckets() const { return parse_quality_mode(quality) == QualityMode::kBest ? 0 : static_cast<int>(buckets); }

void set_size(Recipe& r, const std::string& name) {
  if (name == "small") {
    r.layers = 4, r.heads = 4, r.width = 128;
  } else if (name == "base") {
    r.layers = 4, r.heads = 6, r.width = 192;
  } else {
    refuse("no size is called '" + name + "'", "small or base, or --layers, --heads, --width");
  }
}

void check(const Recipe& r) {
  const auto share = [](const char* name, double v) {
    if (!(v >= 0 && v <= 1)) refuse(std::string(name) + " must be from 0 to 1");
  };
  share("warm_up", r.warm_up), share("last_rate", r.last_rate), share("balance", r.balance);
  share("unknown_target", r.unknown_target), share("withheld", r.withheld), share("fraction", r.fraction);
  if (r.loss != "legal" && r.loss != "all") refuse("no loss is called '" + r.loss + "'", "legal or all");
  if (r.width % std::max<int64_t>(r.heads, 1) != 0)
    refuse("a width of " + std::to_string(r.width) + " cannot be shared by " + std::to_string(r.heads) + " heads");
  if (r.buckets < 2 || r.buckets > kMostQualityBuckets)
    refuse("there are 2 to " + std::to_string(kMostQualityBuckets) + " qualities");
  if (!(r.tie > 0) || !(r.growth >= 1)) refuse("the tie set must have a width, and no bucket may be narrower");
  if (!(r.rate > 0)) refuse("the rate must be positive");
  if (!(r.clip > 0)) refuse("the largest norm must be positive");
  if (r.steps < 0 && r.time_s == 0 && !(r.epochs > 0)) refuse("epochs must be positive");
  if (r.branches < 1 || r.batch < 1) refuse("branches and tokens of a batch must be positive");
  r.form(), r.packing();  // names
}

std::string print_recipe(const Recipe& recipe) { return to_json(recipe).dump(1); }

Recipe parse_recipe(std::string_view text, const std::string& where) {
  Recipe r;
  try {
    const Json j = Json::parse(text);
    for_each_field(r, [&](const char* key, auto& value) { j.at(key).get_to(value); });
  } catch (const nlohmann::json::exception& e) {
    throw Error(ErrorCode::kBadModel, std::string("not the settings of a training: ") + e.what(), where);
  }
  return r;
}

std::vector<std::string> differences(const Recipe& a, const Recipe& b) {
  const Json x = to_json(a), y = to_json(b);
  std::vector<std::string> names;
  for (const auto& [key, value] : x.items())
    if (key != "records" && key != "lists" && y.at(key) != value) names.push_back(key);
  return names;
}

}  // namespace tlm::lm
