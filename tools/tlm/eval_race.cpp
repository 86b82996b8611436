// `tlm eval --race`
#include <algorithm>
#include <cstdio>
#include <map>

#include "tlm/codegen/emitter_version.h"
#include "tlm/codegen/measure/batch_programs.h"
#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/hash.h"
#include "tlm/core/progress.h"
#include "tlm/core/thread_pool.h"
#include "tlm/kernels/cpu/fma_peak.h"
#include "tlm/kernels/cpu/memory_stream.h"
#include "tlm/space/language/vocabulary.h"
#include "tlm/space/records/record_store.h"
#include "tlm/space/version.h"
#include "tlm/tools/eval/entrants.h"
#include "tlm/tools/eval/race/race_runner.h"
#include "tlm/tools/eval/race/race_summary.h"
#include "tlm/tools/eval/race/race_table.h"
#include "tlm/tools/eval/reference/reference_file.h"
#include "tlm/tools/tlm/eval_options.h"
#include "tlm/tools/tlm/output_files.h"

namespace tlm::tools {
namespace {

namespace fs = std::filesystem;

// "NAME=FOLDER", or a folder that is its own name.
eval::ModelChoice model_choice(const std::string& text) {
  eval::ModelChoice c;
  const size_t at = text.find('=');
  c.folder = at == std::string::npos ? text : text.substr(at + 1);
  c.name = at == std::string::npos ? fs::path(text).filename().string() : text.substr(0, at);
  if (c.name.empty() || c.folder.empty()) throw Error(ErrorCode::kUsage, "a model is NAME=FOLDER, not '" + text + "'", "--model");
  return c;
}

eval::EntrantOptions entrant_options(const EvalOptions& o) {
  constexpr const char* kWeights = "lm/pretrained";  // of the source tree
  eval::EntrantOptions e;
  if (o.models.empty() && !fs::exists(kWeights))
    throw Error(ErrorCode::kUsage, "the default weights are not there", kWeights,
                "run in the folder of tlm's sources, or name a model: --model NAME=FOLDER; --model none: rivals alone");
  for (const std::string& m : o.models.empty() ? std::vector<std::string>{std::string("lm=") + kWeights} : o.models)
    if (m != "none") e.models.push_back(model_choice(m));
  e.decode = o.decode.empty() ? std::vector<std::string>{"greedy"} : o.decode;
  if (o.k > 1) e.decode_k = o.decode_k.empty() ? std::vector<std::string>{"gumbel"} : o.decode_k;
  e.k = o.k;
  e.blind_target = o.blind_target;
  e.rivals = !o.no_rivals;
  for (const std::string& f : o.training)
    if (f != "none") e.training.push_back(f);
  // Those that the default weights were trained on.
  if (o.training.empty() && fs::is_directory(o.data)) {
    for (const fs::directory_entry& f : fs::directory_iterator(o.data))
      if (f.path().extension() == ".xz") e.training.push_back(f.path());
    std::sort(e.training.begin(), e.training.end());
  }
  e.lists = o.data;
  e.seed = o.seed;
  return e;
}

// The best that is known of each workload, as a contender that measures a few.
eval::Contender best_known(const EvalOptions& o, const std::vector<eval::EvalWorkload>& list, const Target& machine) {
  constexpr int kConfirmed = 4;
  const space::RecordStore store(o.best_of, space::StoreAccess::kRead);
  eval::Contender c{"best known", "search", kConfirmed, {}, {}};
  for (const eval::EvalWorkload& w : list) {
    const auto space = eval::space_of(w, machine);
    std::vector<space::Schedule> schedules;
    for (const space::RankedSchedule& r : store.best(w.hash, space::target_hash(eval::target_of(w, machine)), kConfirmed))
      schedules.push_back(eval::checked(*space, space::parse_schedule(r.record.schedule), w.name, o.best_of));
    if (schedules.empty())
      throw Error(ErrorCode::kUsage, "the workload '" + w.name + "' has no record on this machine", o.best_of,
                  "measure it (`tlm collect`), or leave it out: --only names those that race");
    c.picks.push_back(std::move(schedules));
    c.seconds.push_back(0);
  }
  return c;
}

// What rows and proposals in a folder were made under.
std::string conditions(const Target& machine, int rounds) {
  return Hasher()
      .text(target_json(machine))
      .number(space::kSpaceVersion)
      .number(space::kLanguageVersion)
      .number(codegen::kEmitterVersion)
      .number(rounds)
      .hex();
}

int finish(const EvalOptions& o, const std::string& reference, const std::vector<eval::Contender>& known,
           const std::vector<eval::Entrant>& entrants, const eval::RaceResult& result, size_t workloads) {
  eval::TableOptions table;
  table.reference = reference;
  for (const eval::Entrant& x : entrants) {
    table.contenders.push_back(x.name);
    if (x.kind == "model") {
      table.models.push_back(x.name);
      table.model_k.push_back(x.k);
    } else {
      table.rivals.emplace_back(x.name, x.k);
    }
  }
  for (const eval::Contender& c : known) table.contenders.push_back(c.name);
  const std::string text = eval::race_tables(result.rows, table);
  write_file_atomic(fs::path(o.out) / "table.md", text);
  write_file_atomic(fs::path(o.out) / "summary.json", eval::race_summary(result.rows, table));
  std::fputs(text.c_str(), stdout);
  std::fprintf(stderr, "tlm: raced %zu of %zu workloads%s\n", result.rows.size(), workloads,
               result.stopped ? "; the time was over, the same command goes on" : "");
  return 0;
}

}  // namespace

int race(const EvalOptions& o, const CommandContext& context) {
  const std::vector<eval::EvalWorkload> list = o.list();
  const eval::EntrantOptions wanted = entrant_options(o);
  prepare_output_folder(o.out);
  const Target machine = o.machine();
  ConsoleProgress progress;
  ThreadPool pool;

  std::vector<eval::Contender> known;
  std::string reference;
  const fs::path against = o.against.empty() ? fs::path(o.data) / "reference.jsonl" : fs::path(o.against);
  if (!o.best_of.empty()) {
    known.push_back(best_known(o, list, machine));
    reference = known.back().name;
  } else if (o.against != "none" && (!o.against.empty() || (o.split == "test" && fs::exists(against)))) {
    known = eval::reference_contenders(eval::read_references(against), list, machine, against.string());
    reference = known.back().name;
  }
  const std::vector<eval::Entrant> entrants = eval::make_entrants(wanted, pool, context.log);

  eval::RaceRunOptions options;
  options.folder = o.out;
  options.machine = machine;
  options.progress = &progress;
  options.stop = o.stop_after_time();
  options.race.reference = reference;
  options.race.conditions = conditions(machine, o.rounds);
  options.race.cancel = context.cancel;
  options.race.program = codegen::program_hash;
  std::map<int, double> peaks;  // by cores: the highest so far
  options.race.peak = [&](int cores) { return peaks[cores] = std::max(peaks[cores], kernels::measure_peak_gflops(cores, 4, 3)); };
  std::map<std::pair<int, size_t>, double> streams;  // by cores and bytes, rounded: what caches hold and what they do not
  options.race.stream = [&](int cores, double bytes) {
    size_t rounded = size_t{64} << 10;
    while (static_cast<double>(rounded) < bytes) rounded *= 2;
    double& known_rate = streams[{cores, rounded}];
    if (known_rate == 0)
      known_rate = kernels::measure_stream_gbps(cores, std::max(rounded, static_cast<size_t>(cores) << 16), 3, 4);
    return known_rate;
  };
  constexpr int kSelectingRounds = 7;
  constexpr double kRacingSlow = 20;  // programs that are so much slower than the best run once
  const eval::RaceResult result = eval::run_race(list, known, entrants, *o.measurer(context, kSelectingRounds, 0),
                                                 *o.measurer(context, o.rounds, kRacingSlow), options);
  return finish(o, reference, known, entrants, result, list.size());
}

}  // namespace tlm::tools
