// Records as JSON lines: what is exported can be imported again, and is the same.
#pragma once

#include <functional>
#include <string>

#include "tlm/space/records/record.h"

namespace tlm::space {

// One line without its end. Numbers keep every bit.
std::string record_line(const Record& r);
// Throws Error(kBadModel) that names `where`: no JSON, a key that is missing, unknown or of another type, a hash that does not
// belong to its text.
Record parse_record_line(const std::string& line, const std::string& where);

}  // namespace tlm::space
