// What kind of work a workload is, found by its accesses: what tables are grouped by.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tlm/ir/tensor/subgraph.h"

namespace tlm::space {

// Of the reducing stage with most operations; only a workload without any is a map.
enum class WorkloadKind : uint8_t {
  kProduct,         // Σ a·b over rows of one operand and columns of the other
  kBatchedProduct,  // … many of them: an axis of both operands
  kMatrixVector,    // … with rows or columns alone
  kWindow,          // Σ over a 3×3 window of unit steps and over channels, enough of them for minimal filtering
  kWindowOther,     // Σ over another window and over channels, or few of them
  kDepthwise,       // Σ over a window, each channel by itself
  kPool,            // a window without weights
  kRowWise,         // any other reduction or scan
  kMap,             // no reduction
};

// "product", "batched-product", "matrix-vector", "window", "window-other", "depthwise", "pool", "row-wise", "map"
std::string_view workload_kind_name(WorkloadKind k);
std::optional<WorkloadKind> parse_workload_kind(std::string_view name);
const std::vector<WorkloadKind>& workload_kinds();  // in the order above

WorkloadKind workload_kind(const ir::Subgraph& g);

}  // namespace tlm::space
