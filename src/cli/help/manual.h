// The manual page of a command, made from its Command and option table, as a value; and its three output formats: text
// for `help COMMAND`, troff for man(1), Markdown for docs/commands/.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/command.h"

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

// `program`: the name used in usage lines and examples.
Manual make_manual(std::string_view program, const Command& command);

std::string manual_text(const Manual& manual, unsigned columns);
std::string manual_troff(const Manual& manual, std::string_view version);
std::string manual_markdown(const Manual& manual);

}  // namespace peregrine
