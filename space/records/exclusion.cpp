#include "tlm/space/records/exclusion.h"

#include <algorithm>

#include "tlm/space/records/split_key.h"

namespace tlm::space {
namespace {

// Sizes of which the larger is at most a tenth more than the smaller.
bool near(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (10 * std::max(a[i], b[i]) > 11 * std::min(a[i], b[i])) return false;
  return true;
}

}  // namespace

void Exclusion::add(const std::string& name, const ir::Subgraph& held_out) {
  if (!by_key_.try_emplace(split_key(held_out), name).second) return;
  by_structure_[key_structure(held_out)].push_back({name, key_extents(held_out)});
}

std::string Exclusion::nearest(const ir::Subgraph& g) const {
  if (const auto at = by_key_.find(split_key(g)); at != by_key_.end()) return "it is " + at->second + ", which is held out";
  const auto at = by_structure_.find(key_structure(g));
  if (at == by_structure_.end()) return {};
  const std::vector<int64_t> extents = key_extents(g);
  for (const HeldOut& h : at->second)
    if (near(h.extents, extents)) return "it is a neighbour of " + h.name + ", which is held out";
  return {};
}

std::string Exclusion::obstacle(const ir::Subgraph& g) const {
  const Split split = split_of(split_key(g));
  if (split != Split::kTrain) return "its key belongs to the split " + std::string(split_name(split));
  return nearest(g);
}

}  // namespace tlm::space
