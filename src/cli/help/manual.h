// The manual page of a command, made from its Command and option table, as a value; and its three output formats: text
// for `help COMMAND`, troff for man(1), Markdown for docs/commands/.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/command.h"
#include "cli/option/option.h"

namespace peregrine {

struct ManualBlock {
  enum class Kind { Paragraph, Item, Command } kind = Kind::Paragraph;
  std::string term;  // Item: "-F, --freq <freq>"; Command: the command line
  std::string text;
};

struct ManualSection {
  std::string heading;  // "OPTIONS"
  std::vector<ManualBlock> blocks;
};

struct Manual {
  std::string title;  // "peregrine-record"
  std::string program, summary;
  std::vector<ManualSection> sections;
};

struct ManualNotes {
  std::span<const std::string_view> columns = {};  // of the command's tables: "names|meaning"
  std::string_view see_also = {};                  // related commands, separated by commas
};

// `program`: the name used in usage lines and examples.
Manual make_manual(std::string_view program, const Command& command, const ManualNotes& notes = {});

// All visible options of a table as one section.
ManualSection option_section(std::string_view heading, std::span<const Option> options);

std::string manual_text(const Manual& manual, unsigned columns);
std::string manual_troff(const Manual& manual, std::string_view version);
std::string manual_markdown(const Manual& manual);

}  // namespace peregrine
