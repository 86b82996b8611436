// `tlm records spaces`: how large the spaces of recorded workloads are, and what is in them.
#pragma once

#include <string>

namespace tlm::tools {

// A table on stdout: for each workload and target the number of legal schedules, how near random ones come to the best, and how
// near the best comes to the roofline of the machine as the batches' probes saw it.
int records_spaces(const std::string& file);

}  // namespace tlm::tools
