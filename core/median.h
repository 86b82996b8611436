// The middle of a few measurements.
#pragma once

#include <vector>

namespace tlm {

// Of an even number the mean of the two in the middle; 0 of none.
double median(std::vector<double> values);

}  // namespace tlm
