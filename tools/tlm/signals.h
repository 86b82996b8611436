// What the process has from outside: signals and standard streams.
#pragma once

#include "tlm/core/cancel.h"

namespace tlm::tools {

// SIGINT, SIGTERM and SIGHUP set `cancel`; a further one, a second or more later, ends the
// process at once. A write to a pipe that nobody reads, or beyond a limit of file sizes, fails instead of ending the process, so
// that temporary files are removed.
void install_signal_handlers(const CancelToken& cancel);

// Descriptors 0 to 2 that are closed would be given to files opened later, which prints would then run into: takes their places.
void occupy_standard_streams();

// Flushes standard output. False: something could not be written. A reader that went away (`| head`) had enough: true.
bool flush_standard_output();

}  // namespace tlm::tools
