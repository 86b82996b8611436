#include "tlm/ir/tensor/row_program.h"

#include <algorithm>
#include <cstring>

#include "tlm/core/error.h"

namespace tlm::ir {
namespace {

size_t index_of(const std::vector<int>& v, int x) { return static_cast<size_t>(std::find(v.begin(), v.end(), x) - v.begin()); }

// Offsets of each lane along one of the axes of the lane space.
std::vector<int64_t> lane_values(const LaneSpace& space, size_t which, const std::vector<int64_t>& extents) {
  std::vector<int64_t> v(static_cast<size_t>(space.lanes));
  int64_t inner = 1;
  for (size_t i = which + 1; i < space.axes.size(); ++i) inner *= extents[static_cast<size_t>(space.axes[i])];
  const int64_t extent = which == 0 ? space.chunk : extents[static_cast<size_t>(space.axes[which])];
  for (int64_t l = 0; l < space.lanes; ++l) v[static_cast<size_t>(l)] = l / inner % extent;
  return v;
}

}  // namespace

bool LaneSpace::has(int axis) const { return std::find(axes.begin(), axes.end(), axis) != axes.end(); }

LaneSpace make_lane_space(const std::vector<int>& axes, const std::vector<int64_t>& extents) {
  LaneSpace s;
  s.axes = axes;
  if (axes.empty()) return s;
  int64_t inner = 1;
  for (size_t i = 1; i < axes.size(); ++i) inner *= extents[static_cast<size_t>(axes[i])];
  s.chunk = std::clamp<int64_t>(kMaxLanes / std::max<int64_t>(inner, 1), 1,
                                std::max<int64_t>(extents[static_cast<size_t>(axes[0])], 1));
  s.lanes = s.chunk * inner;
  return s;
}

void RowAccess::set_lanes(const LaneSpace& space, const std::vector<int64_t>& extents) {
  offset.assign(static_cast<size_t>(space.lanes), 0);
  for (size_t k = 0; k < space.axes.size(); ++k) {
    const int64_t c = coef[static_cast<size_t>(space.axes[k])];
    if (c == 0) continue;
    const std::vector<int64_t> v = lane_values(space, k, extents);
    for (size_t l = 0; l < v.size(); ++l) offset[l] += c * v[l];
  }
  const auto [low, high] = std::minmax_element(offset.begin(), offset.end());
  if (*low == *high) {
    kind = Kind::kUniform;
    return;
  }
  stride = offset[1];
  kind = stride == 1 ? Kind::kContiguous : Kind::kStrided;
  for (size_t l = 1; l < offset.size(); ++l)
    if (offset[l] - offset[l - 1] != stride) kind = Kind::kScattered;
}

RowProgram::RowProgram(const std::vector<int64_t>& extents, LaneSpace space, std::vector<RowTensor>& tensors)
    : extents_(extents), space_(std::move(space)), tensors_(tensors), sites_of_axis_(extents.size()), axis_(extents.size(), 0) {
  for (size_t k = 0; k < space_.axes.size(); ++k) axis_offset_.push_back(lane_values(space_, k, extents_));
}

int RowProgram::add_register(DType t, bool uniform) {
  Register r;
  r.lane = lane_of(t);
  r.uniform = uniform;
  r.buffer = std::make_unique<std::byte[]>(lane_size(r.lane) * static_cast<size_t>(uniform ? 1 : space_.lanes));
  r.at = r.target = r.buffer.get();
  regs_.push_back(std::move(r));
  return static_cast<int>(regs_.size()) - 1;
}

void RowProgram::forget_shared() {
  shared_.clear();
  shared_order_.clear();
}

int RowProgram::add_instr(Code code, Op op, DType type, DType to, bool uniform, int a, int b, int c) {
  const int r = add_register(to, uniform);
  regs_[r].computed = code == Code::kOp || code == Code::kCast;
  code_.push_back({code, op, type, to, r, a, b, c});
  return r;
}

int RowProgram::compile(const Expr& e, const std::vector<int>& acc) {
  if (e->op == Op::kAcc) return acc[static_cast<size_t>(e->id)];
  if (auto it = shared_.find(e.get()); it != shared_.end()) return it->second;
  const int r = compile_node(e, acc);
  shared_.emplace(e.get(), r);
  shared_order_.push_back(e.get());
  kept_.push_back(e);
  return r;
}

int RowProgram::compile_node(const Expr& e, const std::vector<int>& acc) {
  switch (e->op) {
    case Op::kInt:
    case Op::kFloat: {
      const int r = add_register(e->dtype, true);
      switch (regs_[r].lane) {
        case Lane::kInt: *static_cast<int64_t*>(buffer(r)) = e->ival; break;
        case Lane::kFloat: *static_cast<float*>(buffer(r)) = static_cast<float>(e->fval); break;
        case Lane::kDouble: *static_cast<double*>(buffer(r)) = e->fval; break;
      }
      return r;
    }
    case Op::kVar: return add_instr(Code::kAxis, Op::kVar, DType::kI64, DType::kI64, !space_.has(e->id), e->id);
    case Op::kLoad: return compile_load(e, acc);
    case Op::kSelect: return compile_select(e, acc);
    default: break;
  }
  TLM_CHECK(e->op >= Op::kAdd) << op_name(e->op) << " in a stage";
  int args[3] = {0, 0, 0};
  bool all_uniform = true;
  for (size_t i = 0; i < e->args.size(); ++i) {
    args[i] = compile(e->args[i], acc);
    all_uniform = all_uniform && uniform(args[i]);
  }
  const Code code = e->op == Op::kCast ? Code::kCast : Code::kOp;
  return add_instr(code, e->op, e->args[0]->dtype, e->dtype, all_uniform, args[0], args[1], args[2]);
}

int RowProgram::compile_load(const Expr& e, const std::vector<int>& acc) {
  const RowTensor& t = tensors_[static_cast<size_t>(e->id)];
  TLM_CHECK(e->args.size() == t.shape.size()) << "load with " << e->args.size() << " indices of " << to_string(t.shape);
  Site s;
  s.tensor = e->id;
  s.access.coef.assign(extents_.size(), 0);
  bool affine = true;
  for (size_t d = 0; d < e->args.size() && affine; ++d) {
    const auto a = as_affine(e->args[d], static_cast<int>(extents_.size()));
    affine = a.has_value();
    if (!affine) break;
    const auto range = bounds(e->args[d], extents_);
    s.guarded = s.guarded || !range || range->lo < 0 || range->hi >= t.shape[d];
    s.access.constant += a->constant * t.strides[d];
    for (size_t i = 0; i < extents_.size(); ++i) s.access.coef[i] += a->coef[i] * t.strides[d];
  }
  const int number = static_cast<int>(sites_.size());
  if (affine) {
    s.access.set_lanes(space_, extents_);
    for (size_t a = 0; a < extents_.size(); ++a)
      if (s.access.coef[a]) sites_of_axis_[a].push_back(number);
    const bool all_same = s.access.kind == RowAccess::Kind::kUniform;
    sites_.push_back(std::move(s));
    return add_instr(Code::kLoadAffine, Op::kLoad, e->dtype, e->dtype, all_same && !sites_.back().guarded, number);
  }
  bool all_uniform = true;
  for (const Expr& i : e->args) {
    s.indices.push_back(compile(i, acc));
    all_uniform = all_uniform && uniform(s.indices.back());
  }
  s.address.resize(static_cast<size_t>(all_uniform ? 1 : space_.lanes));
  const int site = static_cast<int>(sites_.size());  // indices may hold loads of their own
  sites_.push_back(std::move(s));
  return add_instr(Code::kLoadIndexed, Op::kLoad, e->dtype, e->dtype, all_uniform, site);
}

int RowProgram::compile_select(const Expr& e, const std::vector<int>& acc) {
  const int condition = compile(e->args[0], acc);
  const size_t at = code_.size();
  code_.push_back({Code::kSelect, Op::kSelect, e->dtype, e->dtype, 0, condition, 0, 0});
  const auto arm = [&](const Expr& x) {
    const size_t mark = shared_order_.size();
    const int r = compile(x, acc);
    while (shared_order_.size() > mark) {
      shared_.erase(shared_order_.back());
      shared_order_.pop_back();
    }
    return r;
  };
  const int a = arm(e->args[1]);
  const int then_end = size();
  const int b = arm(e->args[2]);
  const int r = add_register(e->dtype, uniform(condition) && uniform(a) && uniform(b));
  Instr& i = code_[at];
  i.b = a, i.c = b, i.dst = r, i.then_end = then_end, i.else_end = size();
  return r;
}

void RowProgram::write_to(int target, int value) {
  const bool usable = !code_.empty() && code_.back().dst == value && regs_[value].computed && !uniform(value) && !uniform(target);
  if (!usable) return copy_to(target, value);
  Instr& last = code_.back();
  last.dst = target;
  if (last.code != Code::kOp || last.op != Op::kAdd || last.type != DType::kF32 || last.a != target || code_.size() < 2) return;
  const Instr& product = code_[code_.size() - 2];
  if (product.code != Code::kOp || product.op != Op::kMul || product.dst != last.b) return;
  const Instr fused = {Code::kMultiplyAdd, Op::kFma, DType::kF32, DType::kF32, target, product.a, product.b, 0};
  code_.pop_back();
  code_.back() = fused;
}

void RowProgram::copy_to(int target, int value) {
  const DType t = regs_[target].lane == Lane::kInt ? DType::kI64 : regs_[target].lane == Lane::kFloat ? DType::kF32 : DType::kF64;
  code_.push_back({Code::kCopy, Op::kInt, t, t, target, value, 0, 0});
}

bool RowProgram::redirect(int r, void* memory) {
  if (!regs_[r].computed || uniform(r)) return false;
  regs_[r].target = memory;
  return true;
}

void RowProgram::seek() {
  for (Site& s : sites_) {
    s.base = s.access.constant;
    for (size_t a = 0; a < axis_.size(); ++a) s.base += s.access.coef[a] * axis_[a];
  }
}

void RowProgram::advance(int axis, int64_t steps) {
  axis_[axis] += steps;
  for (int n : sites_of_axis_[static_cast<size_t>(axis)])
    sites_[n].base += sites_[n].access.coef[static_cast<size_t>(axis)] * steps;
}

void RowProgram::load_affine(const Instr& i, int64_t lanes, const uint8_t* mask) {
  const Site& s = sites_[static_cast<size_t>(i.a)];
  const RowTensor& t = tensors_[static_cast<size_t>(s.tensor)];
  Register& r = regs_[i.dst];
  r.at = r.buffer.get();
  const RowAccess& access = s.access;
  const std::byte* p = t.data + s.base * static_cast<int64_t>(dtype_size(t.dtype));
  if (s.guarded && mask) {
    for (int64_t l = 0; l < lanes; ++l) {
      const int64_t address = s.base + access.offset[static_cast<size_t>(l)];
      TLM_CHECK(!mask[l] || (address >= 0 && address < t.size)) << "address " << address << " in tensor " << s.tensor;
    }
    row_load_masked(i.type, r.at, p, access.offset.data(), mask, lanes);
    return;
  }
  if (s.guarded) {  // every lane is executed
    const auto [low, high] = std::minmax_element(access.offset.begin(), access.offset.begin() + lanes);
    TLM_CHECK(s.base + *low >= 0 && s.base + *high < t.size) << "address " << s.base + *low << " in tensor " << s.tensor;
  }
  const bool as_stored = t.dtype == DType::kF32 || t.dtype == DType::kF64 || t.dtype == DType::kI64 || t.dtype == DType::kU64;
  switch (access.kind) {
    case RowAccess::Kind::kUniform: row_load(i.type, r.at, p, nullptr, 0, r.uniform ? 1 : lanes); break;
    case RowAccess::Kind::kContiguous:
      if (as_stored) {
        r.at = const_cast<std::byte*>(p);  // only read
      } else {
        row_load(i.type, r.at, p, nullptr, 1, lanes);
      }
      break;
    case RowAccess::Kind::kStrided: row_load(i.type, r.at, p, nullptr, access.stride, lanes); break;
    case RowAccess::Kind::kScattered: row_load(i.type, r.at, p, access.offset.data(), 0, lanes); break;
  }
}

void RowProgram::load_indexed(const Instr& i, int64_t lanes, const uint8_t* mask) {
  Site& s = sites_[static_cast<size_t>(i.a)];
  const RowTensor& t = tensors_[static_cast<size_t>(s.tensor)];
  Register& r = regs_[i.dst];
  const int64_t n = r.uniform ? 1 : lanes;
  int64_t* address = s.address.data();
  std::fill_n(address, n, 0);
  int64_t bad = 0;
  for (size_t d = 0; d < s.indices.size(); ++d) {
    const Operand o = operand(s.indices[d]);
    const auto* v = static_cast<const int64_t*>(o.data);
    const int64_t step = o.uniform ? 0 : 1, stride = t.strides[d];
    const auto extent = static_cast<uint64_t>(t.shape[d]);
    for (int64_t l = 0; l < n; ++l) {
      const int64_t x = v[l * step];
      // Lanes that are masked off may hold any index: their address wraps and is not used.
      address[l] = static_cast<int64_t>(static_cast<uint64_t>(address[l]) + static_cast<uint64_t>(x) * static_cast<uint64_t>(stride));
      bad |= int64_t{static_cast<uint64_t>(x) >= extent} & (mask && !r.uniform ? int64_t{mask[l]} : 1);
    }
  }
  TLM_CHECK(!bad) << "index out of range in a load of tensor " << s.tensor << " " << to_string(t.shape);
  if (mask && !r.uniform) {
    row_load_masked(i.type, r.at, t.data, address, mask, n);
  } else {
    row_load(i.type, r.at, t.data, address, 0, n);
  }
}

// The register takes another's value, without copying it where possible.
void RowProgram::adopt(int dst, int value, int64_t lanes) {
  Register& d = regs_[dst];
  if (d.uniform == uniform(value)) {
    d.at = regs_[value].at;
  } else {
    d.at = d.buffer.get();
    row_fill(d.lane, d.at, regs_[value].at, lanes);
  }
}

int RowProgram::select(const Instr& i, int pc, int64_t lanes, const uint8_t* mask) {
  const auto* condition = static_cast<const int64_t*>(regs_[i.a].at);
  if (i.else_end == pc + 1 && !uniform(i.a)) {  // nothing to compute in either arm
    Register& d = regs_[i.dst];
    row_blend(d.lane, d.at = d.buffer.get(), condition, operand(i.b), operand(i.c), lanes);
    return i.else_end;
  }
  bool any = false, all = true;
  if (uniform(i.a)) {
    any = all = condition[0] != 0;
  } else {
    int64_t ones = 0;
    for (int64_t l = 0; l < lanes; ++l) ones += condition[l];
    any = ones > 0, all = ones == lanes;
  }
  if (all) {
    execute(pc + 1, i.then_end, lanes, mask);
    adopt(i.dst, i.b, lanes);
  } else if (!any) {
    execute(i.then_end, i.else_end, lanes, mask);
    adopt(i.dst, i.c, lanes);
  } else {
    const size_t level = mask_depth_++;
    if (masks_.size() <= level) masks_.resize(level + 1);
    masks_[level].resize(2 * static_cast<size_t>(space_.lanes));
    uint8_t* then_mask = masks_[level].data();
    uint8_t* else_mask = then_mask + space_.lanes;
    for (int64_t l = 0; l < lanes; ++l) {
      const uint8_t active = mask ? mask[l] : 1, chosen = condition[l] != 0;
      then_mask[l] = active & chosen;
      else_mask[l] = active & (chosen ^ 1);
    }
    execute(pc + 1, i.then_end, lanes, then_mask);
    execute(i.then_end, i.else_end, lanes, else_mask);
    --mask_depth_;
    Register& d = regs_[i.dst];
    d.at = d.buffer.get();
    row_blend(d.lane, d.at, condition, operand(i.b), operand(i.c), lanes);
  }
  return i.else_end;
}

void RowProgram::run(int from, int to, int64_t lanes) { execute(from, to, lanes, nullptr); }

void RowProgram::execute(int from, int to, int64_t lanes, const uint8_t* mask) {
  for (int pc = from; pc < to;) {
    const Instr& i = code_[static_cast<size_t>(pc)];
    if (i.code == Code::kSelect) {
      pc = select(i, pc, lanes, mask);
      continue;
    }
    Register& r = regs_[i.dst];
    const int64_t n = r.uniform ? 1 : lanes;
    switch (i.code) {
      case Code::kOp: {
        const Operand args[3] = {operand(i.a), operand(i.b), operand(i.c)};
        if (r.computed) r.at = r.target;
        row_op(i.op, i.type, r.at, args, n);
        break;
      }
      case Code::kMultiplyAdd: row_multiply_add(static_cast<float*>(r.at), operand(i.a), operand(i.b), n); break;
      case Code::kCast:
        if (r.computed) r.at = r.target;
        row_cast(i.type, i.to, r.at, operand(i.a), n);
        break;
      case Code::kAxis: {
        auto* v = static_cast<int64_t*>(r.at);
        if (r.uniform) {
          v[0] = axis_[i.a];
        } else {
          const int64_t* offset = axis_offset_[index_of(space_.axes, i.a)].data();
          for (int64_t l = 0; l < n; ++l) v[l] = axis_[i.a] + offset[l];
        }
        break;
      }
      case Code::kLoadAffine: load_affine(i, lanes, mask); break;
      case Code::kLoadIndexed: load_indexed(i, lanes, mask); break;
      case Code::kCopy:
        if (uniform(i.a)) {
          row_fill(r.lane, r.at, regs_[i.a].at, n);
        } else {
          std::memmove(r.at, regs_[i.a].at, lane_size(r.lane) * static_cast<size_t>(n));
        }
        break;
      case Code::kSelect: break;
    }
    ++pc;
  }
}

}  // namespace tlm::ir
