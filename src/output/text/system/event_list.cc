#include "output/text/system/event_list.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "event/filter/filter_text.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {

constexpr std::size_t kEventNameWidth = 50, kEventIndent = 8, kEventLine = 80;

}  // namespace

void EventListText::print(std::span<const CatalogueEntry> entries) {
  for (const auto& entry : entries) print(entry);
}

void EventListText::print(const CatalogueEntry& entry) {
  const auto& text = style_.long_description ? entry.long_description : entry.description;
  const bool described_here = style_.describe && !text.empty();
  if (!described_here) {
    out_.append("  ").left(printable(entry.shown), kEventNameWidth).append(" [").append(entry.label).append("]\n");
  } else {
    if (topic_ != entry.topic) {
      topic_ = entry.topic;
      if (!topic_.empty()) out_.append('\n').append(printable(topic_)).append(":\n");
    }
    out_.append("  ").left(printable(entry.shown), kEventNameWidth).append('\n');
    wrapped(text);
  }
  if (style_.details && !entry.encoding.empty())
    out_.fill(' ', kEventIndent).append(printable(entry.encoding)).append('\n');
}

// Writes the text in brackets, wrapped to the width of a terminal.
void EventListText::wrapped(std::string_view text) {
  std::string line(kEventIndent - 1, ' ');
  line += '[';
  for (bool first = true; !text.empty(); first = false) {
    const auto end = std::min(text.find(' '), text.size());
    const auto word = printable(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!first && line.size() + 1 + word.size() >= kEventLine) {
      out_.append(line).append('\n');
      line.assign(kEventIndent, ' ');
      line += word;
    } else {
      if (!first) line += ' ';
      line += word;
    }
  }
  out_.append(line).append("]\n");
}

void EventListText::heading(std::string_view text) { out_.format("\n{}:\n\n", text); }

void EventListText::described(std::string_view name, std::string_view description, std::string_view formula) {
  out_.format("  {}\n", printable(name));
  if (style_.describe && !description.empty()) out_.format("       [{}]\n", printable(description));
  if (style_.details && !formula.empty()) out_.format("       [{}]\n", printable(formula));
}

void EventListText::format(const TraceFormat& format) {
  std::size_t width = 0;
  for (const auto& field : format.fields) width = std::max(width, field.declaration.size());
  for (const auto& field : format.fields)
    out_.append("       ")
        .left(printable(field.declaration), width)
        .append("  filter: ")
        .append(filter_operators(field))
        .append('\n');
  if (format.fields.empty()) out_.append("       no fields\n");
  out_.append("       print fmt: ").append(printable(format.print_fmt)).append('\n');
}

}  // namespace peregrine
