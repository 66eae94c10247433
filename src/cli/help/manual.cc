#include "cli/help/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/text/words.h"
#include "cli/frame/program_name.h"
#include "cli/help/short_help.h"
#include "cli/option/option.h"

namespace peregrine {

namespace {

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c & ~0x20);
  return result;
}

// Formats "-F, --freq <freq>".
std::string option_term(const Option& option) {
  std::string term = option.letter != 0 ? fmt::format("-{}", option.letter) : std::string();
  if (!option.name.empty()) term += fmt::format("{}--{}", term.empty() ? "" : ", ", option.name);
  const std::string value = option.metavar.empty() ? "..." : fmt::format("<{}>", option.metavar);
  if (option.value == Value::Sticky)
    term += fmt::format("[{}{}]", option.name.empty() ? "" : "=", value);
  else if (option.value == Value::NextWord)
    term += fmt::format(" [{}]", value);
  else if (option.value == Value::Required)
    term += " " + value;
  return term;
}

// Whether the help already mentions the value used when the option has no argument.
bool names_implied(std::string_view help, std::string_view implied) {
  return help.find(fmt::format("default: {}", implied)) != std::string_view::npos || help.ends_with(implied);
}

std::string option_text(const Option& option) {
  std::string text;
  for (const char c : help_text(option)) {
    if (c != '\t')
      text += c;
    else if (!text.empty() && text.back() != '\n' && text.back() != ' ')
      text += ' ';
  }
  if (!option.implied.empty() && !names_implied(text, option.implied))
    text += fmt::format("{} Without a value: {}.", text.ends_with('.') ? "" : ".", option.implied);
  if (!option.store) text += " (not built yet)";
  return text;
}

void add_paragraphs(ManualSection& section, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    if (end > 0) section.blocks.push_back({ManualBlock::Kind::Paragraph, "", std::string(text.substr(0, end))});
    text.remove_prefix(std::min(end + 2, text.size()));
  }
}

constexpr const char* kOursHeading = "ONLY IN PEREGRINE";

// Adds a command's options under "OPTIONS", or those of a command's part under its name.
void add_options(Manual& manual, const Command& command, std::string_view heading = "OPTIONS") {
  std::vector<std::string_view> groups{""};
  for (const Option& option : command.options)
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  for (std::string_view group : groups) {
    for (const Since since : {Since::LinuxPerf, Since::Ours}) {
      const bool apart = since == Since::Ours && command.since == Since::LinuxPerf;
      ManualSection section{group.empty() ? std::string(heading) : upper(group), {}};
      if (apart) section.heading = section.heading == "OPTIONS" ? kOursHeading : section.heading + ", " + kOursHeading;
      for (const Option* option : sorted_rows(command.options, since))
        if (option->group == group)
          section.blocks.push_back({ManualBlock::Kind::Item, option_term(*option), option_text(*option)});
      if (!section.blocks.empty()) manual.sections.push_back(std::move(section));
    }
  }
}

void add_columns(Manual& manual, const ManualNotes& notes) {
  ManualSection section{"COLUMNS", {}};
  for (const std::string_view column : notes.columns) {
    const std::size_t bar = std::min(column.find('|'), column.size() - 1);
    section.blocks.push_back(
        {ManualBlock::Kind::Item, std::string(column.substr(0, bar)), std::string(column.substr(bar + 1))});
  }
  if (!section.blocks.empty()) manual.sections.push_back(std::move(section));
}

void add_related(Manual& manual, const ManualNotes& notes) {
  if (notes.see_also.empty()) return;
  std::string text = fmt::format("{}(1)", manual.program);
  for (const std::string& name : split_words(notes.see_also)) text += fmt::format(", {}-{}(1)", manual.program, name);
  manual.sections.push_back({"SEE ALSO", {{ManualBlock::Kind::Paragraph, "", std::move(text)}}});
}

std::string troff(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == '.' || c == '\'') && (i == 0 || text[i - 1] == '\n')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
    if (c == '\n' && i + 1 < text.size()) result += ".br\n";
  }
  return result;
}

std::string markdown(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '*' || c == '_' || c == '|' || c == '[') result += '\\';
    result += c;
    if (c == '\n') result += "  ";
  }
  return result;
}

}  // namespace

Manual make_manual(std::string_view program, const Command& command, const ManualNotes& notes) {
  Manual manual{fmt::format("{}-{}", program, command.name), std::string(program), std::string(command.summary), {}};
  ManualSection name{"NAME", {}};
  name.blocks.push_back({ManualBlock::Kind::Paragraph, "", fmt::format("{} - {}", manual.title, command.summary)});
  ManualSection synopsis{"SYNOPSIS", {}};
  for (std::string_view line : usage_of(command))
    synopsis.blocks.push_back({ManualBlock::Kind::Command, fmt::format("{} {} {}", program, command.name, line), ""});
  manual.sections = {std::move(name), std::move(synopsis)};

  ManualSection description{"DESCRIPTION", {}};
  add_paragraphs(description, with_program_name(program, command.description));
  if (!description.blocks.empty()) manual.sections.push_back(std::move(description));
  add_options(manual, command);
  for (const Command* part : command.parts) {
    add_options(manual, *part, fmt::format("OPTIONS OF {}", upper(part->name)));
    for (const Command* inner : part->parts)
      add_options(manual, *inner, fmt::format("OPTIONS OF {}", upper(inner->name)));
  }

  add_columns(manual, notes);
  ManualSection examples{"EXAMPLES", {}};
  for (std::string_view example : command.examples) {
    const std::size_t bar = example.rfind('|');
    const std::string_view what = bar == std::string_view::npos ? std::string_view() : example.substr(bar + 1);
    examples.blocks.push_back(
        {ManualBlock::Kind::Command, with_program_name(program, example.substr(0, bar)), std::string(what)});
  }
  if (!examples.blocks.empty()) manual.sections.push_back(std::move(examples));
  add_related(manual, notes);
  return manual;
}

ManualSection option_section(std::string_view heading, std::span<const Option> options) {
  ManualSection section{std::string(heading), {}};
  for (const Since since : {Since::LinuxPerf, Since::Ours})
    for (const Option* option : sorted_rows(options, since))
      section.blocks.push_back({ManualBlock::Kind::Item, option_term(*option), option_text(*option)});
  return section;
}

std::string manual_text(const Manual& manual, unsigned columns) {
  std::string text;
  for (const ManualSection& section : manual.sections) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", section.heading);
    bool first = true;
    for (const ManualBlock& block : section.blocks) {
      const bool spaced = block.kind != ManualBlock::Kind::Command || !block.text.empty();
      if (!first && spaced) text += "\n";
      first = false;
      if (!block.term.empty()) text += fmt::format("       {}\n", block.term);
      if (!block.text.empty())
        text += wrapped_text(block.text, block.kind == ManualBlock::Kind::Paragraph ? 7 : 11, columns);
    }
  }
  return text;
}

std::string manual_troff(const Manual& manual, std::string_view version) {
  std::string text = fmt::format(".TH \"{}\" \"1\" \"\" \"{} {}\" \"{} Manual\"\n.nh\n.ad l\n", upper(manual.title),
                                 manual.program, version, manual.program);
  for (const ManualSection& section : manual.sections) {
    text += fmt::format(".SH \"{}\"\n", section.heading);
    for (const ManualBlock& block : section.blocks) {
      switch (block.kind) {
        case ManualBlock::Kind::Paragraph:
          text += fmt::format(".PP\n{}\n", troff(block.text));
          break;
        case ManualBlock::Kind::Item:
          text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", troff(block.term), troff(block.text));
          break;
        case ManualBlock::Kind::Command:
          text += block.text.empty() ? fmt::format(".nf\n{}\n.fi\n", troff(block.term))
                                     : fmt::format(".TP\n\\fB{}\\fR\n{}\n", troff(block.term), troff(block.text));
          break;
      }
    }
  }
  return text;
}

std::string manual_markdown(const Manual& manual) {
  std::string text = fmt::format("# {}\n", manual.title);
  for (const ManualSection& section : manual.sections) {
    if (section.heading == "NAME") {
      text += fmt::format("\n{}\n", markdown(manual.summary));
      continue;
    }
    std::string heading = section.heading.substr(0, 1);
    for (const char c : section.heading.substr(1)) heading += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    text += fmt::format("\n## {}\n\n", heading);
    bool in_code = false;
    for (const ManualBlock& block : section.blocks) {
      const bool code = block.kind == ManualBlock::Kind::Command && block.text.empty();
      if (code != in_code) text += code ? "```\n" : "```\n\n";
      in_code = code;
      if (code)
        text += block.term + "\n";
      else if (block.kind == ManualBlock::Kind::Paragraph)
        text += markdown(block.text) + "\n\n";
      else
        text += fmt::format("- `{}`: {}\n", block.term, markdown(block.text));
    }
    if (in_code) text += "```\n";
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace peregrine
