#include "tlm/lm/decoding/decoder.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "tlm/core/error.h"
#include "tlm/core/stopwatch.h"
#include "tlm/lm/decoding/draft.h"
#include "tlm/lm/parallel.h"

namespace tlm::lm {
namespace {

constexpr int64_t kLikelySentence = 128;  // tokens, for the size of a group

// As lm::guarded_parallel_for, with an index into something.
template <typename Body>
void guarded_for(Executor& executor, size_t count, const Body& body) {
  guarded_parallel_for(executor, static_cast<int64_t>(count), [&](int64_t i) { body(static_cast<size_t>(i)); });
}

// A sentence of a prompt as the strategy sees it. Sentences with the same choices are one draft: it is read once.
struct Entry {
  std::shared_ptr<Draft> draft;
  double score = 0, log_weight = 0;
  int branch = 0;
};

// One prompt on its way.
struct Task {
  const space::Space* space = nullptr;
  uint64_t workload = 0;
  std::vector<Entry> entries;
  std::vector<std::shared_ptr<Draft>> drafts;  // of the entries, each once
  std::string reason;                          // not empty: nothing fits the context

  bool finished() const {
    return std::all_of(drafts.begin(), drafts.end(), [](const auto& d) { return d->done(); });
  }
};

class Decoder {
 public:
  Decoder(const LanguageModel& model, const Strategy& strategy, const DecodeOptions& options)
      : model_(model),
        strategy_(strategy),
        options_(options),
        executor_(options.executor ? *options.executor : serial_executor()) {}

  std::vector<Task> run(const std::vector<std::shared_ptr<const space::Space>>& spaces, size_t begin, size_t end) {
    std::vector<Task> tasks(end - begin);
    guarded_for(executor_, tasks.size(), [&](size_t i) { open(tasks[i], *spaces[begin + i]); });
    read_prompts(tasks);
    for (int step = 0;; ++step) {
      options_.cancel.check();
      std::vector<Task*> open;
      for (Task& t : tasks)
        if (t.reason.empty() && !t.finished()) open.push_back(&t);
      if (open.empty()) return tasks;
      go_on(open, step);
      read_choices(open);
    }
  }

  DecodeStatistics statistics;

 private:
  int64_t context() const { return model_.model().config().context; }

  void open(Task& task, const space::Space& space) const {
    task.space = &space;
    task.workload = ir::workload_hash(space.subgraph());
    auto draft = std::make_shared<Draft>(space::Grammar(space.walk()));
    draft->unread = model_.opening(options_.prompt ? options_.prompt(space) : write_prompt(space, model_.info().form),
                                   options_.quality.value_or(0));
    advance_to_choice(*draft, model_);
    task.drafts = {draft};
    task.entries.push_back({draft});
  }

  // Prompt and forced beginning are read once and shared by all that follows.
  void read_prompts(std::vector<Task>& tasks) {
    std::vector<Draft*> drafts;
    for (Task& t : tasks) {
      Draft& draft = *t.drafts[0];
      if (draft.done()) continue;  // no choice at all
      if (!fits(t, draft, 0)) continue;
      draft.cache = std::make_unique<KvCache>(model_.model().config());
      drafts.push_back(&draft);
    }
    statistics.prompt_tokens += read(drafts);
  }

  bool fits(Task& task, const Draft& draft, int64_t read) const {
    const int64_t needed = read + static_cast<int64_t>(draft.unread.size());
    if (needed <= context()) return true;
    task.reason = std::to_string(needed) + " tokens and more in a context of " + std::to_string(context());
    return false;
  }

  // Reads what is unread and learns what may come next. Returns the number of tokens.
  int64_t read(const std::vector<Draft*>& drafts) {
    if (drafts.empty()) return 0;
    std::vector<Chunk> chunks;
    int64_t tokens = 0;
    for (Draft* d : drafts) {
      chunks.push_back({d->unread, d->cache.get()});
      tokens += static_cast<int64_t>(d->unread.size());
    }
    const Stopwatch time;
    const std::vector<float> logits = model_.model().forward(chunks, LogitsOf::kLastToken, executor_);
    statistics.model_ms += time.ms();
    ++statistics.calls;
    const auto V = static_cast<size_t>(model_.model().config().vocabulary);
    guarded_for(executor_, drafts.size(), [&](size_t i) {
      read_logits(*drafts[i], std::span(logits).subspan(i * V, V), model_);
      drafts[i]->unread.clear();
    });
    return tokens;
  }

  // The strategy chooses for each prompt; each distinct choice becomes one draft.
  void go_on(const std::vector<Task*>& tasks, int step) {
    struct Step {
      std::shared_ptr<Draft> from, to;
      int choice;
      bool last;  // nothing else goes on from there: the cache moves
    };
    std::vector<std::vector<Step>> steps_of(tasks.size());
    guarded_for(executor_, tasks.size(), [&](size_t i) {
      Task& task = *tasks[i];
      std::vector<Hypothesis> hypotheses;
      for (const Entry& e : task.entries)
        hypotheses.push_back({e.draft->allowed, e.draft->log_probabilities, e.draft->log_probability, e.draft->path, e.score,
                              e.log_weight, e.branch});
      const std::vector<Continuation> chosen = strategy_.next({options_.seed, task.workload, step}, hypotheses);
      TLM_CHECK(!chosen.empty()) << "the strategy drops every hypothesis";
      std::vector<Entry> entries;
      std::vector<std::shared_ptr<Draft>> drafts;
      std::map<std::pair<const Draft*, int>, std::shared_ptr<Draft>> known;
      for (const Continuation& c : chosen) {
        const std::shared_ptr<Draft>& from = task.entries.at(static_cast<size_t>(c.parent)).draft;
        std::shared_ptr<Draft>& to = known[{from.get(), from->done() ? 0 : c.choice}];
        if (!to) {
          if (from->done()) {
            to = from;
          } else {
            to = std::make_shared<Draft>(from->grammar);
            steps_of[i].push_back({from, to, c.choice, false});
          }
          drafts.push_back(to);
        }
        entries.push_back({to, c.score, c.log_weight, c.branch});
      }
      std::map<const Draft*, Step*> last;
      for (Step& s : steps_of[i]) last[s.from.get()] = &s;
      for (auto& [draft, s] : last) {
        s->last = true;
        s->to->grammar = std::move(s->from->grammar);  // a walk that nobody else holds goes on in place
      }
      task.entries = std::move(entries);
      task.drafts = std::move(drafts);
    });
    std::vector<Step> steps;
    for (std::vector<Step>& s : steps_of) std::move(s.begin(), s.end(), std::back_inserter(steps));
    guarded_for(executor_, steps.size(), [&](size_t i) {
      const Draft& from = *steps[i].from;
      Draft& to = *steps[i].to;
      to.tokens = from.tokens;
      to.allowed = from.allowed;
      to.log_probabilities = from.log_probabilities;
      to.log_probability = from.log_probability;
      to.defaults = from.defaults;
      to.path = from.path;
      take_choice(to, steps[i].choice, model_);
      if (steps[i].last || to.done()) return;
      to.cache = std::make_unique<KvCache>(*from.cache);
    });
    for (Step& s : steps)
      if (s.last) s.to->cache = std::move(s.from->cache);
  }

  void read_choices(const std::vector<Task*>& tasks) {
    std::vector<Draft*> drafts;
    for (Task* task : tasks) {
      std::erase_if(task->drafts, [&](const std::shared_ptr<Draft>& d) {
        if (d->done() || fits(*task, *d, d->cache->length())) return false;
        std::erase_if(task->entries, [&](const Entry& e) { return e.draft == d; });
        return true;
      });
      if (!task->drafts.empty()) task->reason.clear();  // others fit
      for (const std::shared_ptr<Draft>& d : task->drafts)
        if (!d->done()) drafts.push_back(d.get());
    }
    statistics.written_tokens += read(drafts);
  }

  const LanguageModel& model_;
  const Strategy& strategy_;
  const DecodeOptions& options_;
  Executor& executor_;
};

void check_quality(int quality, const LanguageModel& model) {
  const int buckets = model.info().quality_buckets;
  if (quality >= 0 && quality < buckets) return;
  throw Error(ErrorCode::kUsage, "quality " + std::to_string(quality) + " is asked for", "the language model " + model.name(),
              buckets == 0 ? "it was trained without qualities: ask for none"
                           : "it knows the qualities 0 (the best) to " + std::to_string(buckets - 1));
}

Answer answer_of(Task& task) {
  Answer answer;
  answer.reason = std::move(task.reason);
  for (const Entry& e : task.entries)
    if (e.draft->done())
      answer.sentences.push_back({e.draft->grammar.walk(), e.draft->tokens, e.draft->log_probability, e.draft->defaults, {}});
  return answer;
}

}  // namespace

std::vector<Answer> decode(const LanguageModel& model, const std::vector<std::shared_ptr<const space::Space>>& spaces,
                           const Strategy& strategy, const DecodeOptions& options, DecodeStatistics* statistics) {
  if (strategy.measures() && !options.measurer)
    throw Error(ErrorCode::kUsage, "the decoding strategy measures, and nothing here can", "",
                "choose one that does not measure, or give DecodeOptions a measurer");
  if (options.quality) check_quality(*options.quality, model);
  const Config& config = model.model().config();
  const size_t sentence_bytes = static_cast<size_t>(config.layers * config.width * kLikelySentence) * 2 * sizeof(float);
  const size_t group = std::max<size_t>(1, options.cache_bytes / (sentence_bytes * static_cast<size_t>(strategy.width() + 1)));
  Progress& progress = options.progress ? *options.progress : no_progress();
  ProgressTask task(progress, "decode", static_cast<int64_t>(spaces.size()));
  std::vector<Answer> answers;
  Decoder decoder(model, strategy, options);
  for (size_t begin = 0; begin < spaces.size(); begin += group) {
    const size_t end = std::min(begin + group, spaces.size());
    const Stopwatch time;
    std::vector<Task> tasks = decoder.run(spaces, begin, end);
    decoder.statistics.total_ms += time.ms();
    for (Task& t : tasks) {
      answers.push_back(answer_of(t));
      if (!answers.back().sentences.empty())
        strategy.rank(answers.back().sentences, {*t.space, options.measurer.get(), options.cancel});
      task.advance();
    }
  }
  if (statistics) *statistics = decoder.statistics;
  return answers;
}

}  // namespace tlm::lm
