// SQLite as the record store needs it: every failure is an Error that says what to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace tlm::space {

class Database {
 public:
  // Opens `file`; creates it if `write`. Waits up to a minute for other writers.
  Database(std::filesystem::path file, bool write);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const char* sql);         // statements without results
  void use_write_ahead_log();  // waits for other connections like everything else
  int64_t number(const char* sql);   // the only value of the only row
  [[noreturn]] void fail(int code);  // an SQLite result code as Error
  sqlite3* handle() const { return handle_; }
  const std::filesystem::path& file() const { return file_; }

 private:
  void open(bool write, bool immutable);
  std::filesystem::path file_;
  sqlite3* handle_ = nullptr;
};

// A prepared statement. Parameters and columns count from 0.
class Statement {
 public:
  Statement(Database& db, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int parameter, int64_t value);
  Statement& bind(int parameter, double value);
  Statement& bind(int parameter, std::string_view text);
  Statement& bind_blob(int parameter, const void* data, size_t bytes);
  bool step();   // a row is there
  void reset();  // ready for other parameters

  int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  std::string blob(int column) const;

 private:
  Database& db_;
  sqlite3_stmt* statement_ = nullptr;
};

// Rolls back unless committed. Takes the write lock at once.
class Transaction {
 public:
  explicit Transaction(Database& db) : db_(db) { db_.run("BEGIN IMMEDIATE"); }
  ~Transaction();
  void commit();

 private:
  Database& db_;
  bool open_ = true;
};

}  // namespace tlm::space
