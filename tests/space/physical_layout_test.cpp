// Rows of internal tensors do not share the sets of L1.
#include "tlm/space/physical_layout.h"

#include <gtest/gtest.h>

namespace tlm::space {
namespace {

using ints = std::vector<int64_t>;

ir::TensorDecl tensor(Shape shape, ints strides, ir::TensorRole role) {
  ir::TensorDecl t;
  t.shape = std::move(shape);
  t.strides = std::move(strides);
  t.role = role;
  t.buffer_elements = element_count(t.shape);
  return t;
}

TEST(PhysicalLayout, InternalRowsOfTwoKilobytesGetOneLineMore) {
  const ir::TensorDecl image = tensor({1, 512, 9, 9}, {41472, 1, 4608, 512}, ir::TensorRole::kInternal);
  EXPECT_EQ(physical_strides(image), (ints{42768, 1, 4752, 528}));
  EXPECT_EQ(physical_elements(image), 42768);
}

TEST(PhysicalLayout, OtherTensorsStayAsDeclared) {
  const ints dense = {41472, 1, 4608, 512};
  EXPECT_EQ(physical_strides(tensor({1, 512, 9, 9}, dense, ir::TensorRole::kInput)), dense);
  EXPECT_EQ(physical_elements(tensor({1, 512, 9, 9}, dense, ir::TensorRole::kInput)), 41472);
  EXPECT_EQ(physical_strides(tensor({4, 512}, {}, ir::TensorRole::kConstant)), (ints{512, 1}));
  EXPECT_EQ(physical_strides(tensor({4, 500}, {500, 1}, ir::TensorRole::kInternal)), (ints{500, 1}));  // no power of two
  EXPECT_EQ(physical_strides(tensor({512}, {1}, ir::TensorRole::kInternal)), ints{1});                 // one row
  EXPECT_EQ(physical_strides(tensor({4, 512}, {}, ir::TensorRole::kInternal)), (ints{528, 1}));        // row-major by default
}

}  // namespace
}  // namespace tlm::space
