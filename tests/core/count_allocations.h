// Counts operator new in the whole test program while one of these lives.
#pragma once

namespace tlm::test {

class CountAllocations {
 public:
  CountAllocations();
  ~CountAllocations();
  int count() const;  // since construction
};

}  // namespace tlm::test
