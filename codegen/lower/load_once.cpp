#include "tlm/codegen/lower/load_once.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "tlm/codegen/lower/rewrite.h"

namespace tlm::codegen {

using namespace ir;

namespace {

class LoadOnce {
 public:
  explicit LoadOnce(Kernel& k) : k_(k) {
    for (const Buffer& b : k.buffers) {
      const bool param = b.param >= 0;
      read_only_.push_back(param && !k.params[static_cast<size_t>(b.param)].output);
      // Buffers of the workspace that one phase uses lie apart.
      place_.push_back(param ? 0 : ++places_);
    }
  }

  Stmt block(const Stmt& s) {
    return map_runs(s, [this](const std::vector<Stmt>& run, std::vector<Stmt>& out) { straight(run, out); });
  }

 private:
  struct Info {
    bool candidate = false;   // worth a name: contains a load or a costly operation, and reads no local that changes
    std::vector<int> places;  // of memory read that a store may change
  };

  static bool costly(Op op) { return op >= Op::kSqrt && op <= Op::kErf; }

  bool is_mutable(int local) const { return mutable_.count(local) > 0; }

  const Info& info(const Expr& e) {
    auto it = infos_.find(e.get());
    if (it != infos_.end()) return it->second;
    Info i;
    bool reads_mutable = false;
    visit(e, [&](const Expr& n) {
      if (n->op == Op::kLocal && is_mutable(n->id)) reads_mutable = true;
      if (n->op == Op::kLoad) {
        i.candidate = true;
        if (!read_only_[static_cast<size_t>(n->id)]) i.places.push_back(place_[static_cast<size_t>(n->id)]);
      }
      if (costly(n->op) || n->op == Op::kPow) i.candidate = true;
    });
    if (e->op == Op::kRamp) i.candidate = false;  // part of the load that it addresses; its base may have a name
    if (reads_mutable) i.candidate = false;
    kept_.push_back(e);
    return infos_.emplace(e.get(), i).first->second;
  }

  // Is argument `a` evaluated whatever the values are? An arm of a select by one condition is not, nor a load under a mask.
  static bool always(const Expr& e, size_t a) {
    if (e->op != Op::kSelect || a == 0) return true;
    return e->args[0]->lanes > 1 && e->args[a]->op != Op::kLoad;
  }

  void count(const Expr& e) {
    if (e->args.empty()) return;
    const Info& i = info(e);
    if (i.candidate && ++uses_[e] > 1) return;
    for (size_t a = 0; a < e->args.size(); ++a)
      if (always(e, a)) count(e->args[a]);
  }

  Expr replace(const Expr& e, std::vector<Stmt>& out) {
    if (e->args.empty()) return e;
    const Info i = info(e);
    const bool shared = i.candidate && uses_[e] > 1;
    if (shared)
      if (auto it = available_.find(e); it != available_.end()) return read_local(k_, it->second);
    Expr value = e;
    std::vector<Expr> args = e->args;
    bool changed = false;
    for (size_t a = 0; a < args.size(); ++a) {
      if (!always(e, a)) continue;
      args[a] = replace(args[a], out);
      changed = changed || args[a].get() != e->args[a].get();
    }
    if (changed) value = with_args(e, std::move(args));
    if (!shared) return value;
    const int l = new_local(k_, "x", value->dtype, value->lanes);
    out.push_back(make_let(l, value));
    available_[e] = l;
    return read_local(k_, l);
  }

  void straight(const std::vector<Stmt>& run, std::vector<Stmt>& out) {
    if (run.empty()) return;
    uses_.clear(), available_.clear(), infos_.clear(), mutable_.clear();
    for (const Stmt& s : run)
      if (s->kind == StmtKind::kAssign || s->kind == StmtKind::kLocal) mutable_[s->var] = true;
    for (const Stmt& s : run) {
      for (const Expr& i : s->indices) count(i);
      if (s->value) count(s->value);
    }
    for (const Stmt& s : run) {
      StmtNode n = *s;
      for (Expr& i : n.indices) i = replace(i, out);
      if (n.value) n.value = replace(n.value, out);
      out.push_back(std::make_shared<const StmtNode>(std::move(n)));
      if (s->kind != StmtKind::kStore) continue;
      const int written = place_[static_cast<size_t>(s->buffer)];
      std::erase_if(available_, [&](const auto& known) {
        const std::vector<int>& read = info(known.first).places;
        return std::find(read.begin(), read.end(), written) != read.end();
      });
    }
  }

  Kernel& k_;
  std::vector<bool> read_only_;
  std::vector<int> place_;  // by buffer: memory that others may share; 0: that of the outputs
  int places_ = 0;
  std::map<Expr, int, ExprLess> uses_, available_;
  std::unordered_map<const ExprNode*, Info> infos_;
  std::vector<Expr> kept_;
  std::map<int, bool> mutable_;
};

}  // namespace

void load_once(Kernel& k) {
  for (Phase& p : k.phases) p.body = LoadOnce(k).block(p.body);
}

}  // namespace tlm::codegen
