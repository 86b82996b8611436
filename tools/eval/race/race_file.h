// Proposals and rows of a race as JSON lines: what a race that was interrupted goes on from, and what tables are made of.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tlm/tools/eval/race/contender.h"
#include "tlm/tools/eval/race/race.h"

namespace tlm::eval {

// A contender with the fingerprint of its entrant and the names of the workloads.
struct Proposal {
  std::string fingerprint;
  std::vector<std::string> workloads;
  Contender contender;
};

std::string proposal_line(const Proposal& p);  // without its end
std::string row_line(const RaceRow& r);
// Throw Error(kBadModel) that names file and line.
std::vector<Proposal> parse_proposals(const std::string& text, const std::string& where);
std::vector<RaceRow> parse_rows(const std::string& text, const std::string& where);
std::vector<RaceRow> read_rows(const std::filesystem::path& file);  // none if there is no such file

}  // namespace tlm::eval
