// An untrained model writes sentences about every workload of the networks at hand. Each is legal, its program is lowered, and a
// sample of the programs is compiled, run and compared with the interpreter by the measurer.
//   TLM_LM_SENTENCES (default 300)  sentences in all        TLM_LM_SEED (default 1)  of the model and the draws
//   TLM_LM_PROGRAMS (default 8)     of them run
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "tests/lm_decoding/models.h"
#include "tlm/codegen/lower/lower.h"
#include "tlm/codegen/measure/measurer.h"
#include "tlm/core/thread_pool.h"
#include "tlm/lm/decoding/decoder.h"
#include "tlm/lm/decoding/strategies.h"
#include "tlm/space/language/sentence.h"

namespace tlm::lm {
namespace {

size_t setting(const char* name, size_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(Untrained, SentencesAreLegalLowerAndRunRight) {
  const size_t wanted = setting("TLM_LM_SENTENCES", 300), programs = setting("TLM_LM_PROGRAMS", 8),
               seed = setting("TLM_LM_SEED", 1);
  const std::vector<ir::Subgraph>& workloads = tlm::test::network_workloads();
  Target target = host_target();
  target.cores = 1 + static_cast<int>(seed % 2);
  std::vector<std::shared_ptr<const space::Space>> spaces;
  for (const ir::Subgraph& g : workloads) spaces.push_back(space::Space::build(g, target));
  const size_t each = (wanted + spaces.size() - 1) / spaces.size();

  const LanguageModel model = test::random_model(seed, standard_language(), 1024);
  const auto strategy = standard_strategies().make("sampling:n=" + std::to_string(each));
  DecodeOptions options;
  options.seed = seed;
  options.executor = &shared_thread_pool();
  DecodeStatistics statistics;
  const std::vector<Answer> answers = decode(model, spaces, *strategy, options, &statistics);

  struct Program {
    size_t space;
    space::Schedule schedule;
  };
  std::vector<Program> different;
  size_t sentences = 0;
  for (size_t i = 0; i < spaces.size(); ++i) {
    ASSERT_EQ(answers[i].sentences.size(), each) << workloads[i].name << ": " << answers[i].reason;
    std::set<uint64_t> seen;
    for (const Sentence& s : answers[i].sentences) {
      const Result<space::Walk> read = space::read_decisions(spaces[i], s.tokens);
      ASSERT_TRUE(read.ok()) << read.reason();
      ++sentences;
      space::Schedule schedule = read->schedule();
      if (!seen.insert(space::hash(schedule)).second) continue;
      const ir::Kernel kernel = codegen::lower(read->subgraph(), read->plan(), target);
      ASSERT_FALSE(kernel.phases.empty()) << workloads[i].name << ": " << print(schedule);
      different.push_back({i, std::move(schedule)});
    }
  }
  std::printf("%zu sentences about %zu workloads in %.0f ms: all legal; %zu different programs, all lowered\n", sentences,
              spaces.size(), statistics.total_ms, different.size());
  EXPECT_GE(sentences, wanted);

  // A sample over all workloads; those of one workload are one batch.
  codegen::MeasureOptions measure;
  measure.jobs = 2;
  measure.rounds = 1;
  const std::unique_ptr<space::Measurer> measurer = codegen::make_measurer(std::move(measure));
  size_t right = 0;
  for (size_t n = 0; n < programs;) {
    const size_t i = different[n * different.size() / programs].space;
    std::vector<space::Schedule> batch;
    for (; n < programs && different[n * different.size() / programs].space == i; ++n)
      batch.push_back(different[n * different.size() / programs].schedule);
    const space::Batch result = measurer->measure(*spaces[i], batch, {});
    for (size_t k = 0; k < batch.size(); ++k) {
      const space::Measurement& m = result.programs[k];
      EXPECT_TRUE(m.timed()) << workloads[i].name << ": " << space::measure_status_name(m.status) << ", " << m.reason << "\n"
                             << print(batch[k]);
      right += m.timed();
    }
  }
  std::printf("%zu of %zu programs agree with the interpreter\n", right, programs);
}

}  // namespace
}  // namespace tlm::lm
