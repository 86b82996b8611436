#include "tlm/codegen/measure/batch_programs.h"

#include <map>

#include "tlm/codegen/build/run_jobs.h"
#include "tlm/codegen/lower/lower.h"
#include "tlm/codegen/source/source_c.h"
#include "tlm/core/error.h"
#include "tlm/core/hash.h"

namespace tlm::codegen {
namespace {

// Kernels in one translation unit: starting a compiler costs as much as compiling one or two.
constexpr size_t kKernelsPerUnit = 4;

void lower_program(const space::Space& space, BatchProgram& p) {
  const Result<space::Walk> walk = space.replay(p.schedule);
  if (!walk) {
    p.failure = "the schedule is not legal: " + walk.reason();
    return;
  }
  try {
    p.subgraph = walk->shared_subgraph();
    p.kernel = lower(*p.subgraph, walk->plan(), space.target());
    const ir::Kernel* const kernels[] = {&p.kernel};
    const uint32_t entry[] = {0};
    const std::string source = write_c(kernels, entry, space.target());
    p.source_hash = hash_bytes(source.data(), source.size());
  } catch (const InternalError& e) {
    p.failure = e.message();
  }
}

std::string unit_source(const std::vector<BatchProgram*>& programs, const Target& target, const EditSource& plant) {
  std::vector<const ir::Kernel*> kernels;
  std::vector<uint32_t> entries;
  for (const BatchProgram* p : programs) {
    kernels.push_back(&p->kernel);
    entries.push_back(p->first_entry);
  }
  const std::string source = write_c(kernels, entries, target);
  return plant ? plant(programs[0]->schedule, source) : source;
}

void build(BatchPrograms& batch, const std::vector<BatchProgram*>& programs, const Target& target, const CToolchain& toolchain,
           const BuildOptions& options, const EditSource& plant) {
  if (programs.empty()) return;
  uint32_t entries = 0;
  for (BatchProgram* p : programs) {
    p->first_entry = entries;
    entries += static_cast<uint32_t>(p->kernel.phases.size());
  }
  const size_t per_unit = plant ? 1 : kKernelsPerUnit;
  std::vector<std::string> units((programs.size() + per_unit - 1) / per_unit);
  run_jobs(options.jobs, static_cast<int>(units.size()), [&](int u) {
    const size_t begin = static_cast<size_t>(u) * per_unit, end = std::min(begin + per_unit, programs.size());
    units[static_cast<size_t>(u)] =
        unit_source({programs.begin() + static_cast<long>(begin), programs.begin() + static_cast<long>(end)}, target, plant);
  });
  units.push_back(write_c_module(entries, target));
  batch.images.push_back(build_image(units, target, toolchain, options));
  for (BatchProgram* p : programs) p->image = static_cast<int>(batch.images.size()) - 1;
}

}  // namespace

BatchPrograms build_batch(const space::Space& space, const std::vector<space::Schedule>& schedules, const CToolchain& toolchain,
                          const BuildOptions& options, const EditSource& plant) {
  std::vector<BatchProgram> all(schedules.size());
  run_jobs(options.jobs, static_cast<int>(all.size()), [&](int i) {
    options.cancel.check();
    all[static_cast<size_t>(i)].schedule = schedules[static_cast<size_t>(i)];
    lower_program(space, all[static_cast<size_t>(i)]);
  });

  BatchPrograms batch;
  std::map<uint64_t, int> by_source;
  for (BatchProgram& p : all) {
    const auto next = static_cast<int>(batch.programs.size());
    const int number = p.failure.empty() ? by_source.try_emplace(p.source_hash, next).first->second : next;
    batch.program_of.push_back(number);
    if (number == next) batch.programs.push_back(std::move(p));
  }

  std::vector<BatchProgram*> sound;
  for (BatchProgram& p : batch.programs)
    if (p.failure.empty()) sound.push_back(&p);
  try {
    build(batch, sound, space.target(), toolchain, options, plant);
  } catch (const InternalError&) {  // one of them is rejected: each by itself tells which
    for (BatchProgram* p : sound) {
      try {
        build(batch, {p}, space.target(), toolchain, options, plant);
      } catch (const InternalError& e) {
        p->failure = e.message();
      }
    }
  }
  return batch;
}

uint64_t program_hash(const space::Space& space, const space::Schedule& schedule) {
  BatchProgram p;
  p.schedule = schedule;
  lower_program(space, p);
  return p.failure.empty() ? p.source_hash : 0;
}

}  // namespace tlm::codegen
