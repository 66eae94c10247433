// The pages of `help TOPIC`: pages of docs/, which are part of the program, as plain text.
//
// Renders the Markdown that these pages use: headings, paragraphs, lists, code, tables, links. A table with two
// columns keeps them side by side; wider tables become a block for each row.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace peregrine {

struct HelpTopic {
  std::string_view name, summary;
  std::string_view (*page)();  // Markdown
};
std::span<const HelpTopic> help_topics();

std::string topic_text(std::string_view markdown, std::size_t columns);

}  // namespace peregrine
