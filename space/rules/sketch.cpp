#include "tlm/space/rules/sketch.h"

#include <algorithm>

#include "tlm/core/error.h"
#include "tlm/space/rules/algorithm.h"
#include "tlm/space/rules/rule.h"

namespace tlm::space {
namespace {

// The plan of a nest before any decision: scalar, no tile, natural order, serial.
NestPlan neutral_nest(const ir::Stage& s, int stage) {
  NestPlan n;
  n.stage = stage;
  n.axes.resize(s.axes.size());
  for (size_t a = 0; a < s.axes.size(); ++a) {
    if (s.axes[a].kind == ir::AxisKind::kSpatial) n.inner_order.push_back(static_cast<int>(a));
    if (s.axes[a].kind == ir::AxisKind::kReduce) n.reduce_order.push_back(static_cast<int>(a));
  }
  return n;
}

void begin_nest(const Context& c, Sketch& s) {
  s.rule = s.item = 0;
  s.info.reset();
  if (s.nest >= static_cast<int>(s.plan.nests.size())) return;
  s.info = nest_info(c, s, s.nest);
}

void attachments_complete(const Context& c, Sketch& s) {
  for (int root : execution_order(s)) {
    NestPlan n = neutral_nest(c.g.stages[root], root);
    for (size_t e = 0; e < s.host.size(); ++e) {
      if (s.host[e] == root && static_cast<int>(e) != root) n.epilogue.push_back(static_cast<int>(e));
    }
    s.plan.nests.push_back(std::move(n));
  }
  s.infos = std::make_shared<NestInfos>();
  s.infos->of.resize(s.plan.nests.size());
  s.nest = 0;
  begin_nest(c, s);
}

std::string item_name(const Context& c, DecisionKind kind, int stage, int item) {
  std::string name = std::string(kind_name(kind)) + ".s" + std::to_string(stage);
  if (kind == DecisionKind::kTile || kind == DecisionKind::kTail) name += "." + axis_names(c.g.stages[stage])[item];
  return name;
}

// All algorithms are chosen: the stages are known.
void begin_attachments(const Context& c, Sketch& s) {
  s.plan.attach.assign(c.g.stages.size(), Attach::kRoot);
  s.plan.packed.resize(c.g.tensors.size());
  s.host.assign(c.g.stages.size(), -1);
  s.after.resize(c.g.stages.size());
}

}  // namespace

std::shared_ptr<const NestInfo> nest_info(const Context& c, const Sketch& s, int nest) {
  std::shared_ptr<const NestInfo>& known = s.infos->of.at(static_cast<size_t>(nest));
  {
    const std::lock_guard lock(s.infos->mutex);
    if (known) return known;
  }
  const NestPlan& n = s.plan.nests[static_cast<size_t>(nest)];
  auto info = std::make_shared<const NestInfo>(analyse_nest(c.g, s.plan.attach, n.stage, n.epilogue));
  const std::lock_guard lock(s.infos->mutex);
  if (!known) known = std::move(info);
  return known;
}

Sketch initial_sketch(const Context& c) {
  Sketch s;
  s.algorithm = static_cast<int>(c.g.stages.size()) - 1;
  return s;
}

std::optional<Decision> next_decision(const Context& c, Sketch& s) {
  Decision d;
  for (;;) {
    if (s.algorithm < 0 && s.host.empty()) begin_attachments(c, s);
    if (s.algorithm < 0 && s.nest < 0 && s.attached == static_cast<int>(c.g.stages.size())) attachments_complete(c, s);
    if (s.algorithm >= 0) {
      d.kind = DecisionKind::kAlgorithm;
      d.stage = s.algorithm;
      d.candidates = algorithm_candidates(c, s.algorithm);
    } else if (s.nest < 0) {
      d.kind = DecisionKind::kAttach;
      d.stage = s.attached;
      d.candidates = attach_candidates(c, s, s.attached);
    } else {
      if (s.nest == static_cast<int>(s.plan.nests.size())) return std::nullopt;
      const std::vector<Rule>& rules = nest_rules();
      if (s.rule == static_cast<int>(rules.size())) {
        ++s.nest;
        begin_nest(c, s);
        continue;
      }
      const Rule& rule = rules[s.rule];
      if (s.item == rule.items(c, s)) {
        ++s.rule;
        s.item = 0;
        continue;
      }
      d.kind = rule.kind;
      d.stage = nest_plan(s).stage;
      d.item = s.item;
      d.candidates = rule.candidates(c, s, s.item);
    }
    TLM_CHECK(!d.candidates.empty()) << kind_name(d.kind) << " of stage " << d.stage << " has no candidate";
    if (d.candidates.size() > 1) break;
    take(c, s, d.candidates[0]);
  }
  if (d.kind == DecisionKind::kAlgorithm) d.facts = algorithm_facts(c, d.stage);
  if (d.kind == DecisionKind::kAttach) d.facts = attach_facts(c, d.stage);
  if (const auto facts = s.nest < 0 ? nullptr : nest_rules()[s.rule].facts) d.facts = facts(c, s, s.item);
  d.name = item_name(c, d.kind, d.stage, d.item);
  if (d.kind == DecisionKind::kPack) {
    d.item = s.info->loads[d.item].tensor;
    d.name += ".t" + std::to_string(d.item);
  }
  if (d.kind != DecisionKind::kPack && d.kind != DecisionKind::kTile && d.kind != DecisionKind::kTail) d.item = -1;
  return d;
}

std::vector<int64_t> consequences(const Context& c, const Sketch& s, const Choice& choice) {
  const auto of = s.algorithm >= 0 || s.nest < 0 ? nullptr : nest_rules()[s.rule].consequences;
  return of ? of(c, s, s.item, choice) : std::vector<int64_t>();
}

void take(const Context& c, Sketch& s, const Choice& choice) {
  if (s.algorithm >= 0) {
    if (choice.at(0) != 0) s.subgraph = std::make_shared<const ir::Subgraph>(apply_algorithm(c, s.algorithm, choice));
    --s.algorithm;
    return;
  }
  if (s.nest < 0) {
    attach_apply(c, s, s.attached, static_cast<Attach>(choice.at(0)));
    ++s.attached;
    return;
  }
  nest_rules()[s.rule].apply(c, s, s.item, choice);
  ++s.item;
}

const std::vector<Rule>& nest_rules() {
  static const std::vector<Rule> rules = {micro_rule(), unroll_rule(), reduce_rule(),   tile_rule(), tail_rule(),
                                          order_rule(), inner_rule(),  parallel_rule(), pack_rule(), prefetch_rule()};
  return rules;
}

}  // namespace tlm::space
