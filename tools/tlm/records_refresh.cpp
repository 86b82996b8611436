#include "tlm/tools/tlm/records_refresh.h"

#include <cstdio>
#include <thread>

#include "tlm/codegen/emitter_version.h"
#include "tlm/codegen/measure/measurer.h"
#include "tlm/core/error.h"
#include "tlm/core/progress.h"
#include "tlm/space/records/refresh.h"
#include "tlm/tools/tlm/arguments.h"
#include "tlm/tools/tlm/table.h"

namespace tlm::tools {
namespace {

std::unique_ptr<space::Measurer> measurer(const RefreshFlags& flags, const CommandContext& context) {
  codegen::MeasureOptions options;
  options.jobs = flags.jobs > 0 ? flags.jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  options.c_compiler = flags.c_compiler;
  options.log = context.log;
  return codegen::make_measurer(std::move(options));
}

void add_measuring_options(CLI::App& command, RefreshFlags& flags) {
  add_number(command, "--jobs", flags.jobs, "J", "Compile workers (default: all cores)", 1, kMaxJobs);
  add_text(command, "--cc", flags.c_compiler, "PROGRAM", "C compiler (default: cc, gcc or clang)");
}

// For writing, but not created.
space::RecordStore open_existing(const std::string& file) {
  { const space::RecordStore there(file, space::StoreAccess::kRead); }
  return space::RecordStore(file);
}

bool measurable(const Target& t) { return codegen::measure_obstacle(t).empty(); }

}  // namespace

void RefreshFlags::add_refresh_options(CLI::App& command) {
  add_number(command, "--top", top, "K", "So many schedules of each workload (default: 10)", 1, 1 << 20);
  command.add_flag("--all", all, "Those too that this version has measured already");
  add_measuring_options(command, *this);
}

void RefreshFlags::add_noise_options(CLI::App& command) {
  add_number(command, "--programs", programs, "N", "Programs, spread over workloads and ranks (default: 200)", 1, 1 << 20);
  add_number(command, "--occasions", occasions, "N", "How often each is measured, all others in between (default: 3)", 2, 1000);
  add_measuring_options(command, *this);
}

int refresh_records(const std::string& file, const RefreshFlags& flags, const CommandContext& context) {
  space::RecordStore store = open_existing(file);
  ConsoleProgress progress;
  space::RefreshOptions options;
  options.top = flags.top;
  options.all = flags.all;
  options.emitter_version = codegen::kEmitterVersion;
  options.measurable = measurable;
  options.cancel = context.cancel;
  options.progress = &progress;
  options.log = context.log;
  const space::RefreshResult r = space::refresh(store, *measurer(flags, context), options);
  std::fprintf(stderr, "tlm: measured %d schedules of %d workloads again; %d were up to date, %d are of other machines\n",
               r.schedules, r.workloads, r.current, r.foreign);
  return 0;
}

int records_noise(const std::string& file, const RefreshFlags& flags, const CommandContext& context) {
  space::RecordStore store = open_existing(file);
  ConsoleProgress progress;
  space::NoiseOptions options;
  options.programs = flags.programs;
  options.occasions = flags.occasions;
  options.measurable = measurable;
  options.cancel = context.cancel;
  options.progress = &progress;
  const space::Noise n = space::measure_noise(store, *measurer(flags, context), options);
  if (n.programs == 0)
    throw Error(ErrorCode::kUsage, "no program of this file can be measured here", file, "see `tlm records list`");
  std::printf("programs       %d of %d workloads, each on %d occasions\n", n.programs, n.workloads, flags.occasions);
  std::printf("sigma          %s of the logarithm of the ratio (root mean square over programs)\n", fixed(n.sigma, 4).c_str());
  std::printf("               %s median, %s at the 90th percentile\n", fixed(n.median_sigma, 4).c_str(),
              fixed(n.p90_sigma, 4).c_str());
  std::printf("unsteady       %d batches\n", n.unsteady_batches);
  return 0;
}

}  // namespace tlm::tools
