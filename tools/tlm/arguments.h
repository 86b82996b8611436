// Options of one kind each, so that commands read as lists: a placeholder for the help, a check, a clear refusal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace tlm::tools {

// Upper bounds of what may be asked for.
inline constexpr int kMaxThreads = 4096;
inline constexpr int kMaxJobs = 1024;

// A whole number from `low` to `high`.
CLI::Option* add_number(CLI::App& command, const std::string& name, int& value, const std::string& placeholder,
                        const std::string& help, int low, int high);
CLI::Option* add_number(CLI::App& command, const std::string& name, uint64_t& value, const std::string& placeholder,
                        const std::string& help);
// A number that is finite and not negative.
CLI::Option* add_tolerance(CLI::App& command, const std::string& name, double& value, const std::string& placeholder,
                           const std::string& help);
// A word or file name, not empty.
CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& value, const std::string& placeholder,
                      const std::string& help);
// May be given several times, one word each.
CLI::Option* add_texts(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                       const std::string& placeholder, const std::string& help);

// Layout of the help: names with placeholders on the left, descriptions wrapped on the right.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_group(std::string group, bool is_positional, std::vector<const CLI::Option*> options) const override;
};

// What to print for arguments that cannot be understood.
std::string usage_error_text(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tlm::tools
