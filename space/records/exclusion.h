// Which workloads nothing may be learned from: those that a model is judged by, and whatever is nearly one of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tlm/ir/tensor/subgraph.h"

namespace tlm::space {

// Neighbours have one structure (key_structure) and extents that differ by at most a tenth.
class Exclusion {
 public:
  void add(const std::string& name, const ir::Subgraph& held_out);
  // Why nothing may be learned from `g`: the split of its key is not "train", or it is (nearly) a workload held out. Empty: it
  // may be. Depends on the main stage alone, so on equal keys it agrees.
  std::string obstacle(const ir::Subgraph& g) const;
  // The same without the split of the key. Empty: `g` is far enough from all that is held out.
  std::string nearest(const ir::Subgraph& g) const;

 private:
  struct HeldOut {
    std::string name;
    std::vector<int64_t> extents;
  };
  std::map<std::string, std::vector<HeldOut>> by_structure_;
  std::map<uint64_t, std::string> by_key_;
};

}  // namespace tlm::space
