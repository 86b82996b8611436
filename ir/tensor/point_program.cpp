#include "tlm/ir/tensor/point_program.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tlm/core/error.h"

namespace tlm::ir {
namespace {

template <typename T>
T read_as(const std::byte* data, int64_t position) {
  T v;
  std::memcpy(&v, data + position * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return v;
}

template <typename T>
void write_as(std::byte* data, int64_t position, T v) {
  std::memcpy(data + position * static_cast<int64_t>(sizeof(T)), &v, sizeof(T));
}

// Half an ulp of 1: the relative error of one rounding.
double unit_roundoff(DType t) {
  switch (t) {
    case DType::kF64: return 0x1p-53;
    case DType::kF16: return 0x1p-11;
    case DType::kBF16: return 0x1p-8;
    default: return 0x1p-24;
  }
}

}  // namespace

Scalar read_element(const std::byte* data, DType t, int64_t position) {
  Scalar s;
  s.i = 0;
  switch (t) {
    case DType::kF32: s.f = read_as<float>(data, position); break;
    case DType::kF64: s.f = read_as<double>(data, position); break;
    case DType::kF16: s.f = f16_to_f32(read_as<uint16_t>(data, position)); break;
    case DType::kBF16: s.f = bf16_to_f32(read_as<uint16_t>(data, position)); break;
    case DType::kI8: s.i = read_as<int8_t>(data, position); break;
    case DType::kI16: s.i = read_as<int16_t>(data, position); break;
    case DType::kI32: s.i = read_as<int32_t>(data, position); break;
    case DType::kI64:
    case DType::kU64: s.i = read_as<int64_t>(data, position); break;
    case DType::kU8: s.i = read_as<uint8_t>(data, position); break;
    case DType::kU16: s.i = read_as<uint16_t>(data, position); break;
    case DType::kU32: s.i = read_as<uint32_t>(data, position); break;
    case DType::kBool: s.i = read_as<uint8_t>(data, position) != 0; break;
  }
  return s;
}

void write_element(std::byte* data, DType t, int64_t position, Scalar v) {
  switch (t) {
    case DType::kF32: write_as(data, position, static_cast<float>(v.f)); break;
    case DType::kF64: write_as(data, position, v.f); break;
    case DType::kF16: write_as(data, position, f32_to_f16(static_cast<float>(v.f))); break;
    case DType::kBF16: write_as(data, position, f32_to_bf16(static_cast<float>(v.f))); break;
    default:
      switch (dtype_size(t)) {
        case 1: write_as(data, position, static_cast<uint8_t>(v.i)); break;
        case 2: write_as(data, position, static_cast<uint16_t>(v.i)); break;
        case 4: write_as(data, position, static_cast<uint32_t>(v.i)); break;
        default: write_as(data, position, v.i); break;
      }
  }
}

PointProgram::PointProgram(const std::vector<int64_t>& extents, int accumulators, std::vector<TensorMemory>& tensors,
                           ElementSource* source)
    : extents_(extents), tensors_(tensors), source_(source), sites_of_axis_(extents.size()) {
  regs_.resize(extents.size() + static_cast<size_t>(accumulators));
  for (Scalar& r : regs_) r.i = 0;
}

int PointProgram::temporary() {
  Scalar zero;
  zero.i = 0;
  regs_.push_back(zero);
  return static_cast<int>(regs_.size()) - 1;
}

void PointProgram::add_move(int to, int from, DType t) { code_.push_back({Code::kMove, Op::kInt, t, t, to, from, 0, 0}); }

void PointProgram::forget_shared() {
  shared_.clear();
  shared_order_.clear();
}

int PointProgram::compile(const Expr& e, const std::vector<int>& acc) {
  if (e->op == Op::kVar) return e->id;
  if (e->op == Op::kAcc) return acc[static_cast<size_t>(e->id)];
  if (auto it = shared_.find(e.get()); it != shared_.end()) return it->second;
  const int r = compile_node(e, acc);
  shared_.emplace(e.get(), r);
  shared_order_.push_back(e.get());
  kept_.push_back(e);  // so that no other node takes the address
  return r;
}

int PointProgram::compile_node(const Expr& e, const std::vector<int>& acc) {
  switch (e->op) {
    case Op::kInt:
    case Op::kFloat: {
      const int r = temporary();
      if (e->op == Op::kInt) {
        regs_[r].i = e->ival;
      } else {
        regs_[r].f = e->fval;
      }
      return r;
    }
    case Op::kLoad: return compile_load(e, acc);
    case Op::kSelect: return compile_select(e, acc);
    default: break;
  }
  TLM_CHECK(e->op >= Op::kAdd) << op_name(e->op) << " in a stage";
  int args[3] = {0, 0, 0};
  for (size_t i = 0; i < e->args.size(); ++i) args[i] = compile(e->args[i], acc);
  const DType arg_type = e->args[0]->dtype;
  Code code = Code::kApply;
  if (e->op == Op::kCast) code = Code::kCast;
  if (e->op == Op::kAdd && arg_type == DType::kF32) code = Code::kAddF32;
  if (e->op == Op::kMul && arg_type == DType::kF32) code = Code::kMulF32;
  if (e->op == Op::kAdd && arg_type == DType::kF64) code = Code::kAddF64;
  if (e->op == Op::kAdd && arg_type == DType::kI64) code = Code::kAddI64;
  if (e->op == Op::kMul && arg_type == DType::kI64) code = Code::kMulI64;
  const int r = temporary();
  code_.push_back({code, e->op, e->dtype, arg_type, r, args[0], args[1], args[2]});
  return r;
}

int PointProgram::compile_load(const Expr& e, const std::vector<int>& acc) {
  const TensorMemory& t = tensors_[static_cast<size_t>(e->id)];
  TLM_CHECK(e->args.size() == t.shape.size()) << "load with " << e->args.size() << " indices of " << to_string(t.shape);
  Site s;
  s.tensor = e->id;
  s.affine = true;
  s.coef.assign(extents_.size(), 0);
  for (size_t d = 0; d < e->args.size() && s.affine; ++d) {
    const auto a = as_affine(e->args[d], static_cast<int>(extents_.size()));
    const auto range = bounds(e->args[d], extents_);
    s.affine = a && range && range->lo >= 0 && range->hi < t.shape[d];
    if (!s.affine) break;
    s.base += a->constant * t.strides[d];
    for (size_t i = 0; i < s.coef.size(); ++i) s.coef[i] += a->coef[i] * t.strides[d];
  }
  if (!s.affine)
    for (const Expr& i : e->args) s.indices.push_back(compile(i, acc));
  const int number = static_cast<int>(sites_.size());
  for (size_t a = 0; a < s.coef.size() && s.affine; ++a)
    if (s.coef[a]) sites_of_axis_[a].push_back(number);
  const bool plain = s.affine && t.ready.empty() && t.dtype == DType::kF32;
  sites_.push_back(std::move(s));
  const int r = temporary();
  code_.push_back({plain ? Code::kLoadF32 : Code::kLoad, Op::kLoad, e->dtype, e->dtype, r, number, 0, 0});
  return r;
}

int PointProgram::compile_select(const Expr& e, const std::vector<int>& acc) {
  const int condition = compile(e->args[0], acc);
  const int r = temporary();
  const size_t branch = code_.size();
  code_.push_back({Code::kJumpIfNot, Op::kSelect, e->dtype, e->dtype, 0, condition, 0, 0});
  // What an arm computes is not there when the other arm was taken.
  const auto arm = [&](const Expr& x) {
    const size_t mark = shared_order_.size();
    add_move(r, compile(x, acc), e->dtype);
    while (shared_order_.size() > mark) {
      shared_.erase(shared_order_.back());
      shared_order_.pop_back();
    }
  };
  arm(e->args[1]);
  const size_t leave = code_.size();
  code_.push_back({Code::kJump, Op::kSelect, e->dtype, e->dtype, 0, 0, 0, 0});
  code_[branch].dst = size();
  arm(e->args[2]);
  code_[leave].dst = size();
  code_.push_back({Code::kSelectError, Op::kSelect, e->dtype, e->dtype, r, condition, 0, 0});
  return r;
}

void PointProgram::seek() {
  for (Site& s : sites_) {
    s.address = s.base;
    for (size_t a = 0; a < s.coef.size(); ++a) s.address += s.coef[a] * regs_[a].i;
  }
}

void PointProgram::advance(int axis, int64_t steps) {
  regs_[axis].i += steps;
  for (int n : sites_of_axis_[static_cast<size_t>(axis)]) sites_[n].address += sites_[n].coef[static_cast<size_t>(axis)] * steps;
}

int64_t PointProgram::locate(const Site& s) const {
  if (s.affine) return s.address;
  const TensorMemory& t = tensors_[static_cast<size_t>(s.tensor)];
  int64_t position = 0;
  for (size_t d = 0; d < s.indices.size(); ++d) {
    const int64_t i = regs_[s.indices[d]].i;
    TLM_CHECK(i >= 0 && i < t.shape[d]) << "index " << i << " of dimension " << d << " of tensor " << s.tensor << " "
                                        << to_string(t.shape);
    position += i * t.strides[d];
  }
  return position;
}

void PointProgram::load(const Instr& i) {
  const Site& s = sites_[static_cast<size_t>(i.a)];
  TensorMemory& t = tensors_[static_cast<size_t>(s.tensor)];
  const int64_t position = locate(s);
  if (!t.ready.empty() && !t.ready[position]) source_->compute(s.tensor, position);
  regs_[i.dst] = read_element(t.data, t.dtype, position);
  if (!errors_.empty()) errors_[i.dst] = t.error.empty() ? 0 : t.error[position];
}

// First-order bound of the error of one operator: how far the result moves when the arguments do, and its own rounding.
double PointProgram::propagate(const Instr& i) const {
  const int operands[3] = {i.a, i.b, i.c};
  const int n = i.code == Code::kCast ? 1 : op_arity(i.op);
  double moved = 0;
  const auto eval = [&](const Scalar* v) {
    return i.code == Code::kCast ? cast_scalar(v[0], i.arg_type, i.type) : apply(i.op, i.arg_type, v);
  };
  for (int k = 0; k < n; ++k) {
    const double e = errors_[operands[k]];
    if (e == 0) continue;
    if (!std::isfinite(e)) return e;
    double farthest = 0;
    for (double sign : {-1.0, 1.0}) {
      Scalar v[3] = {regs_[i.a], regs_[i.b], regs_[i.c]};
      if (is_float(i.arg_type)) {
        v[k].f += sign * e;
      } else {
        v[k].i += static_cast<int64_t>(sign * std::min(e, 1e18));
      }
      const Scalar r = eval(v), here = regs_[i.dst];
      const double d = is_float(i.type) ? r.f - here.f : static_cast<double>(r.i) - static_cast<double>(here.i);
      if (!std::isnan(d)) farthest = std::max(farthest, std::fabs(d));
    }
    moved += farthest;
  }
  if (!is_float(i.type)) return moved;
  // + - * / √ and casts round once; other functions may be polynomials, a few units off.
  const bool exact = i.op == Op::kMin || i.op == Op::kMax || i.op == Op::kNeg || i.op == Op::kAbs;
  const double units = exact ? 0 : i.op >= Op::kRsqrt && i.op <= Op::kErf ? 8 : i.op == Op::kPow ? 32 : 1;
  const double own = std::fabs(regs_[i.dst].f) * units * unit_roundoff(i.type);
  return moved + (std::isfinite(own) ? own : 0);
}

template <bool kErrors>
void PointProgram::execute(int from, int to) {
  for (int pc = from; pc < to; ++pc) {
    const Instr& i = code_[static_cast<size_t>(pc)];
    Scalar* const r = regs_.data();
    switch (i.code) {
      case Code::kLoadF32: {
        const Site& s = sites_[static_cast<size_t>(i.a)];
        r[i.dst].f = reinterpret_cast<const float*>(tensors_[static_cast<size_t>(s.tensor)].data)[s.address];
        break;
      }
      case Code::kLoad: load(i); break;
      case Code::kAddF32: r[i.dst].f = static_cast<float>(r[i.a].f + r[i.b].f); break;
      case Code::kMulF32: r[i.dst].f = static_cast<float>(r[i.a].f * r[i.b].f); break;
      case Code::kAddF64: r[i.dst].f = r[i.a].f + r[i.b].f; break;
      case Code::kAddI64:
        r[i.dst].i = static_cast<int64_t>(static_cast<uint64_t>(r[i.a].i) + static_cast<uint64_t>(r[i.b].i));
        break;
      case Code::kMulI64:
        r[i.dst].i = static_cast<int64_t>(static_cast<uint64_t>(r[i.a].i) * static_cast<uint64_t>(r[i.b].i));
        break;
      case Code::kApply: {
        const Scalar v[3] = {r[i.a], r[i.b], r[i.c]};
        r[i.dst] = apply(i.op, i.arg_type, v);
        break;
      }
      case Code::kCast: r[i.dst] = cast_scalar(r[i.a], i.arg_type, i.type); break;
      case Code::kMove:
        r[i.dst] = r[i.a];
        if (kErrors) errors_[i.dst] = errors_[i.a];
        break;
      case Code::kJump: pc = i.dst - 1; break;
      case Code::kJumpIfNot:
        if (!r[i.a].i) pc = i.dst - 1;
        break;
      case Code::kSelectError:
        // A condition that rounding may flip: a float is taken for continuous there (relu and the like), an integer is open.
        if (kErrors && errors_[i.a] > 0)
          errors_[i.dst] = is_float(i.type) ? 2 * errors_[i.dst] : std::numeric_limits<double>::infinity();
        break;
    }
    if (!kErrors) continue;
    switch (i.code) {
      case Code::kMulF32: {
        const double a = std::fabs(r[i.a].f), b = std::fabs(r[i.b].f), ea = errors_[i.a], eb = errors_[i.b];
        errors_[i.dst] = a * eb + b * ea + ea * eb + std::fabs(r[i.dst].f) * 0x1p-24;
        break;
      }
      case Code::kAddF32:
      case Code::kAddF64:
        errors_[i.dst] = errors_[i.a] + errors_[i.b] + std::fabs(r[i.dst].f) * (i.code == Code::kAddF32 ? 0x1p-24 : 0x1p-53);
        break;
      case Code::kApply:
      case Code::kCast:
      case Code::kAddI64:
      case Code::kMulI64: errors_[i.dst] = propagate(i); break;
      default: break;
    }
  }
}

void PointProgram::run(int from, int to) {
  if (errors_.empty()) {
    execute<false>(from, to);
  } else {
    execute<true>(from, to);
  }
}

}  // namespace tlm::ir
