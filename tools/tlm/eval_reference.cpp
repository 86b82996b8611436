// `tlm eval --reference`
#include <cstdio>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/progress.h"
#include "tlm/tools/eval/reference/reference_search.h"
#include "tlm/tools/tlm/eval_options.h"
#include "tlm/tools/tlm/output_files.h"

namespace tlm::tools {

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
  std::string lines;
  for (const eval::Reference& r : result.references) lines += eval::reference_line(r) + "\n";
  write_file_atomic(o.out, lines);
  std::fprintf(stderr, "tlm: %zu of %zu references are complete; %d schedules measured this time%s\n", result.references.size(),
               list.size(), result.measured, result.stopped ? "; the time was over, the same command goes on" : "");
  return 0;
}

}  // namespace tlm::tools
