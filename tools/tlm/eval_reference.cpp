// `tlm eval --reference`
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/progress.h"
#include "tlm/tools/eval/reference/reference_file.h"
#include "tlm/tools/eval/reference/reference_search.h"
#include "tlm/tools/tlm/eval_options.h"
#include "tlm/tools/tlm/output_files.h"

namespace tlm::tools {

namespace {

// The file's references with those of `made` in their places, what is new at the end: a part of the list replaces its own lines
// alone.
std::string merged(const std::string& file, const std::vector<eval::Reference>& made) {
  std::vector<eval::Reference> all;
  if (std::filesystem::exists(file)) all = eval::read_references(file);
  for (const eval::Reference& r : made) {
    const auto same = [&](const eval::Reference& x) { return x.workload == r.workload && x.target == r.target; };
    const auto at = std::find_if(all.begin(), all.end(), same);
    if (at == all.end())
      all.push_back(r);
    else
      *at = r;
  }
  std::string lines;
  for (const eval::Reference& r : all) lines += eval::reference_line(r) + "\n";
  return lines;
}

}  // namespace

int make_reference(const EvalOptions& o, const CommandContext& context) {
  if (o.records.empty()) throw Error(ErrorCode::kUsage, "--reference needs --records FILE", "eval");
  const std::vector<eval::EvalWorkload> list = o.list();
  check_output_files({{"-o", o.out}}, {o.workloads, o.records});
  ConsoleProgress progress;
  eval::ReferenceOptions options;
  options.records = o.records;
  options.machine = o.machine();
  options.trials = o.trials;
  options.seed = o.seed;
  options.cancel = context.cancel;
  options.progress = &progress;
  options.log = context.log;
  options.stop = o.stop_after_time();
  constexpr int kSearchRounds = 7;
  const eval::ReferenceResult result =
      eval::search_references(list, *o.measurer(context, kSearchRounds, 0), *o.measurer(context, o.rounds, 0), options);
  write_file_atomic(o.out, merged(o.out, result.references));
  std::fprintf(stderr, "tlm: %zu of %zu references are complete; %d schedules measured this time%s\n", result.references.size(),
               list.size(), result.measured, result.stopped ? "; the time was over, the same command goes on" : "");
  return 0;
}

}  // namespace tlm::tools
