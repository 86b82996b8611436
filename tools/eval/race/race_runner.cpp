#include "tlm/tools/eval/race/race_runner.h"

#include <algorithm>
#include <map>
#include <set>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/hash.h"
#include "tlm/tools/eval/race/race_file.h"

namespace tlm::eval {
namespace {

class RaceRunner {
 public:
  RaceRunner(const std::vector<EvalWorkload>& list, const RaceRunOptions& options)
      : list_(list),
        options_(options),
        progress_(options.progress ? *options.progress : no_progress()),
        picks_file_(options.folder / "picks.jsonl"),
        rows_file_(options.folder / "rows.jsonl") {
    for (const EvalWorkload& w : list_) names_.push_back(w.name);
  }

  RaceResult run(std::vector<Contender> contenders, const std::vector<Entrant>& entrants, space::Measurer& selecting,
                 space::Measurer& racing) {
    check_names(contenders, entrants);
    propose_all(contenders, entrants);
    std::map<std::string, RaceRow> done;
    for (RaceRow& r : read_rows(rows_file_)) done[r.name] = std::move(r);
    RaceResult result;
    ProgressTask task(progress_, "race", static_cast<int64_t>(list_.size()));
    for (size_t i = 0; i < list_.size(); ++i) {
      options_.race.cancel.check();
      const EvalWorkload& w = list_[i];
      const auto at = done.find(w.name);
      const bool known = at != done.end() && at->second.plan == race_plan(w, i, contenders, options_.race);
      if (!known) {
        if (options_.stop && options_.stop()) {
          result.stopped = true;
          break;
        }
        done[w.name] = race(w, i, space_of(w, options_.machine), contenders, selecting, racing, options_.race);
        write_rows(done);
      }
      result.rows.push_back(done.at(w.name));
      task.advance(1, w.name);
    }
    return result;
  }

 private:
  // Of what it knows and of where it is asked.
  std::string fingerprint(const Entrant& e) const { return Hasher().text(e.fingerprint).text(options_.race.conditions).hex(); }

  static void check_names(const std::vector<Contender>& contenders, const std::vector<Entrant>& entrants) {
    std::set<std::string> names;
    const auto take = [&](const std::string& name) {
      if (!names.insert(name).second)
        throw Error(ErrorCode::kUsage, "two contenders are called '" + name + "'", "", "give one of them another name");
    };
    for (const Contender& c : contenders) take(c.name);
    for (const Entrant& e : entrants) take(e.name);
  }

  // Proposals of an earlier run whose turn has not come: an interrupt does not lose them.
  static std::string still_to_come(const std::vector<Proposal>& before, const std::vector<Entrant>& entrants,
                                   const std::vector<Contender>& done) {
    std::string lines;
    for (const Proposal& p : before) {
      const auto has_the_name = [&](const auto& x) { return x.name == p.contender.name; };
      if (std::any_of(entrants.begin(), entrants.end(), has_the_name) && std::none_of(done.begin(), done.end(), has_the_name))
        lines += proposal_line(p) + "\n";
    }
    return lines;
  }

  void propose_all(std::vector<Contender>& contenders, const std::vector<Entrant>& entrants) {
    std::vector<SpaceMaker> spaces;
    for (const EvalWorkload& w : list_) spaces.push_back([&w, this] { return space_of(w, options_.machine); });
    std::vector<Proposal> before;
    if (std::filesystem::exists(picks_file_)) before = parse_proposals(read_file(picks_file_), picks_file_.string());
    ProgressTask task(progress_, "propose", static_cast<int64_t>(entrants.size()));
    std::string lines;
    for (const Entrant& e : entrants) {
      options_.race.cancel.check();
      const auto known = std::find_if(before.begin(), before.end(), [&](const Proposal& p) {
        return p.contender.name == e.name && p.contender.k == e.k && p.fingerprint == fingerprint(e) && p.workloads == names_;
      });
      contenders.push_back(known != before.end() ? known->contender : propose(e, spaces, contenders));
      lines += proposal_line({fingerprint(e), names_, contenders.back()}) + "\n";
      if (known == before.end()) write_file_atomic(picks_file_, lines + still_to_come(before, entrants, contenders));
      task.advance(1, e.name);
    }
  }

  void write_rows(const std::map<std::string, RaceRow>& done) {
    std::string lines;
    for (const EvalWorkload& w : list_)
      if (const auto at = done.find(w.name); at != done.end()) lines += row_line(at->second) + "\n";
    write_file_atomic(rows_file_, lines);
  }

  const std::vector<EvalWorkload>& list_;
  const RaceRunOptions& options_;
  Progress& progress_;
  const std::filesystem::path picks_file_, rows_file_;
  std::vector<std::string> names_;
};

}  // namespace

RaceResult run_race(const std::vector<EvalWorkload>& list, const std::vector<Contender>& known,
                    const std::vector<Entrant>& entrants, space::Measurer& selecting, space::Measurer& racing,
                    const RaceRunOptions& options) {
  std::filesystem::create_directories(options.folder);
  return RaceRunner(list, options).run(known, entrants, selecting, racing);
}

}  // namespace tlm::eval
