#include "tlm/space/records/record_store.h"
#include "tlm/core/median.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/space/records/database.h"
#include "tlm/space/records/split_key.h"

namespace tlm::space {
namespace {

constexpr int64_t kApplication = 0x746c6d72;  // "tlmr": tells record files from other databases
constexpr int64_t kSchemaVersion = 1;

// Texts that many records share have tables of their own. Hashes are 16 hexadecimal digits, so that the file can be read with
// any SQLite shell; samples are little-endian doubles.
constexpr char kSchema[] = R"(
CREATE TABLE workload(hash TEXT PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL, split_key TEXT NOT NULL, split TEXT NOT NULL);
CREATE TABLE target(hash TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE batch(id TEXT PRIMARY KEY, workload TEXT NOT NULL, target TEXT NOT NULL, gflops_before REAL, gbytes_before REAL,
  gflops_after REAL, gbytes_after REAL, repeats INTEGER, unsteady INTEGER, threads INTEGER, cache_state TEXT, compiler TEXT,
  flags TEXT, space_version INTEGER, emitter_version INTEGER, date TEXT);
CREATE TABLE record(id INTEGER PRIMARY KEY, batch TEXT NOT NULL, schedule TEXT NOT NULL, schedule_hash TEXT NOT NULL,
  source_hash TEXT, status TEXT NOT NULL, reason TEXT, samples_ms BLOB, median_ms REAL, ratio REAL, origin TEXT, seed INTEGER,
  UNIQUE(batch, schedule_hash));
CREATE INDEX batch_of_workload ON batch(workload, target);
PRAGMA application_id = 0x746c6d72;
PRAGMA user_version = 1;
)";

constexpr char kSelect[] =
    "SELECT w.text, w.hash, w.split_key, t.text, t.hash, r.schedule, r.schedule_hash, r.source_hash, r.status, r.reason, "
    "r.samples_ms, r.median_ms, r.ratio, r.origin, r.seed, b.id, b.gflops_before, b.gbytes_before, b.gflops_after, "
    "b.gbytes_after, b.repeats, b.unsteady, b.threads, b.cache_state, b.compiler, b.flags, b.space_version, b.emitter_version, "
    "b.date FROM record r JOIN batch b ON b.id = r.batch JOIN workload w ON w.hash = b.workload JOIN target t ON t.hash = "
    "b.target ";

uint64_t from_hex(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 16); }

Record read_row(const Statement& s, const std::filesystem::path& file) {
  Record r;
  int c = 0;
  r.workload = s.text(c++);
  r.workload_hash = from_hex(s.text(c++));
  r.split_key = from_hex(s.text(c++));
  r.target = s.text(c++);
  r.target_hash = from_hex(s.text(c++));
  r.schedule = s.text(c++);
  r.schedule_hash = from_hex(s.text(c++));
  r.source_hash = from_hex(s.text(c++));
  const std::string status = s.text(c++);
  const auto parsed = parse_measure_status(status);
  if (!parsed)
    throw Error(ErrorCode::kBadModel, "the record file is damaged: no status is called '" + status + "'", file.string());
  r.status = *parsed;
  r.reason = s.text(c++);
  const std::string samples = s.blob(c++);
  r.samples_ms.resize(samples.size() / sizeof(double));
  std::memcpy(r.samples_ms.data(), samples.data(), r.samples_ms.size() * sizeof(double));
  r.median_ms = s.real(c++);
  r.ratio = s.real(c++);
  r.origin = s.text(c++);
  r.seed = static_cast<uint64_t>(s.integer(c++));
  r.batch = s.text(c++);
  r.before.gflops = s.real(c++);
  r.before.gbytes_s = s.real(c++);
  r.after.gflops = s.real(c++);
  r.after.gbytes_s = s.real(c++);
  r.repeats = static_cast<int>(s.integer(c++));
  r.unsteady = s.integer(c++) != 0;
  r.threads = static_cast<int>(s.integer(c++));
  r.cache_state = s.text(c++);
  r.compiler = s.text(c++);
  r.flags = s.text(c++);
  r.space_version = static_cast<int>(s.integer(c++));
  r.emitter_version = static_cast<int>(s.integer(c++));
  r.date = s.text(c++);
  return r;
}

// "x86-64, 512-bit, 2 cores"
std::string target_words(const std::string& json, const std::string& where) {
  const Target t = parse_target_json(json, where);
  std::string text = t.arch;
  if (t.device == DeviceKind::kCuda) return "sm_" + std::to_string(t.sm);
  if (t.vector_bits > 0) text += ", " + std::to_string(t.vector_bits) + "-bit";
  return text + ", " + std::to_string(t.cores) + (t.cores == 1 ? " core" : " cores");
}

// What a workload's text begins with; "" if it is none.
std::string workload_name(const std::string& text) {
  try {
    return ir::parse_subgraph(text).name;
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

struct RecordStore::State {
  State(const std::filesystem::path& file, bool write) : db(file, write) {}
  Database db;

  void require_schema() {
    if (db.number("PRAGMA application_id") != kApplication)
      throw Error(ErrorCode::kBadModel, "not a record file (another SQLite database)", db.file().string());
    const int64_t version = db.number("PRAGMA user_version");
    if (version > kSchemaVersion)
      throw Error(
          ErrorCode::kBadModel,
          "the record file has version " + std::to_string(version) + "; this tlm reads up to " + std::to_string(kSchemaVersion),
          db.file().string(), "use a newer tlm");
  }

  void prepare_for_writing() {
    if (db.number("SELECT count(*) FROM sqlite_schema") == 0) {
      Transaction creation(db);
      if (db.number("SELECT count(*) FROM sqlite_schema") == 0) db.run(kSchema);  // nobody else was faster
      creation.commit();
    }
    require_schema();
    db.use_write_ahead_log();
    db.run("PRAGMA synchronous = NORMAL");
  }
};

RecordStore::RecordStore(std::filesystem::path file, StoreAccess access)
    : file_(std::move(file)), state_(std::make_unique<State>(file_, access == StoreAccess::kWrite)) {
  access == StoreAccess::kWrite ? state_->prepare_for_writing() : state_->require_schema();
}

RecordStore::~RecordStore() = default;

int64_t RecordStore::append(const std::vector<Record>& records) {
  size_t i = 0;
  return append_all([&](Record& r) {
    if (i == records.size()) return false;
    r = records[i++];
    return true;
  });
}

int64_t RecordStore::append_all(const std::function<bool(Record&)>& next) {
  Database& db = state_->db;
  Transaction transaction(db);
  Statement workload(db, "INSERT OR IGNORE INTO workload VALUES(?,?,?,?,?)");
  Statement target(db, "INSERT OR IGNORE INTO target VALUES(?,?)");
  Statement batch(db, "INSERT OR IGNORE INTO batch VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  Statement record(db, "INSERT OR IGNORE INTO record VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?)");
  std::set<uint64_t> workloads, targets;
  std::string last_batch;
  const int64_t before = db.number("SELECT count(*) FROM record");
  Record r;
  while (next(r)) {
    if (workloads.insert(r.workload_hash).second) {
      workload.bind(0, to_hex(r.workload_hash)).bind(1, workload_name(r.workload)).bind(2, r.workload);
      workload.bind(3, to_hex(r.split_key)).bind(4, split_name(split_of(r.split_key)));
      workload.step();
      workload.reset();
    }
    if (targets.insert(r.target_hash).second) {
      target.bind(0, to_hex(r.target_hash)).bind(1, r.target).step();
      target.reset();
    }
    if (r.batch != last_batch) {
      batch.bind(0, r.batch).bind(1, to_hex(r.workload_hash)).bind(2, to_hex(r.target_hash));
      batch.bind(3, r.before.gflops).bind(4, r.before.gbytes_s).bind(5, r.after.gflops).bind(6, r.after.gbytes_s);
      batch.bind(7, int64_t{r.repeats}).bind(8, int64_t{r.unsteady}).bind(9, int64_t{r.threads}).bind(10, r.cache_state);
      batch.bind(11, r.compiler).bind(12, r.flags).bind(13, int64_t{r.space_version}).bind(14, int64_t{r.emitter_version});
      batch.bind(15, r.date).step();
      batch.reset();
      last_batch = r.batch;
    }
    record.bind(0, r.batch).bind(1, r.schedule).bind(2, to_hex(r.schedule_hash)).bind(3, to_hex(r.source_hash));
    record.bind(4, measure_status_name(r.status)).bind(5, r.reason);
    record.bind_blob(6, r.samples_ms.data(), r.samples_ms.size() * sizeof(double));
    record.bind(7, r.median_ms).bind(8, r.ratio).bind(9, r.origin).bind(10, static_cast<int64_t>(r.seed));
    record.step();
    record.reset();
  }
  const int64_t added = db.number("SELECT count(*) FROM record") - before;
  transaction.commit();
  return added;
}

std::vector<Record> RecordStore::of_workload(uint64_t workload_hash, std::optional<uint64_t> target) const {
  Statement s(state_->db, std::string(kSelect) + "WHERE b.workload = ? " + (target ? "AND b.target = ? " : "") + "ORDER BY r.id");
  s.bind(0, to_hex(workload_hash));
  if (target) s.bind(1, to_hex(*target));
  std::vector<Record> records;
  while (s.step()) records.push_back(read_row(s, file_));
  return records;
}

std::vector<RankedSchedule> RecordStore::best(uint64_t workload_hash, uint64_t target, int limit) const {
  struct Group {
    int emitter_version = -1;
    Record newest;  // with status ok, of that version
    std::vector<double> ratios, medians;
    bool broken = false;  // was wrong, crashed or did not end
  };
  std::map<std::string, Group> groups;  // by schedule
  for (Record& r : of_workload(workload_hash, target)) {
    Group& g = groups[r.schedule];
    if (r.emitter_version < g.emitter_version) continue;
    if (r.emitter_version > g.emitter_version) g = {r.emitter_version, {}, {}, {}, false};
    g.broken = g.broken || (r.status != MeasureStatus::kOk && r.status != MeasureStatus::kSlow);
    if (r.status != MeasureStatus::kOk || r.ratio <= 0) continue;
    g.ratios.push_back(r.ratio);
    g.medians.push_back(r.median_ms);
    g.newest = std::move(r);
  }
  std::vector<RankedSchedule> ranked;
  for (auto& [schedule, g] : groups)
    if (!g.ratios.empty() && !g.broken)
      ranked.push_back({std::move(g.newest), median(g.ratios), median(g.medians), static_cast<int>(g.ratios.size())});
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.ratio > b.ratio; });
  std::set<uint64_t> programs;  // sources, whoever emitted them
  std::vector<RankedSchedule> best;
  for (RankedSchedule& r : ranked) {
    if (static_cast<int>(best.size()) >= limit) break;
    if (r.record.source_hash != 0 && !programs.insert(r.record.source_hash).second) continue;
    best.push_back(std::move(r));
  }
  return best;
}

std::vector<WorkloadSummary> RecordStore::workloads() const {
  Statement s(
      state_->db,
      "SELECT w.hash, t.hash, w.name, t.text, count(*), count(DISTINCT CASE WHEN r.median_ms > 0 THEN r.schedule_hash END) "
      "FROM record r JOIN batch b ON b.id = r.batch JOIN workload w ON w.hash = b.workload "
      "JOIN target t ON t.hash = b.target GROUP BY w.hash, t.hash ORDER BY min(r.id)");
  std::vector<WorkloadSummary> list;
  while (s.step()) {
    WorkloadSummary w;
    w.workload_hash = from_hex(s.text(0));
    w.target_hash = from_hex(s.text(1));
    w.name = s.text(2);
    w.target_name = target_words(s.text(3), file_.string());
    w.records = s.integer(4);
    w.schedules = s.integer(5);
    list.push_back(std::move(w));
  }
  for (WorkloadSummary& w : list)
    for (const RankedSchedule& r : best(w.workload_hash, w.target_hash, 1)) w.best_ratio = r.ratio, w.best_ms = r.median_ms;
  return list;
}

void RecordStore::for_each(const std::function<void(const Record&)>& visit) const {
  Statement s(state_->db, std::string(kSelect) + "ORDER BY r.id");
  while (s.step()) visit(read_row(s, file_));
}

int64_t RecordStore::size() const { return state_->db.number("SELECT count(*) FROM record"); }

}  // namespace tlm::space
