#include "tlm/space/records/database.h"

#include <sqlite3.h>

#include "tlm/core/error.h"

namespace fs = std::filesystem;

namespace tlm::space {
namespace {

constexpr int kBusyMs = 60000;

// A path as a URI of SQLite's: everything but plain characters is written as %XX.
std::string uri(const fs::path& file) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text = "file:";
  for (const char c : fs::absolute(file).string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '/' || c == '.' || c == '-' || c == '_') {
      text += c;
    } else {
      text += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return text;
}

}  // namespace

Database::Database(fs::path file, bool write) : file_(std::move(file)) {
  std::error_code ignored;
  const bool there = fs::exists(file_, ignored);
  if (!write && !there) throw Error(ErrorCode::kEnvironment, "there is no such file", file_.string());
  if (there && !fs::is_regular_file(file_, ignored)) throw Error(ErrorCode::kEnvironment, "not a regular file", file_.string());
  open(write, false);
  if (write) return;
  // Readers of a database with a write-ahead log create a small file beside it; where that is not possible, and nobody writes,
  // the file is read as it is.
  sqlite3_stmt* probe = nullptr;
  const int code = sqlite3_prepare_v2(handle_, "SELECT count(*) FROM sqlite_schema", -1, &probe, nullptr);
  sqlite3_finalize(probe);
  if ((code & 0xff) == SQLITE_CANTOPEN && !fs::exists(file_.string() + "-wal", ignored)) {
    sqlite3_close(handle_);
    handle_ = nullptr;
    open(false, true);
  }
}

Database::~Database() { sqlite3_close(handle_); }

void Database::open(bool write, bool immutable) {
  const int flags = (write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_URI;
  const int code = sqlite3_open_v2((uri(file_) + (immutable ? "?immutable=1" : "")).c_str(), &handle_, flags, nullptr);
  if (code == SQLITE_OK) {
    sqlite3_extended_result_codes(handle_, 1);
    sqlite3_busy_timeout(handle_, kBusyMs);
    return;
  }
  try {
    fail(code);
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

void Database::fail(int code) {
  const std::string where = file_.string();
  const std::string detail = handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  switch (code & 0xff) {
    case SQLITE_NOTADB: throw Error(ErrorCode::kBadModel, "not a record file (no SQLite database)", where);
    case SQLITE_CORRUPT:
      throw Error(ErrorCode::kBadModel, "the record file is damaged: " + detail, where, "restore it, or import an export of it");
    case SQLITE_FULL: throw Error(ErrorCode::kEnvironment, "cannot write records: the disk is full", where, "free disk space");
    case SQLITE_READONLY:
      throw Error(ErrorCode::kEnvironment, "cannot write records: the file is read-only", where,
                  "make it writable, or name another one");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Error(ErrorCode::kEnvironment, "another process has kept the record file locked for a minute", where,
                  "end it, or try later");
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      throw Error(ErrorCode::kEnvironment, "cannot open the record file: " + detail, where, "check folder and permissions");
    case SQLITE_NOMEM: throw std::bad_alloc();
    case SQLITE_IOERR:
      throw Error(ErrorCode::kEnvironment, "cannot read or write the record file: " + detail, where, "check the disk");
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH: throw Error(ErrorCode::kBadModel, "the record file does not fit: " + detail, where);
    case SQLITE_ERROR:  // no such table, no such column: the file's fault
      throw Error(ErrorCode::kBadModel, "the record file is damaged: " + detail, where, "restore it, or import an export of it");
    default: throw InternalError(ErrorCode::kInternal, "SQLite: " + detail + " (" + std::to_string(code) + ")", where);
  }
}

void Database::run(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

void Database::use_write_ahead_log() {
  // The change of mode does not wait for other connections by itself.
  constexpr int kPauseMs = 5;
  for (int waited = 0;; waited += kPauseMs) {
    const int code = sqlite3_exec(handle_, "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return;
    if ((code & 0xff) != SQLITE_BUSY || waited >= kBusyMs) fail(code);
    sqlite3_sleep(kPauseMs);
  }
}

int64_t Database::number(const char* sql) {
  Statement s(*this, sql);
  TLM_CHECK(s.step()) << sql;
  return s.integer(0);
}

Statement::Statement(Database& db, std::string_view sql) : db_(db) {
  const int code = sqlite3_prepare_v2(db.handle(), sql.data(), static_cast<int>(sql.size()), &statement_, nullptr);
  if (code != SQLITE_OK) db.fail(code);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(int parameter, int64_t value) {
  if (const int code = sqlite3_bind_int64(statement_, parameter + 1, value); code != SQLITE_OK) db_.fail(code);
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  if (const int code = sqlite3_bind_double(statement_, parameter + 1, value); code != SQLITE_OK) db_.fail(code);
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  const int code = sqlite3_bind_text64(statement_, parameter + 1, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) db_.fail(code);
  return *this;
}

Statement& Statement::bind_blob(int parameter, const void* data, size_t bytes) {
  const int code = sqlite3_bind_blob64(statement_, parameter + 1, bytes ? data : "", bytes, SQLITE_TRANSIENT);
  if (code != SQLITE_OK) db_.fail(code);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) db_.fail(code);
  return code == SQLITE_ROW;
}

void Statement::reset() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }

std::string Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return data ? std::string(data, static_cast<size_t>(sqlite3_column_bytes(statement_, column))) : std::string();
}

std::string Statement::blob(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return data ? std::string(data, static_cast<size_t>(sqlite3_column_bytes(statement_, column))) : std::string();
}

Transaction::~Transaction() {
  if (open_) sqlite3_exec(db_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);  // fails where SQLite has done it already
}

void Transaction::commit() {
  db_.run("COMMIT");
  open_ = false;
}

}  // namespace tlm::space
