// What the records of a batch have in common, under its JSON names: one list for all that writes and reads it.
#pragma once

namespace tlm::space {

// `r` is a Record, const or not.
template <typename R, typename F>
void for_each_batch_field(R& r, F&& f) {
  f("gflops_before", r.before.gflops);
  f("gbytes_before", r.before.gbytes_s);
  f("gflops_after", r.after.gflops);
  f("gbytes_after", r.after.gbytes_s);
  f("repeats", r.repeats);
  f("unsteady", r.unsteady);
  f("threads", r.threads);
  f("cache_state", r.cache_state);
  f("compiler", r.compiler);
  f("flags", r.flags);
  f("space_version", r.space_version);
  f("emitter_version", r.emitter_version);
  f("date", r.date);
}

}  // namespace tlm::space
