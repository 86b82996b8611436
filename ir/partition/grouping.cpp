#include "tlm/ir/partition/grouping.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>

#include "tlm/core/error.h"
#include "tlm/ir/passes/uses.h"

namespace tlm::ir {
namespace {

constexpr int kMaxStages = 12;

class Grouper {
 public:
  Grouper(const Graph& g, const std::vector<NodeFacts>& facts, const Placement& places)
      : g_(g),
        facts_(facts),
        uses_(g),
        order_(g.topological_order()),
        position_(g.nodes.size(), -1),
        group_of_(g.nodes.size(), -1) {
    for (size_t i = 0; i < order_.size(); ++i) {
      position_[index(order_[i])] = static_cast<int>(i);
      const NodeFacts& f = facts_[index(order_[i])];
      group_of_[index(order_[i])] = static_cast<int>(groups_.size());
      groups_.push_back(
          {{order_[i]}, f.stages, f.route == Route::kStages && f.stages > 0 && !places.free[index(order_[i])], f.pointwise});
    }
  }

  std::vector<Group> run(bool fuse) {
    if (fuse) {
      // Reducing nodes first, the later ones first: where two could take an addition, the one that runs last does.
      for (size_t i = groups_.size(); i-- > 0;) {
        if (groups_[i].stages_only && !groups_[i].pointwise) take_consumers(i);
      }
      for (size_t i = 0; i < groups_.size(); ++i) {
        if (groups_[i].stages_only && groups_[i].pointwise) take_consumers(i);
      }
      for (size_t i = groups_.size(); i-- > 0;) join_consumer(i);
    }
    return in_execution_order();
  }

 private:
  struct Draft {
    std::vector<NodeId> nodes;  // empty: merged into another
    int stages = 0;
    bool stages_only = false;  // may be joined with others
    bool pointwise = false;
  };

  static size_t index(NodeId n) { return static_cast<size_t>(n.index); }
  int group_of(NodeId n) const { return group_of_[index(n)]; }

  // `v`, made in the set, is read by no node outside of it, nor as an output of the graph.
  bool stays_inside(ValueId v, const std::set<NodeId>& set) const {
    if (uses_.is_output(v)) return false;
    const std::vector<NodeId>& readers = uses_.readers(v);
    return std::all_of(readers.begin(), readers.end(), [&](NodeId r) { return set.count(r) != 0; });
  }

  // `n` computes each point of its output from the same point of every value that it reads from the set.
  bool follows_pointwise(NodeId n, const std::set<NodeId>& set) const {
    const NodeFacts& f = facts_[index(n)];
    const Draft& own = groups_[static_cast<size_t>(group_of(n))];
    if (!f.aligned || !own.stages_only || own.nodes.size() != 1) return false;
    for (ValueId v : g_.node(n).inputs) {
      if (!v.valid() || !g_.value(v).producer.valid() || set.count(g_.value(v).producer) == 0) continue;
      if (std::find(f.aligned_inputs.begin(), f.aligned_inputs.end(), v) == f.aligned_inputs.end()) return false;
    }
    return true;
  }

  // All nodes of `added` but the last are read inside only, and so is what they read of the group.
  bool closed(const Draft& group, const std::vector<NodeId>& added, const std::set<NodeId>& set) const {
    for (size_t i = 0; i + 1 < added.size(); ++i) {
      for (ValueId v : g_.node(added[i]).outputs) {
        if (v.valid() && !stays_inside(v, set)) return false;
      }
    }
    for (NodeId n : group.nodes) {
      for (ValueId v : g_.node(n).outputs) {
        if (!v.valid()) continue;
        const std::vector<NodeId>& readers = uses_.readers(v);
        const bool read_by_added = std::any_of(readers.begin(), readers.end(),
                                               [&](NodeId r) { return std::find(added.begin(), added.end(), r) != added.end(); });
        if (read_by_added && !stays_inside(v, set)) return false;
      }
    }
    return true;
  }

  // An operand from outside that is itself computed from the group would close a cycle.
  bool makes_cycle(const std::vector<NodeId>& added, const std::set<NodeId>& set) const {
    int first = position_[index(*set.begin())];
    for (NodeId n : set) first = std::min(first, position_[index(n)]);
    std::vector<NodeId> stack;
    std::set<NodeId> seen;
    const auto push_operands = [&](NodeId n, bool from_set) {
      for (ValueId v : g_.node(n).inputs) {
        if (!v.valid() || !g_.value(v).producer.valid()) continue;
        const NodeId p = g_.value(v).producer;
        if (position_[index(p)] < first || (from_set && set.count(p)) || !seen.insert(p).second) continue;
        stack.push_back(p);
      }
    };
    for (NodeId n : added) push_operands(n, true);
    while (!stack.empty()) {
      const NodeId n = stack.back();
      stack.pop_back();
      // Groups run as a whole: what any node of the operand's group reads counts.
      for (NodeId member : groups_[static_cast<size_t>(group_of(n))].nodes) {
        if (set.count(member)) return true;
        push_operands(member, false);
      }
    }
    return false;
  }

  // The longest run of elementwise readers, in topological order, whose values stay inside up to the last one. So a diamond
  // (x·sigmoid(x)) is taken as a whole or not at all.
  void take_consumers(size_t i) {
    Draft& group = groups_[i];
    if (group.nodes.empty()) return;
    std::set<NodeId> set(group.nodes.begin(), group.nodes.end()), refused;
    std::vector<NodeId> added;
    size_t best = 0;
    int stages = group.stages;
    const auto by_position = [&](NodeId a, NodeId b) { return position_[index(a)] < position_[index(b)]; };
    std::set<NodeId, decltype(by_position)> candidates(by_position);
    const auto add_readers = [&](NodeId n) {
      for (ValueId v : g_.node(n).outputs) {
        if (!v.valid()) continue;
        for (NodeId r : uses_.readers(v)) {
          if (!set.count(r) && !refused.count(r)) candidates.insert(r);
        }
      }
    };
    for (NodeId n : group.nodes) add_readers(n);
    while (!candidates.empty()) {
      const NodeId n = *candidates.begin();
      candidates.erase(candidates.begin());
      if (stages + facts_[index(n)].stages > kMaxStages || !follows_pointwise(n, set)) {
        refused.insert(n);
        continue;
      }
      stages += facts_[index(n)].stages;
      set.insert(n);
      added.push_back(n);
      if (closed(group, added, set) && !makes_cycle(added, set)) best = added.size();
      add_readers(n);
    }
    for (size_t k = 0; k < best; ++k) merge(static_cast<size_t>(group_of(added[k])), i);
  }

  void merge(size_t from, size_t into) {
    Draft &a = groups_[from], &b = groups_[into];
    for (NodeId n : a.nodes) group_of_[index(n)] = static_cast<int>(into);
    b.nodes.insert(b.nodes.end(), a.nodes.begin(), a.nodes.end());
    b.stages += a.stages;
    b.pointwise &= a.pointwise;
    a = {};
  }

  // A pointwise group whose one result is read by one other group moves in with its reader, where it may be computed in place.
  void join_consumer(size_t i) {
    const Draft& group = groups_[i];
    if (!group.stages_only || !group.pointwise) return;
    const std::set<NodeId> set(group.nodes.begin(), group.nodes.end());
    int reader = -1;
    bool cheap = true;
    for (NodeId n : group.nodes) {
      const NodeFacts& f = facts_[index(n)];
      if (!f.single_writers) return;
      cheap &= f.cheap;
      for (ValueId v : g_.node(n).outputs) {
        if (!v.valid()) continue;
        if (uses_.is_output(v)) return;
        for (NodeId r : uses_.readers(v)) {
          if (set.count(r)) continue;
          if (reader >= 0 && reader != group_of(r)) return;
          reader = group_of(r);
        }
      }
    }
    if (reader < 0) return;
    const Draft& target = groups_[static_cast<size_t>(reader)];
    if (!target.stages_only || target.stages + group.stages > kMaxStages || (!cheap && !target.pointwise)) return;
    merge(i, static_cast<size_t>(reader));
  }

  // Operands first, following each node's inputs from the last nodes of the group.
  std::vector<NodeId> structural_order(const std::vector<NodeId>& nodes) const {
    const std::set<NodeId> set(nodes.begin(), nodes.end());
    std::vector<NodeId> sinks, result;
    for (NodeId n : nodes) {
      bool read_inside = false;
      for (ValueId v : g_.node(n).outputs) {
        if (!v.valid()) continue;
        for (NodeId r : uses_.readers(v)) read_inside |= set.count(r) != 0;
      }
      if (!read_inside) sinks.push_back(n);
    }
    std::sort(sinks.begin(), sinks.end(), [&](NodeId a, NodeId b) { return position_[index(a)] < position_[index(b)]; });
    std::set<NodeId> seen;
    const std::function<void(NodeId)> visit = [&](NodeId n) {
      if (!seen.insert(n).second) return;
      for (ValueId v : g_.node(n).inputs) {
        if (v.valid() && g_.value(v).producer.valid() && set.count(g_.value(v).producer)) visit(g_.value(v).producer);
      }
      result.push_back(n);
    };
    for (NodeId n : sinks) visit(n);
    return result;
  }

  // Kahn's algorithm over groups; of those that are ready, the one whose last node comes first in the graph.
  std::vector<Group> in_execution_order() const {
    std::vector<std::set<int>> followers(groups_.size());
    std::vector<int> missing(groups_.size(), 0), last(groups_.size(), -1);
    for (size_t i = 0; i < groups_.size(); ++i) {
      for (NodeId n : groups_[i].nodes) {
        last[i] = std::max(last[i], position_[index(n)]);
        for (ValueId v : g_.node(n).inputs) {
          if (!v.valid() || !g_.value(v).producer.valid()) continue;
          const int from = group_of(g_.value(v).producer);
          if (from != static_cast<int>(i) && followers[static_cast<size_t>(from)].insert(static_cast<int>(i)).second)
            ++missing[i];
        }
      }
    }
    const auto later = [&](int a, int b) { return last[static_cast<size_t>(a)] > last[static_cast<size_t>(b)]; };
    std::priority_queue<int, std::vector<int>, decltype(later)> ready(later);
    size_t alive = 0;
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i].nodes.empty()) continue;
      ++alive;
      if (missing[i] == 0) ready.push(static_cast<int>(i));
    }
    std::vector<Group> result;
    while (!ready.empty()) {
      const int i = ready.top();
      ready.pop();
      const Draft& draft = groups_[static_cast<size_t>(i)];
      Group group{structural_order(draft.nodes), {}};
      group.leader = group.nodes.back();
      for (NodeId n : group.nodes) {
        if (!facts_[index(n)].pointwise) group.leader = n;
      }
      result.push_back(std::move(group));
      for (int f : followers[static_cast<size_t>(i)]) {
        if (--missing[static_cast<size_t>(f)] == 0) ready.push(f);
      }
    }
    TLM_CHECK(result.size() == alive) << "groups depend on each other in a circle: " << result.size() << " of " << alive;
    return result;
  }

  const Graph& g_;
  const std::vector<NodeFacts>& facts_;
  const Uses uses_;
  const std::vector<NodeId> order_;
  std::vector<int> position_;  // by node, in order_
  std::vector<int> group_of_;  // by node
  std::vector<Draft> groups_;  // by position of the first node
};

}  // namespace

std::vector<Group> group_nodes(const Graph& g, const std::vector<NodeFacts>& facts, const Placement& places, bool fuse) {
  return Grouper(g, facts, places).run(fuse);
}

}  // namespace tlm::ir
