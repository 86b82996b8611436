#include "tlm/codegen/lower/place_storage.h"

#include <algorithm>
#include <map>

#include "tlm/codegen/lower/rewrite.h"
#include "tlm/core/error.h"

namespace tlm::codegen {

using namespace ir;

namespace {

constexpr int64_t kAlign = 64;

// First and last phase that touches a workspace buffer.
struct Life {
  int buffer;
  size_t first, last;
  int64_t bytes, offset = 0;
};

std::vector<Life> lives(const Kernel& k) {
  std::map<int, Life> found;
  for (size_t p = 0; p < k.phases.size(); ++p) {
    auto touch = [&](int b) {
      const Buffer& buffer = k.buffers[static_cast<size_t>(b)];
      if (buffer.scope != MemoryScope::kWorkspace) return;
      const int64_t bytes = buffer.elements * static_cast<int64_t>(dtype_size(buffer.dtype));
      auto [it, fresh] = found.try_emplace(b, Life{b, p, p, bytes});
      it->second.last = p;
    };
    visit_stmts(k.phases[p].body, [&](const Stmt& s) {
      if (s->kind == StmtKind::kStore) touch(s->buffer);
    });
    visit_exprs(k.phases[p].body, [&](const Expr& e) {
      visit(e, [&](const Expr& n) {
        if (n->op == Op::kLoad) touch(n->id);
      });
    });
  }
  std::vector<Life> out;
  for (auto& [b, life] : found) out.push_back(life);
  return out;
}

// Largest first, each at the lowest place that is free during its life.
void place_workspace(Kernel& k) {
  std::vector<Life> all = lives(k);
  std::sort(all.begin(), all.end(),
            [](const Life& a, const Life& b) { return a.bytes != b.bytes ? a.bytes > b.bytes : a.buffer < b.buffer; });
  std::vector<Life> placed;
  for (Life life : all) {
    int64_t offset = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (const Life& other : placed) {
        const bool meet = life.first <= other.last && other.first <= life.last;
        if (!meet || offset >= other.offset + other.bytes || other.offset >= offset + life.bytes) continue;
        offset = (other.offset + other.bytes + kAlign - 1) / kAlign * kAlign;
        moved = true;
      }
    }
    life.offset = offset;
    placed.push_back(life);
    Buffer& b = k.buffers[static_cast<size_t>(life.buffer)];
    b.offset = offset / static_cast<int64_t>(dtype_size(b.dtype));
    k.workspace_bytes = std::max(k.workspace_bytes, offset + life.bytes);
  }
  k.workspace_bytes = (k.workspace_bytes + kAlign - 1) / kAlign * kAlign;
}

// Physical position of logical index `x` in each physical dimension of a packed constant.
Expr packed_offset(const std::vector<PackedDim>& packed, const std::vector<Expr>& indices) {
  Expr offset = make_int(0);
  int64_t stride = 1;
  for (size_t i = packed.size(); i-- > 0;) {
    const PackedDim& d = packed[i];
    // The next larger step of the same logical dimension bounds this digit.
    int64_t outer = 0;
    for (const PackedDim& other : packed)
      if (other.dim == d.dim && other.step > d.step && (outer == 0 || other.step < outer)) outer = other.step;
    Expr digit = indices[static_cast<size_t>(d.dim)];
    if (outer > 0) digit = floor_mod(digit, outer);
    digit = floor_div(digit, d.step);
    offset = offset + digit * stride;
    stride *= d.extent;
  }
  return offset;
}

}  // namespace

void place_storage(Kernel& k) {
  place_workspace(k);
  std::vector<int64_t> extents = variable_extents(k);
  auto offset = [&](int buffer, const std::vector<Expr>& indices) -> std::vector<Expr> {
    const Buffer& b = k.buffers[static_cast<size_t>(buffer)];
    if (b.scope == MemoryScope::kRegister) return indices;
    Expr e;
    if (b.param >= 0 && !k.params[static_cast<size_t>(b.param)].packed.empty()) {
      e = packed_offset(k.params[static_cast<size_t>(b.param)].packed, indices);
    } else {
      e = make_int(b.scope == MemoryScope::kGlobal ? b.offset : 0);
      for (size_t d = 0; d < indices.size(); ++d) e = e + indices[d] * b.strides[d];
    }
    return {simplify(e, extents)};
  };
  // Offsets first, then predicates of padding and the like that the ranges of the loops decide.
  auto place = [&](const Expr& e) {
    const Expr placed =
        rewrite_expr(e, [&](const Expr& n) { return n->op == Op::kLoad ? with_args(n, offset(n->id, n->args)) : Expr(); });
    return simplify(placed, extents);
  };
  auto walk = [&](auto&& self, const Stmt& s) -> Stmt {
    StmtNode n = *s;
    if (n.extent) n.extent = place(n.extent);
    if (n.value) n.value = place(n.value);
    if (n.kind == StmtKind::kStore) n.indices = offset(n.buffer, n.indices);
    if (n.kind == StmtKind::kPrefetch) {
      n.indices = {simplify(offset(n.buffer, n.indices)[0] + n.value, extents)};
      n.value = {};
    }
    if (n.kind == StmtKind::kIf && n.value->op == Op::kInt) {
      if (n.value->ival) return self(self, n.body[0]);
      return n.body.size() > 1 ? self(self, n.body[1]) : make_block({});
    }
    for (size_t b = 0; b < n.body.size(); ++b) {
      if (n.kind == StmtKind::kIf && b == 0) {
        const NarrowedRanges inside(extents, n.value);
        n.body[b] = self(self, n.body[b]);
      } else {
        n.body[b] = self(self, n.body[b]);
      }
    }
    if (n.kind == StmtKind::kBlock) return flat_block(std::move(n.body));
    return std::make_shared<const StmtNode>(std::move(n));
  };
  for (Phase& p : k.phases) p.body = walk(walk, p.body);
  for (Buffer& b : k.buffers) {
    if (b.scope == MemoryScope::kRegister) continue;
    b.shape.clear();
    b.strides.clear();
    if (b.scope == MemoryScope::kGlobal) b.offset = 0;  // part of every offset now
  }
}

}  // namespace tlm::codegen
