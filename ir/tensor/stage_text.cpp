// Text of subgraphs, one statement in a line:
//   subgraph "conv" {
//     input X: f32[1,64,56,56]
//     constant W: f32[64,64,3,3]
//     output Y: f32[1,64,54,54] strides [186624,1,3456,64]
//     stage "conv" {
//       spatial n:1, co:64, h:54, w:54
//       reduce ci:64, r:3, s:3
//       body X[n, ci, h + r, w + s]*W[co, ci, r, s]
//       combine sum
//       store Y[n, co, h, w] = acc0
//     }
//   }
// A name that is no plain word, or not unique, follows its substitute in quotes: input t0 "a/b:0": f32[4].
#include <algorithm>
#include <set>

#include "tlm/core/error.h"
#include "tlm/ir/tensor/expr_text.h"
#include "tlm/ir/tensor/line_reader.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::ir {
namespace {

constexpr const char* kRoles[] = {"input", "output", "constant", "internal"};
constexpr const char* kCombiners[] = {"none", "sum", "prod", "max", "min", "any", "all", "tuple"};
constexpr const char* kAxisKinds[] = {"spatial", "reduce", "scan"};
constexpr int kMaxRank = 64;

// Substitutes look like t0, a12; a name of that form is always replaced.
bool looks_like_substitute(const std::string& name, char prefix) {
  return name.size() > 1 && name[0] == prefix && name.find_first_not_of("0123456789", 1) == std::string::npos;
}

std::vector<std::string> identifiers(const std::vector<std::string>& names, char prefix, std::set<std::string>& taken) {
  std::vector<std::string> result;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& n = names[i];
    const bool plain = is_plain_name(n) && !looks_like_substitute(n, 't') && !looks_like_substitute(n, 'a');
    result.push_back(plain && taken.insert(n).second ? n : prefix + std::to_string(i));
  }
  return result;
}

std::string declared(const std::string& identifier, const std::string& name) {
  return identifier == name ? name : identifier + " " + quote(name);
}

bool same(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), equal);
}

// Is the combiner what its kind alone says?
bool is_standard(const Combiner& c, const std::vector<Expr>& body) {
  if (c.kind == CombinerKind::kNone || c.kind == CombinerKind::kTuple || body.size() != 1) return false;
  const bool logical = c.kind == CombinerKind::kAny || c.kind == CombinerKind::kAll;
  if (logical != (body[0]->dtype == DType::kBool) && logical) return false;
  const Combiner standard = make_combiner(c.kind, body[0]->dtype);
  return c.associative && c.commutative && same(c.identity, standard.identity) && same(c.combine, standard.combine);
}

class Printer {
 public:
  explicit Printer(const Subgraph& g) : g_(g) {
    std::vector<std::string> names;
    for (const TensorDecl& t : g.tensors) names.push_back(t.name);
    tensors_ = identifiers(names, 't', tensor_names_);
  }

  std::string run() {
    out_ = "subgraph " + quote(g_.name) + " {\n";
    for (size_t i = 0; i < g_.tensors.size(); ++i) tensor(g_.tensors[i], tensors_[i]);
    for (const Stage& s : g_.stages) stage(s);
    return out_ + "}\n";
  }

 private:
  void tensor(const TensorDecl& t, const std::string& id) {
    out_ += std::string("  ") + kRoles[static_cast<int>(t.role)] + " " + declared(id, t.name) + ": ";
    (out_ += dtype_name(t.dtype)) += to_string(t.shape);
    int64_t count = 1;  // without the checks of element_count: printing must not fail
    for (int64_t e : t.shape) count = static_cast<int64_t>(static_cast<uint64_t>(count) * static_cast<uint64_t>(e));
    if (t.strides != row_major_strides(t.shape)) out_ += " strides " + to_string(t.strides);
    if (t.offset != 0) out_ += " offset " + std::to_string(t.offset);
    if (t.buffer_elements != count) out_ += " buffer " + std::to_string(t.buffer_elements);
    out_ += "\n";
  }

  void stage(const Stage& s) {
    out_ += "  stage " + quote(s.name) + " {\n";
    std::vector<std::string> names;
    for (const Axis& a : s.axes) names.push_back(a.name);
    std::set<std::string> taken = tensor_names_;
    const std::vector<std::string> vars = identifiers(names, 'a', taken);
    for (size_t i = 0; i < s.axes.size(); ++i) {
      const bool first = i == 0 || s.axes[i].kind != s.axes[i - 1].kind;
      out_ += first ? (i ? "\n    " : "    ") + std::string(kAxisKinds[static_cast<int>(s.axes[i].kind)]) + " " : ", ";
      out_ += declared(vars[i], s.axes[i].name) + ":" + std::to_string(s.axes[i].extent);
    }
    if (!s.axes.empty()) out_ += "\n";
    if (s.exclusive) out_ += "    exclusive\n";
    const auto text = [&](const Expr& e) { return ir::print(e, vars, tensors_); };
    for (const Expr& e : s.body) out_ += "    body " + text(e) + "\n";
    const Combiner& c = s.combiner;
    if (c.kind != CombinerKind::kNone || !c.identity.empty() || !c.combine.empty()) {
      out_ += std::string("    combine ") + kCombiners[static_cast<int>(c.kind)];
      if (!is_standard(c, s.body)) {
        if (!c.associative) out_ += " not_associative";
        if (!c.commutative) out_ += " not_commutative";
        for (const Expr& e : c.identity) out_ += "\n    identity " + text(e);
        for (const Expr& e : c.combine) out_ += "\n    update " + text(e);
      }
      out_ += "\n";
    }
    for (size_t i = 0; i < s.outputs.size(); ++i) {
      const StageOutput& o = s.outputs[i];
      out_ += "    store " + tensors_[static_cast<size_t>(o.tensor)] + "[";
      for (size_t d = 0; d < o.indices.size(); ++d) out_ += (d ? ", " : "") + text(o.indices[d]);
      out_ += "] = " + text(s.result[i]) + "\n";
    }
    out_ += "  }\n";
  }

  const Subgraph& g_;
  std::set<std::string> tensor_names_;
  std::vector<std::string> tensors_;
  std::string out_;
};

class Parser {
 public:
  explicit Parser(const std::string& text) {
    size_t start = 0;
    while (start < text.size()) {
      size_t end = std::min(text.find('\n', start), text.size());
      lines_.push_back(std::string_view(text).substr(start, end - start));
      start = end + 1;
    }
  }

  Subgraph run() {
    Subgraph g;
    LineReader r = next();
    r.expect("subgraph");
    g.name = name_or_word(r);
    end_with(r, "{");
    for (;;) {
      r = next();
      if (r.accept("}")) break;
      if (r.accept("stage")) {
        g.stages.push_back(stage(r, g));
      } else {
        tensor(r, g);
      }
    }
    done(r);
    for (; at_ < lines_.size(); ++at_)
      if (LineReader rest(lines_[at_], number()); !rest.at_end()) rest.fail("text after the end of the subgraph");
    return g;
  }

 private:
  int number() const { return static_cast<int>(at_) + 1; }

  LineReader next() {
    while (at_ < lines_.size()) {
      LineReader r(lines_[at_], number());
      ++at_;
      if (!r.at_end()) return r;
    }
    LineReader r("", number());
    r.fail("the text ends inside the subgraph");
  }

  static void done(LineReader& r) {
    if (!r.at_end()) r.fail("unexpected text");
  }
  static void end_with(LineReader& r, const char* symbol) {
    r.expect(symbol);
    done(r);
  }
  static std::string name_or_word(LineReader& r) { return r.next_is_quote() ? r.quoted() : r.word(); }

  void tensor(LineReader& r, Subgraph& g) {
    TensorDecl t;
    const std::string role = r.word();
    const auto* known = std::find(std::begin(kRoles), std::end(kRoles), role);
    if (known == std::end(kRoles)) r.fail("`" + role + "` is neither a tensor's role nor `stage`");
    t.role = static_cast<TensorRole>(known - kRoles);
    const std::string id = r.word();
    t.name = r.next_is_quote() ? r.quoted() : id;
    r.expect(":");
    const std::string type = r.word();
    const auto dtype = parse_dtype(type);
    if (!dtype) r.fail("`" + type + "` is not an element type");
    t.dtype = *dtype;
    t.shape = r.integers();
    if (t.shape.size() > kMaxRank) r.fail("too many dimensions");
    int64_t count = 0;
    try {
      count = element_count(t.shape);
    } catch (const Error& e) {
      r.fail(e.message());
    }
    t.strides = r.accept("strides") ? r.integers() : row_major_strides(t.shape);
    t.offset = r.accept("offset") ? r.integer() : 0;
    t.buffer_elements = r.accept("buffer") ? r.integer() : count;
    done(r);
    if (!scope_.tensors.emplace(id, static_cast<int>(g.tensors.size())).second) r.fail("`" + id + "` is declared twice");
    scope_.tensor_types.push_back(t.dtype);
    g.tensors.push_back(std::move(t));
  }

  void axes(LineReader& r, AxisKind kind, Stage& s) {
    do {
      Axis a;
      a.kind = kind;
      const std::string id = r.word();
      a.name = r.next_is_quote() ? r.quoted() : id;
      r.expect(":");
      a.extent = r.integer();
      if (a.extent < 0) r.fail("negative extent");
      if (!scope_.vars.emplace(id, static_cast<int>(s.axes.size())).second) r.fail("`" + id + "` is declared twice");
      s.axes.push_back(std::move(a));
    } while (r.accept(","));
  }

  void combiner(LineReader& r, Stage& s) {
    const std::string kind = r.word();
    const auto* known = std::find(std::begin(kCombiners), std::end(kCombiners), kind);
    if (known == std::end(kCombiners)) r.fail("`" + kind + "` is not a combiner");
    s.combiner.kind = static_cast<CombinerKind>(known - kCombiners);
    s.combiner.associative = !r.accept("not_associative");
    s.combiner.commutative = !r.accept("not_commutative");
  }

  // A combiner without spelled-out meaning is the standard one of its kind.
  static void complete_combiner(LineReader& r, Stage& s) {
    Combiner& c = s.combiner;
    if (c.kind == CombinerKind::kNone || c.kind == CombinerKind::kTuple || !c.identity.empty() || !c.combine.empty()) return;
    if (s.body.size() != 1) r.fail("a named combiner needs exactly one body");
    const bool logical = c.kind == CombinerKind::kAny || c.kind == CombinerKind::kAll;
    if (logical && s.body[0]->dtype != DType::kBool) r.fail("a logical combiner needs a bool body");
    c = make_combiner(c.kind, s.body[0]->dtype);
  }

  Stage stage(LineReader& r, const Subgraph& g) {
    Stage s;
    s.name = name_or_word(r);
    end_with(r, "{");
    scope_.vars.clear();
    scope_.acc_types.clear();
    for (;;) {
      r = next();
      if (r.accept("}")) break;
      statement(r, g, s);
      done(r);
    }
    done(r);
    complete_combiner(r, s);
    return s;
  }

  void statement(LineReader& r, const Subgraph& g, Stage& s) {
    if (r.accept("spatial")) {
      axes(r, AxisKind::kSpatial, s);
    } else if (r.accept("reduce")) {
      axes(r, AxisKind::kReduce, s);
    } else if (r.accept("scan")) {
      axes(r, AxisKind::kScan, s);
    } else if (r.accept("exclusive")) {
      s.exclusive = true;
    } else if (r.accept("body")) {
      scope_.acc_types.clear();
      s.body.push_back(r.expression(scope_));
    } else if (r.accept("combine")) {
      combiner(r, s);
    } else if (r.accept("identity")) {
      scope_.acc_types.clear();
      s.combiner.identity.push_back(r.expression(scope_));
    } else if (r.accept("update")) {
      set_acc_types(s, 2);
      s.combiner.combine.push_back(r.expression(scope_));
    } else if (r.accept("store")) {
      store(r, g, s);
    } else {
      r.fail("unknown statement");
    }
  }

  void set_acc_types(const Stage& s, int times) {
    scope_.acc_types.clear();
    for (int i = 0; i < times; ++i)
      for (const Expr& e : s.body) scope_.acc_types.push_back(e->dtype);
  }

  void store(LineReader& r, const Subgraph&, Stage& s) {
    StageOutput o;
    const std::string id = r.word();
    const auto t = scope_.tensors.find(id);
    if (t == scope_.tensors.end()) r.fail("`" + id + "` is not a tensor");
    o.tensor = t->second;
    scope_.acc_types.clear();
    r.expect("[");
    if (!r.accept("]")) {
      do o.indices.push_back(r.expression(scope_));
      while (r.accept(","));
      r.expect("]");
    }
    r.expect("=");
    set_acc_types(s, 1);
    s.result.push_back(r.expression(scope_));
    s.outputs.push_back(std::move(o));
  }

  std::vector<std::string_view> lines_;
  size_t at_ = 0;
  ExprScope scope_;
};

}  // namespace

std::string print(const Expr& e, const std::vector<std::string>& vars, const std::vector<std::string>& tensors) {
  const auto pick = [](const std::vector<std::string>& names, int i, const char* prefix) {
    return i >= 0 && i < static_cast<int>(names.size()) ? names[static_cast<size_t>(i)] : prefix + std::to_string(i);
  };
  ExprNames names;
  names.var = [&](int i) { return pick(vars, i, "?v"); };
  names.tensor = [&](int i) { return pick(tensors, i, "?t"); };
  names.local = [&](int i) { return pick({}, i, "?l"); };
  return print(e, names);
}

std::string print(const Subgraph& g) { return Printer(g).run(); }
Subgraph parse_subgraph(const std::string& text) { return Parser(text).run(); }

}  // namespace tlm::ir
