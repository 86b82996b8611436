#include "tlm/codegen/lower/lower.h"

#include "tlm/codegen/lower/apply_schedule.h"
#include "tlm/codegen/lower/bind_device.h"
#include "tlm/codegen/lower/form_fma.h"
#include "tlm/codegen/lower/hoist_offsets.h"
#include "tlm/codegen/lower/load_once.h"
#include "tlm/codegen/lower/merge_parallel.h"
#include "tlm/codegen/lower/place_storage.h"
#include "tlm/codegen/lower/transpose_loads.h"
#include "tlm/codegen/lower/unroll.h"
#include "tlm/codegen/lower/vectorize.h"

namespace tlm::codegen {

ir::Kernel lower(const ir::Subgraph& g, const space::SchedulePlan& plan, const Target& target, const LowerOptions& options) {
  ir::Kernel k;
  auto pass = [&](const char* name, auto&& run) {
    run();
    if (options.after) options.after(name, k);
  };
  pass("apply_schedule", [&] { k = apply_schedule(g, plan, target); });
  pass("place_storage", [&] { place_storage(k); });
  pass("vectorize", [&] { vectorize(k); });
  pass("unroll", [&] { unroll(k); });
  pass("transpose_loads", [&] { transpose_loads(k); });
  pass("load_once", [&] { load_once(k); });
  pass("form_fma", [&] { form_fma(k, target); });
  pass("merge_parallel", [&] { merge_parallel(k); });
  if (target.device == DeviceKind::kCuda) pass("bind_device", [&] { bind_device(k, target); });
  pass("hoist_offsets", [&] { hoist_offsets(k); });
  ir::verify(k);
  return k;
}

}  // namespace tlm::codegen
