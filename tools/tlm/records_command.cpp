#include <cstdio>
#include <fstream>
#include <iostream>
#include <set>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/hash.h"
#include "tlm/space/records/packed_records.h"
#include "tlm/space/records/record_json.h"
#include "tlm/space/records/record_store.h"
#include "tlm/tools/tlm/arguments.h"
#include "tlm/tools/tlm/command.h"
#include "tlm/tools/tlm/engine_flags.h"
#include "tlm/tools/tlm/output_files.h"
#include "tlm/tools/tlm/records_refresh.h"
#include "tlm/tools/tlm/records_spaces.h"
#include "tlm/tools/tlm/table.h"

namespace tlm::tools {
namespace {

using space::Record;
using space::RecordStore;
using space::StoreAccess;

struct Options {
  std::string file, out, workload;
  std::vector<std::string> inputs;
  int top = 1;
  EngineFlags flags;
  RefreshFlags refresh;
};

int list(const Options& o) {
  const RecordStore store(o.file, StoreAccess::kRead);
  std::vector<std::vector<std::string>> table = {
      {"workload", "name", "target", "records", "schedules", "best ms", "times as fast as default"}};
  int64_t records = 0;
  for (const space::WorkloadSummary& w : store.workloads()) {
    const bool known = w.best_ratio > 0;
    table.push_back({to_hex(w.workload_hash), w.name, w.target_name, std::to_string(w.records), std::to_string(w.schedules),
                     known ? number(w.best_ms) : "-", known ? fixed(w.best_ratio, 2) : "-"});
    records += w.records;
  }
  std::fputs(table_text(table, "lll").c_str(), stdout);
  std::printf("%lld records of %zu workloads and targets\n", static_cast<long long>(records), table.size() - 1);
  return 0;
}

Target asked_target(const EngineFlags& flags, const CommandContext& context) {
  return flags.engine_options(context, nullptr).target;
}

// A name in a comment of a schedule file: one line.
std::string comment_text(const std::string& text) { return printable(text); }

int best(const Options& o, const CommandContext& context) {
  const RecordStore store(o.file, StoreAccess::kRead);
  check_output_files({{"-o", o.out}}, {o.file, o.flags.target});
  const uint64_t target = space::target_hash(asked_target(o.flags, context));
  std::string text = "# tlm schedules: workload hash, then the chosen candidate of each decision\n";
  std::set<std::string> other_targets;
  int found = 0;
  for (const space::WorkloadSummary& w : store.workloads()) {
    const std::string hash = to_hex(w.workload_hash);
    if (!o.workload.empty() && hash != o.workload) continue;
    if (w.target_hash != target) {
      other_targets.insert(w.target_name);
      continue;
    }
    bool first = true;
    for (const space::RankedSchedule& r : store.best(w.workload_hash, target, o.top)) {
      const std::string figures = number(r.median_ms) + " ms, " + fixed(r.ratio, 3) + " times as fast as the default";
      text += first ? "# " + comment_text(w.name) + ": " + figures + "\n" + hash + " " + r.record.schedule + "\n"
                    : "#   " + figures + ": " + r.record.schedule + "\n";
      found += first;
      first = false;
    }
  }
  if (found == 0) {
    std::string hint = "see `tlm records list`";
    for (const std::string& t : other_targets) hint += (t == *other_targets.begin() ? "; it has records for: " : "; ") + t;
    throw Error(
        ErrorCode::kUsage,
        o.workload.empty() ? "the file has no schedule for this target" : "the file has no schedule of this workload and target",
        o.file, hint);
  }
  if (o.out.empty()) {
    std::fputs(text.c_str(), stdout);
  } else {
    write_file_atomic(o.out, text);
  }
  return 0;
}

int export_records(const Options& o, const CommandContext& context) {
  const RecordStore store(o.file, StoreAccess::kRead);
  check_output_files({{"-o", o.out}}, {o.file});
  std::optional<AtomicFile> file;
  if (!o.out.empty()) file.emplace(o.out);
  if (o.out.ends_with(".xz")) {
    space::PackedRecordWriter packed([&](std::string_view bytes) { file->write(bytes); });
    store.for_each([&](const Record& r) {
      context.cancel.check();
      packed.add(r);
    });
    packed.finish();
    file->commit();
    return 0;
  }
  store.for_each([&](const Record& r) {
    context.cancel.check();
    const std::string line = space::record_line(r) + "\n";
    if (file) {
      file->write(line);
    } else if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size() && !std::ferror(stdout)) {
      throw Error(ErrorCode::kEnvironment, "cannot write to standard output");
    }
  });
  if (file) file->commit();
  return 0;
}

// Records of several files of JSON lines or packed records, one after another.
class RecordSource {
 public:
  RecordSource(std::vector<std::string> files, const CancelToken& cancel) : files_(std::move(files)), cancel_(cancel) {}

  bool next(Record& record) {
    std::string line;
    while (true) {
      if (!in_ && !packed_) {
        if (file_ == files_.size()) return false;
        open(files_[file_]);
      }
      cancel_.check();
      if (packed_) {
        if (packed_->next(record)) return true;
        packed_ = nullptr;
        ++file_;
        continue;
      }
      if (std::getline(*in_, line)) {
        ++number_;
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        record = space::parse_record_line(line, name_ + ":" + std::to_string(number_));
        return true;
      }
      if (in_->bad()) throw Error(ErrorCode::kEnvironment, "cannot read", name_);
      in_ = nullptr;
      ++file_;
    }
  }

 private:
  void open(const std::string& file) {
    number_ = 0;
    name_ = file == "-" ? "standard input" : file;
    if (file == "-") {
      in_ = &std::cin;
      return;
    }
    if (std::filesystem::is_directory(file)) throw Error(ErrorCode::kEnvironment, "a folder, not a file", file);
    if (space::is_xz(file)) {
      packed_ = std::make_unique<space::PackedRecordReader>(file);
      return;
    }
    stream_ = std::ifstream(file, std::ios::binary);
    if (!stream_) throw Error(ErrorCode::kEnvironment, "cannot open the file", file);
    in_ = &stream_;
  }

  std::vector<std::string> files_;
  const CancelToken& cancel_;
  size_t file_ = 0;
  int64_t number_ = 0;
  std::string name_;
  std::ifstream stream_;
  std::unique_ptr<space::PackedRecordReader> packed_;
  std::istream* in_ = nullptr;
};

int import_records(const Options& o, const CommandContext& context) {
  RecordSource source(o.inputs.empty() ? std::vector<std::string>{"-"} : o.inputs, context.cancel);
  Record first;  // read before the file is created: nonsense leaves no file behind
  bool more = source.next(first);
  RecordStore store(o.file, StoreAccess::kWrite);
  int64_t read = 0;
  const int64_t added = store.append_all([&](Record& r) {
    if (!more) return false;
    r = std::move(first);
    ++read;
    more = source.next(first);
    return true;
  });
  std::fprintf(stderr, "tlm: %lld records read, %lld of them new\n", static_cast<long long>(read), static_cast<long long>(added));
  return 0;
}

CLI::App* add(CLI::App& parent, Options& o, const char* name, const char* description) {
  CLI::App* command = parent.add_subcommand(name, description)->group("Commands");
  command->footer("`tlm records --help` shows examples.");
  add_text(*command, "FILE", o.file, "", "Record file (SQLite)")->required();
  return command;
}

}  // namespace

void add_records_command(CLI::App& app, CommandContext& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("records", "Look at, copy and renew records of measurements");
  command->require_subcommand(1);

  CLI::App* list_command = add(*command, *o, "list", "Workloads and targets, how many records, the best of each");
  list_command->callback([o, &context] { context.run = [o] { return list(*o); }; });

  CLI::App* best_command =
      add(*command, *o, "best", "The best schedule of each workload, as `tlm compile --schedules` reads them");
  o->flags.add_target_options(*best_command);
  add_text(*best_command, "--workload", o->workload, "HASH", "Of this workload alone (16 hexadecimal digits)");
  add_number(*best_command, "--top", o->top, "K", "So many of each; all but the first as comments (default: 1)", 1, 1 << 20);
  add_text(*best_command, "-o,--output", o->out, "FILE", "Write them to a file (default: standard output)");
  best_command->callback([o, &context] { context.run = [o, &context] { return best(*o, context); }; });

  CLI::App* spaces_command =
      add(*command, *o, "spaces", "Sizes of the spaces, how good random schedules are, the best against the roofline");
  spaces_command->callback([o, &context] { context.run = [o] { return records_spaces(o->file); }; });

  CLI::App* export_command = add(*command, *o, "export", "Write all records as lines of JSON, or packed");
  add_text(*export_command, "-o,--output", o->out, "FILE",
           "Write them to a file (default: standard output); packed where its name ends in .xz");
  export_command->callback([o, &context] { context.run = [o, &context] { return export_records(*o, context); }; });

  CLI::App* import_command = add(*command, *o, "import", "Add exported records: all of them, or none if a line is bad");
  import_command->add_option("LINES", o->inputs, "Files as `export` writes them; - or none: standard input");
  import_command->callback([o, &context] { context.run = [o, &context] { return import_records(*o, context); }; });

  CLI::App* refresh_command =
      add(*command, *o, "refresh", "Measure the best schedules of each workload again with the emitter of today");
  o->refresh.add_refresh_options(*refresh_command);
  refresh_command->callback(
      [o, &context] { context.run = [o, &context] { return refresh_records(o->file, o->refresh, context); }; });

  CLI::App* noise_command = add(*command, *o, "noise", "Measure programs several times over: how far can a ratio be trusted?");
  o->refresh.add_noise_options(*noise_command);
  noise_command->callback([o, &context] { context.run = [o, &context] { return records_noise(o->file, o->refresh, context); }; });

  command->footer(R"(
Examples:
  tlm records list net.db
  tlm records best net.db -o net.schedules                  schedules for this machine
  tlm compile net.onnx -o net.tlm --schedules net.schedules
  tlm records export a.db | tlm records import b.db         records that are there already are passed over
  tlm records refresh net.db                                after a new version of tlm; may be interrupted and started again)");
}

}  // namespace tlm::tools
