#include "cli/help/short_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cli/option/option.h"

namespace peregrine {

namespace {
constexpr std::size_t kNameWidth = 24;  // the help of a longer name starts on the next line
constexpr std::size_t kGap = 2;

char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool contains_ignoring_case(std::string_view text, std::string_view word) {
  return !std::ranges::search(text, word, {}, lower_letter, lower_letter).empty();
}

bool is_about(const Option& option, std::string_view word) {
  if (word.starts_with("--"))
    word.remove_prefix(2);
  else if (word.starts_with("-"))
    word.remove_prefix(1);
  if (word.size() == 1) return option.letter == word[0];
  return contains_ignoring_case(option.name, word) || contains_ignoring_case(help_text(option), word);
}
}  // namespace

std::vector<const Option*> sorted_rows(std::span<const Option> table, Since since) {
  std::vector<const Option*> rows;
  for (const Option& option : table)
    if (option.shown == Shown::Everywhere && option.since == since) rows.push_back(&option);
  std::ranges::sort(rows, [](const Option* a, const Option* b) {
    if ((a->letter != 0) != (b->letter != 0)) return a->letter != 0;
    if (lower_letter(a->letter) != lower_letter(b->letter)) return lower_letter(a->letter) < lower_letter(b->letter);
    return a->name < b->name;
  });
  return rows;
}

std::span<const std::string_view> usage_of(const Command& command) {
  static constexpr std::string_view kPlain[] = {"[<options>]"};
  if (!command.usage.empty()) return command.usage;
  if (command.passes_to != nullptr && !command.passes_to->usage.empty()) return command.passes_to->usage;
  return kPlain;
}

std::string usage_lines(std::string_view program, const Command& command) {
  std::string text;
  for (std::string_view line : usage_of(command))
    text += fmt::format("{}{} {} {}\n", text.empty() ? "\n Usage: " : "    or: ", program, command.name, line);
  return text;
}

std::string option_row(const Option& option, unsigned columns) {
  std::string row = "    ";
  row += option.letter != 0 ? fmt::format("-{}", option.letter) : std::string("  ");
  row += option.letter != 0 && !option.name.empty() ? ", " : "  ";
  if (option.name.empty())
    row.resize(row.size() - 2);
  else
    row += fmt::format("--{}", option.name);
  const std::string value = option.metavar.empty() ? "..." : fmt::format("<{}>", option.metavar);
  if (option.value == Value::Sticky)
    row += fmt::format("[{}{}]", option.name.empty() ? "" : "=", value);
  else if (option.value != Value::None)
    row += " " + value;
  if (row.size() <= kNameWidth)
    row.append(kNameWidth - row.size(), ' ');
  else
    row += "\n" + std::string(kNameWidth, ' ');
  std::string help = help_text(option);
  if (columns == 0 || help.empty()) return fmt::format("{}{:{}}{}\n", row, "", kGap, help);
  std::erase(help, '\t');
  // On the first line, the option's name replaces the indent.
  const std::string text = wrapped_text(help, kNameWidth + kGap, columns);
  return row + text.substr(std::min(kNameWidth, text.size()));
}

std::string wrapped_text(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string result;
  const std::size_t width = std::max<std::size_t>(columns > indent ? columns - indent : 0, 20);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    do {
      std::size_t cut = line.size();
      if (cut > width) {
        cut = line.rfind(' ', width);
        if (cut == std::string_view::npos || cut == 0) cut = std::min(line.find(' '), line.size());
      }
      result += fmt::format("{:{}}{}\n", "", indent, line.substr(0, cut));
      line.remove_prefix(std::min(cut + 1, line.size()));
    } while (!line.empty());
  }
  return result;
}

std::string short_help(std::string_view program, const Command& command, std::span<const std::string> filter,
                       unsigned columns) {
  std::string text = usage_lines(program, command) + "\n";
  const std::size_t head = text.size();
  for (const Since since : {Since::LinuxPerf, Since::Ours}) {
    std::string rows;
    for (const Option* option : sorted_rows(command.options, since))
      if (filter.empty() || std::ranges::any_of(filter, [&](const auto& word) { return is_about(*option, word); }))
        rows += option_row(*option, columns);
    if (since == Since::Ours && !rows.empty() && command.since == Since::LinuxPerf) text += "\n Only in peregrine:\n\n";
    text += rows;
  }
  if (!filter.empty() && text.size() == head)
    text += fmt::format(" No option of {} matches '{}'.\n", command.name, fmt::join(filter, "' or '"));
  return text + "\n";
}

}  // namespace peregrine
