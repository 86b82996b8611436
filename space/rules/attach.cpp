// Where each stage is computed: a nest of its own, inlined into its readers, or on the accumulators of a producer's nest.
#include <algorithm>
#include <unordered_map>

#include "tlm/core/error.h"
#include "tlm/space/rules/rule.h"
#include "tlm/space/rules/scale.h"

namespace tlm::space {
namespace {

using ir::Expr;

// An inlined expression is repeated at each load: the bound keeps bodies small however stages chain.
constexpr int kMaxInlinedNodes = 256;

// Nodes of the expression written out as a tree (shared parts count each time), at most kMaxInlinedNodes + 1.
int written_nodes(const Expr& e, std::unordered_map<const ir::ExprNode*, int>& known) {
  if (auto it = known.find(e.get()); it != known.end()) return it->second;
  int count = 1;
  for (const Expr& a : e->args) count = std::min(count + written_nodes(a, known), kMaxInlinedNodes + 1);
  return known[e.get()] = count;
}

int written_nodes(const ir::Stage& s) {
  std::unordered_map<const ir::ExprNode*, int> known;
  int count = 0;
  for (const Expr& e : s.body) count += written_nodes(e, known);
  for (const Expr& e : s.result) count += written_nodes(e, known);
  return count;
}

bool is_pointwise(const ir::Stage& s) { return s.combiner.kind == ir::CombinerKind::kNone; }

// Every output is internal, has this one writer and some reader, and each of its elements is the value at the axes that its index
// names.
bool can_inline(const ir::Subgraph& g, int stage) {
  const ir::Stage& s = g.stages[stage];
  if (!is_pointwise(s)) return false;
  for (const ir::StageOutput& o : s.outputs) {
    if (g.tensors[o.tensor].role != ir::TensorRole::kInternal) return false;
    if (g.writers(o.tensor).size() != 1) return false;
    const auto same = [&](const ir::StageOutput& other) { return other.tensor == o.tensor; };
    if (std::count_if(s.outputs.begin(), s.outputs.end(), same) > 1) return false;  // which one a load reads depends on its index
    for (const Expr& index : o.indices) {
      auto affine = ir::as_affine(index, static_cast<int>(s.axes.size()));
      if (!affine) return false;
      for (int64_t coef : affine->coef) {
        if (coef != 0 && coef != 1) return false;
      }
    }
    if (g.readers(o.tensor).empty()) return false;
  }
  return true;
}

// Roots whose nests must run before a stage that loads `tensors`.
std::vector<int> nests_before(const Context& c, const Sketch& s, const std::vector<int>& tensors) {
  std::vector<int> out;
  for (int t : tensors) {
    for (int w : c.g.writers(t)) {
      if (s.host[w] >= 0 && std::find(out.begin(), out.end(), s.host[w]) == out.end()) out.push_back(s.host[w]);
    }
  }
  return out;
}

bool runs_after(const Sketch& s, int nest, int other) {
  std::vector<bool> seen(s.host.size(), false);
  std::vector<int> stack = {nest};
  while (!stack.empty()) {
    int n = stack.back();
    stack.pop_back();
    if (seen[n]) continue;
    seen[n] = true;
    for (int before : s.after[n]) {
      if (before == other) return true;
      stack.push_back(before);
    }
  }
  return false;
}

// Does the body of `e` (producers inlined) read tensors of the nest of `root`, and `e` each only at its own point?
bool reads_at_own_point(const Context& c, const Sketch& s, const ir::Stage& e, int root) {
  const std::vector<int64_t> extents = e.extents();
  bool in_body = true, reads = false, fits = true;
  auto check = [&](const Expr& load) {
    if (load->op != ir::Op::kLoad) return;
    for (int w : c.g.writers(load->id)) {
      if (s.host[w] != root) continue;
      reads = reads || in_body;
      if (c.g.writers(load->id).size() != 1) fits = false;
      for (const ir::StageOutput& o : c.g.stages[w].outputs) {
        if (o.tensor != load->id) continue;
        for (size_t d = 0; d < o.indices.size(); ++d) fits = fits && same_index(o.indices[d], load->args[d], extents);
      }
    }
  };
  for (const Expr& x : e.body) ir::visit(x, check);
  in_body = false;
  for (const Expr& x : e.result) ir::visit(x, check);
  return reads && fits;
}

// The latest nest on whose accumulators the stage can be computed; -1 if there is none.
int find_host(const Context& c, const Sketch& s, int stage) {
  if (!is_pointwise(c.g.stages[stage])) return -1;
  const ir::Stage e = inlined_stage(c.g, s.plan.attach, stage);
  const std::vector<int> before = nests_before(c, s, ir::loaded_tensors(e));
  for (int i = stage - 1; i >= 0; --i) {
    if (s.host[i] != i || std::find(before.begin(), before.end(), i) == before.end()) continue;
    const ir::Stage& root = c.g.stages[i];
    if (!root.has_reduction() || root.has_scan() || root.spatial_count() != static_cast<int>(e.axes.size())) continue;
    bool same = true;
    for (size_t a = 0; a < e.axes.size(); ++a) same = same && e.axes[a].extent == root.axes[a].extent;
    if (!same || !reads_at_own_point(c, s, e, i)) continue;
    // Whatever else it reads must be there before that nest runs.
    bool acyclic = true;
    for (int b : before) acyclic = acyclic && (b == i || !runs_after(s, b, i));
    if (acyclic) return i;
  }
  return -1;
}

void require(Sketch& s, int nest, const std::vector<int>& before) {
  for (int b : before) {
    if (b != nest && std::find(s.after[nest].begin(), s.after[nest].end(), b) == s.after[nest].end()) s.after[nest].push_back(b);
  }
}

}  // namespace

std::vector<Choice> attach_candidates(const Context& c, const Sketch& s, int stage) {
  std::vector<Choice> out = {{static_cast<int64_t>(Attach::kRoot)}};
  if (!is_pointwise(c.g.stages[stage])) return out;
  if (can_inline(c.g, stage) && written_nodes(inlined_stage(c.g, s.plan.attach, stage)) <= kMaxInlinedNodes) {
    out.push_back({static_cast<int64_t>(Attach::kInline)});
  }
  if (find_host(c, s, stage) >= 0) out.push_back({static_cast<int64_t>(Attach::kEpilogue)});
  return out;
}

// Memory that the stage's outputs take; how many points its readers compute for each of its own, in octaves.
std::vector<int64_t> attach_facts(const Context& c, int stage) {
  const auto points = [](const ir::Stage& s) {
    double count = 1;
    for (const ir::Axis& a : s.axes) count *= static_cast<double>(a.extent);
    return count;
  };
  const ir::Stage& s = c.g.stages[stage];
  double bytes = 0, read = 0;
  for (const ir::StageOutput& o : s.outputs) {
    const ir::TensorDecl& t = c.g.tensors[o.tensor];
    bytes += static_cast<double>(element_count(t.shape) * static_cast<int64_t>(dtype_size(t.dtype)));
    for (const int r : c.g.readers(o.tensor)) read += points(c.g.stages[r]);
  }
  return {kilobytes(bytes), log_steps(read / points(s), 1, 1)};
}

void attach_apply(const Context& c, Sketch& s, int stage, Attach choice) {
  if (choice == Attach::kInline) {
    s.plan.attach[stage] = choice;
    return;
  }
  // Stages come in topological order: producers are decided, readers are not, so a nest never runs before what is known now.
  const std::vector<int> before = nests_before(c, s, ir::loaded_tensors(inlined_stage(c.g, s.plan.attach, stage)));
  const int root = choice == Attach::kEpilogue ? find_host(c, s, stage) : stage;
  TLM_CHECK(root >= 0) << "stage " << stage << " has no host";
  s.plan.attach[stage] = choice;
  s.host[stage] = root;
  require(s, root, before);
}

std::vector<int> execution_order(const Sketch& s) {
  std::vector<int> order;
  std::vector<bool> placed(s.host.size(), false);
  size_t roots = 0;
  for (size_t i = 0; i < s.host.size(); ++i) roots += s.host[i] == static_cast<int>(i);
  while (order.size() < roots) {
    const size_t size = order.size();
    for (size_t i = 0; i < s.host.size() && order.size() == size; ++i) {
      if (s.host[i] != static_cast<int>(i) || placed[i]) continue;
      bool ready = true;
      for (int before : s.after[i]) ready = ready && placed[before];
      if (!ready) continue;
      placed[i] = true;
      order.push_back(static_cast<int>(i));
    }
    TLM_CHECK(order.size() > size) << "nests wait for one another";
  }
  return order;
}

}  // namespace tlm::space
