#include "tlm/ir/graph/op_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tlm/core/error.h"
#include "tlm/ir/graph/onnx_dtype.h"

namespace tlm::ir {
namespace {

std::vector<OpKind> all_operators() {
  std::vector<OpKind> ops;
  for (int i = 0; i < static_cast<int>(OpKind::kRemoved); ++i) ops.push_back(static_cast<OpKind>(i));
  return ops;
}

TEST(OpKind, NamesRoundTrip) {
  for (OpKind op : all_operators()) EXPECT_EQ(parse_op_kind(op_kind_name(op)), op);
  EXPECT_EQ(parse_op_kind("NonZero"), std::nullopt);
  EXPECT_EQ(parse_op_kind("Removed"), std::nullopt);
  EXPECT_EQ(parse_op_kind(""), std::nullopt);
  EXPECT_THROW(op_row(OpKind::kRemoved), InternalError);
}

TEST(OpTable, RowsAreSound) {
  for (OpKind op : all_operators()) {
    const OpRow& row = op_row(op);
    const std::string name(op_kind_name(op));
    EXPECT_EQ(row.op, op);
    EXPECT_TRUE(row.max_inputs < 0 || row.max_inputs >= row.min_inputs) << name;
    EXPECT_TRUE(row.max_outputs < 0 || row.max_outputs >= row.min_outputs) << name;
    EXPECT_TRUE(row.since >= 7 && row.since <= 23) << name;
    EXPECT_NE(row.rule, nullptr) << name;
    std::set<std::string_view> attrs;
    for (const AttrRow& a : row.attrs) EXPECT_TRUE(attrs.insert(a.name).second) << name << " " << a.name;
  }
}

TEST(OnnxDtype, NumbersRoundTrip) {
  for (int i = 0; i <= static_cast<int>(DType::kBool); ++i) {
    const auto t = static_cast<DType>(i);
    EXPECT_EQ(dtype_of_onnx(onnx_of_dtype(t)), t);
  }
  for (const int64_t no : {-1, 0, 8, 14, 15, 17, 22, 99}) EXPECT_EQ(dtype_of_onnx(no), std::nullopt) << no;
  EXPECT_EQ(onnx_dtype_name(8), "STRING");
  EXPECT_EQ(onnx_dtype_name(99), "type 99");
}

}  // namespace
}  // namespace tlm::ir
