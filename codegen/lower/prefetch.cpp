#include "tlm/codegen/lower/prefetch.h"

#include <algorithm>

#include "tlm/codegen/lower/epilogue.h"
#include "tlm/codegen/lower/rewrite.h"

namespace tlm::codegen {

using namespace ir;

namespace {

constexpr int64_t kLine = 64, kMostLines = 8;  // of one body

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

bool moves(const Expr& load, int axis) {
  return std::any_of(load->args.begin(), load->args.end(), [&](const Expr& i) { return uses_var(i, axis); });
}

class Panels {
 public:
  Panels(const Kernel& k, const TileContext& c, const std::vector<Region>& regions) : k_(k), c_(c), regions_(regions) {}

  void ahead(const Expr& load, std::vector<Stmt>& out) const {
    const Buffer& b = k_.buffers[static_cast<size_t>(load->id)];
    if (b.param < 0) return;
    const std::vector<PackedDim>& packed = k_.params[static_cast<size_t>(b.param)].packed;
    if (packed.empty()) return;
    const int dim = packed.back().dim;
    const int64_t block = packed.back().extent;
    size_t blocks = 0;  // the entry that counts the panels
    while (blocks < packed.size() && !(packed[blocks].dim == dim && packed[blocks].step == block)) ++blocks;
    const Expr& index = load->args[static_cast<size_t>(dim)];
    if (blocks + 1 >= packed.size() || index->op != Op::kVar) return;
    const int axis = index->id;
    if (c_.nest.axes[static_cast<size_t>(axis)].tile != block) return;

    // Loops inside that of the panels read the panel again.
    size_t of_panels = c_.loops.size();
    for (size_t l = 0; l < c_.loops.size(); ++l)
      if (c_.loops[l].axis == axis) of_panels = l;
    if (of_panels == c_.loops.size()) return;
    Expr pass = make_int(0);
    int64_t passes = 1;
    for (size_t l = c_.loops.size(); l-- > of_panels + 1;) {
      if (moves(load, c_.loops[l].axis)) return;  // several panels in turn
      pass = pass + make_var(c_.loops[l].var) * passes;
      passes *= c_.loops[l].trips;
    }

    int64_t panel = 1;
    for (size_t d = blocks + 1; d < packed.size(); ++d) panel *= packed[d].extent;
    Expr offset = pass * ceil_div(panel, passes);
    // How far this pass is in its share: as far as the reduction is in the panel.
    int64_t stride = block, each = 0, points = 1;
    for (size_t d = packed.size() - 1; d-- > blocks + 1; stride *= packed[d + 1].extent) {
      const Expr& i = load->args[static_cast<size_t>(packed[d].dim)];
      if (i->op != Op::kVar) continue;
      const auto a = static_cast<size_t>(i->id);
      const bool innermost = each == 0;
      const int64_t share = innermost ? ceil_div(stride, passes) : stride / passes;
      if (innermost) each = share, points = regions_[a].size;
      offset = offset + regions_[a].base * share;
    }
    if (each == 0) return;

    std::vector<Expr> position;
    for (size_t a = 0; a < c_.stage.axes.size(); ++a) {
      const bool spatial = c_.stage.axes[a].kind == AxisKind::kSpatial;
      position.push_back(!spatial ? make_int(0) : static_cast<int>(a) == axis ? regions_[a].base + block : regions_[a].base);
    }
    std::vector<Expr> indices;
    for (const Expr& i : load->args) indices.push_back(at_position(i, position));
    const int64_t per_line = kLine / static_cast<int64_t>(dtype_size(b.dtype));
    const int64_t lines = std::min(kMostLines, ceil_div(each * points, per_line));
    for (int64_t l = 0; l < lines; ++l) out.push_back(make_prefetch(load->id, indices, offset + l * per_line));
  }

 private:
  const Kernel& k_;
  const TileContext& c_;
  const std::vector<Region>& regions_;
};

}  // namespace

std::vector<Stmt> prefetch_panels(const Kernel& k, const TileContext& c, const std::vector<Region>& regions) {
  std::vector<Stmt> out;
  std::vector<Expr> seen;
  const Panels panels(k, c, regions);
  for (const Expr& body : c.stage.body) {
    visit(body, [&](const Expr& e) {
      if (e->op != Op::kLoad || std::any_of(seen.begin(), seen.end(), [&](const Expr& s) { return equal(s, e); })) return;
      seen.push_back(e);
      panels.ahead(e, out);
    });
  }
  return out;
}

}  // namespace tlm::codegen
