#include "tlm/tools/tlm/arguments.h"

#include <charconv>
#include <cmath>

namespace tlm::tools {
namespace {

constexpr size_t kNameColumn = 26, kColumns = 110;

template <typename T>
CLI::Validator whole_number(T low, T high) {
  return CLI::Validator(
      [low, high](const std::string& text) -> std::string {
        T v{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
        if (error == std::errc() && end == text.data() + text.size() && v >= low && v <= high) return {};
        return "wants a whole number from " + std::to_string(low) + " to " + std::to_string(high) + ", not '" + text + "'";
      },
      "");
}

std::string check_tolerance(const std::string& text) {
  double v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error == std::errc() && end == text.data() + text.size() && std::isfinite(v) && v >= 0) return {};
  return "wants a number that is not negative, not '" + text + "'";
}

std::string check_not_empty(const std::string& text) { return text.empty() ? "must not be empty" : ""; }

// `text` from column `indent` on, lines broken at spaces; explicit line ends stay.
std::string wrapped(const std::string& text, size_t indent) {
  std::string out, line;
  const auto end_line = [&] {
    if (!out.empty()) out += "\n" + std::string(indent, ' ');
    out += line;
    line.clear();
  };
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && line.size() + 1 + word.size() > kColumns - indent) end_line();
    line += (line.empty() ? "" : " ") + word;
    if (end < text.size() && text[end] == '\n') end_line();
    begin = end + 1;
  }
  end_line();
  return out;
}

std::string entry(const std::string& name, const std::string& description) {
  std::string left = "  " + name;
  if (left.size() + 1 > kNameColumn)
    return left + "\n" + std::string(kNameColumn, ' ') + wrapped(description, kNameColumn) + "\n";
  left.resize(kNameColumn, ' ');
  return left + wrapped(description, kNameColumn) + "\n";
}

}  // namespace

CLI::Option* add_number(CLI::App& command, const std::string& name, int& value, const std::string& placeholder,
                        const std::string& help, int low, int high) {
  return command.add_option(name, value, help)->option_text(placeholder)->check(whole_number(low, high));
}

CLI::Option* add_number(CLI::App& command, const std::string& name, uint64_t& value, const std::string& placeholder,
                        const std::string& help) {
  return command.add_option(name, value, help)->option_text(placeholder)->check(whole_number<uint64_t>(0, UINT64_MAX));
}

CLI::Option* add_tolerance(CLI::App& command, const std::string& name, double& value, const std::string& placeholder,
                           const std::string& help) {
  return command.add_option(name, value, help)->option_text(placeholder)->check(CLI::Validator(check_tolerance, ""));
}

CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& value, const std::string& placeholder,
                      const std::string& help) {
  return command.add_option(name, value, help)->option_text(placeholder)->check(CLI::Validator(check_not_empty, ""));
}

CLI::Option* add_texts(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                       const std::string& placeholder, const std::string& help) {
  return command.add_option(name, values, help)
      ->option_text(placeholder)
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_not_empty, ""));
}

HelpFormatter::HelpFormatter() {
  label("OPTIONS", "options");
  label("SUBCOMMAND", "COMMAND");
  label("Positionals", "Arguments");
  label("Subcommands", "Commands");
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name = option->get_name(is_positional, !is_positional);
  if (!is_positional) {
    for (size_t at = 0; (at = name.find(",--", at)) != std::string::npos;) name.replace(at, 1, ", ");
    if (option->get_type_size() != 0) name += " " + option->get_option_text();
  }
  return entry(name, option->get_description());
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_group(std::string group, bool is_positional, std::vector<const CLI::Option*> options) const {
  std::string text = "\n" + group + ":\n";
  for (const CLI::Option* o : options) text += make_option(o, is_positional);
  return text;
}

std::string usage_error_text(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  std::string what = error.what(), hint = "tlm --help";
  if (!chosen.empty()) hint = "tlm " + chosen[0]->get_name() + " --help";
  if (chosen.empty() && dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const auto rest = app.remaining();
    if (!rest.empty() && !rest[0].starts_with("-")) what = "there is no command '" + rest[0] + "'";
  }
  return what + "\n  try: " + hint;
}

}  // namespace tlm::tools
