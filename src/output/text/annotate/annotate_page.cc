#include "output/text/annotate/annotate_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "analysis/annotate/code_flow.h"
#include "analysis/annotate/symbol_code.h"
#include "base/percent.h"
#include "base/types.h"
#include "output/text/annotate/annotate_color.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {

std::size_t column_width(AnnotateColumn column) { return column == AnnotateColumn::Period ? 12 : 8; }

std::string_view column_title(AnnotateColumn column) {
  switch (column) {
    case AnnotateColumn::Samples:
      return " Samples";
    case AnnotateColumn::Period:
      return " Period";
    case AnnotateColumn::Percent:
      break;
  }
  return " Percent";
}

// Instruction bytes are laid out in rows as in objdump's output.
constexpr std::size_t kBytesPerRow = 7;
constexpr std::size_t kBytesWidth = 24;

constexpr double kLeastBranches = 0.1;  // percent

class AnnotateText {
 public:
  AnnotateText(Sink& out, const AnnotatePage& page, const AnnotateStyle& style)
      : out_(out),
        page_(page),
        style_(style),
        width_(column_width(style.column) * page.events.size()),
        flow_(code_flow(page.listing, page.hits.runs)) {}

  void print() {
    print_title();
    if (style_.hits) print_hits();
    std::string shown_place;
    auto section = page_.listing.code.sections.begin();
    for (std::size_t i = 0; i < page_.listing.lines.size(); ++i) {
      if (section != page_.listing.code.sections.end() && page_.listing.lines[i].offset >= section->begin)
        print_section(*section++);
      for (const SourceRow& row : page_.listing.lines[i].source) print_source(row);
      print_line(i, shown_place);
    }
    print_rest();
  }

 private:
  void print_title() {
    const EventHits& first = page_.hits.events[page_.events[0]];
    std::string title;
    title.append(column_title(style_.column));
    title.append(width_ - std::min(width_, title.size()), ' ');
    title += fmt::format(" |\tSource code & Disassembly of {} for {} ({} samples, percent: {})", printable(page_.dso),
                         page_.event, first.total.samples, describe(style_.type));
    out_.append(title).append('\n');
    out_.fill('-', title.size() + 5).append('\n');  // accounts for the tab in the title
  }

  void print_hits() {
    const EventHits& first = page_.hits.events[page_.events[0]];
    for (const OffsetHits& at : first.offsets)
      out_.right(fmt::format("{:x}", page_.listing.code.address + at.offset), 32).format(": {}\n", at.hits.samples);
    out_.right("h->nr_samples", 32).format(": {}\n", first.total.samples);
  }

  void print_section(const CodeSection& section) {
    const Listing& listing = page_.listing;
    const bool first = section.begin == listing.code.sections.front().begin;
    for (int i = 0; i < (first ? 3 : 1); ++i) print_remark({});
    if (!section.name.empty()) {
      print_remark({3, fmt::format("Disassembly of section {}:", printable(section.name))});
      print_remark({});
    }
    print_remark({5, fmt::format("{:016x} <{}{}>:", listing.code.address + section.begin, printable(listing.symbol),
                                 section.begin == 0 ? "" : fmt::format("+{:#x}", section.begin))});
    const bool sources =
        std::ranges::any_of(listing.lines, [](const ListingLine& line) { return !line.source.empty(); });
    if (sources && first) print_remark({6, fmt::format("{}():", printable(listing.symbol))});
  }

  void print_remark(const SourceRow& row) {
    out_.fill(' ', width_ + 1).append(':');
    if (!row.text.empty()) {
      const std::size_t digits = fmt::format("{:x}", page_.listing.code.address).size();
      out_.append(' ').left(fmt::format("{}", row.number), digits).append(' ').append(row.text);
    }
    out_.append('\n');
  }
  void print_source(const SourceRow& row) {
    const std::size_t digits = fmt::format("{:x}", page_.listing.code.address).size();
    out_.fill(' ', width_ + 1).append(": ");
    const std::string number = row.number == 0 ? "" : fmt::format("{}", row.number);
    if (row.text.empty())
      out_.append(number);
    else
      out_.left(number, digits).append(' ').append(printable(row.text));
    out_.append('\n');
  }

  // The event's share in percent. Colours depend on it.
  double share(const Hits& hits, u32 event) const {
    return percent(hits, page_.hits.events[event].total, page_.totals[event], style_.type);
  }

  double print_columns(u64 begin, u64 end) {
    double most = 0;
    for (const u32 event : page_.events) {
      const Hits hits = page_.hits.events[event].between(begin, end);
      const double value = share(hits, event);
      most = std::max(most, value);
      std::string text;
      if (style_.column == AnnotateColumn::Samples)
        text = fmt::format("{:8}", hits.samples);
      else if (style_.column == AnnotateColumn::Period)
        text = fmt::format("{:12}", hits.period);
      else
        text = fmt::format("{:8.2f}", value);
      append_colored(out_, style_.colors ? percent_color(value) : Color::None, text);
    }
    return most;
  }

  void print_line(std::size_t index, std::string& shown_place) {
    const ListingLine& line = page_.listing.lines[index];
    const u64 end = end_of_line(page_.listing, index);
    if (style_.code_bytes && line.code.size > kBytesPerRow) {
      print_wrapped(index, end, shown_place);
      return;
    }
    print_row(index, line.offset, end, true, shown_place);
  }

  // A long instruction takes several rows of bytes. Each row shows the samples that hit its bytes.
  void print_wrapped(std::size_t index, u64 end, std::string& shown_place) {
    const ListingLine& line = page_.listing.lines[index];
    for (u64 begin = line.offset; begin < line.offset + line.code.size; begin += kBytesPerRow) {
      const bool last = begin + kBytesPerRow >= line.offset + line.code.size;
      print_row(index, begin, last ? end : begin + kBytesPerRow, begin == line.offset, shown_place);
    }
  }

  void print_row(std::size_t index, u64 begin, u64 end, bool first, std::string& shown_place) {
    const ListingLine& line = page_.listing.lines[index];
    const double most = print_columns(begin, end);
    out_.append(" : ");
    std::string address = fmt::format("{:x}:", page_.listing.code.address + begin);
    const std::size_t column = (address.size() / 8 + 1) * 8;
    append_colored(out_, style_.colors ? Color::Magenta : Color::None, "  " + address);
    std::string text(column - address.size(), ' ');
    if (style_.code_bytes) append_bytes(line, begin, text);
    if (first) append_instruction(line, text);
    text.erase(text.find_last_not_of(' ') + 1);
    append_colored(out_, style_.colors ? Color::Blue : Color::None, text);
    if (first) out_.append(data_type_remark(line));
    if (first && index < flow_.lines.size()) print_branches(index);
    if (style_.places && most > kNotablePercent && !line.place.empty() && line.place != shown_place) {
      shown_place = line.place;
      append_colored(out_, style_.colors ? percent_color(most) : Color::None,
                     fmt::format(" // {}", short_place(line.place, style_.full_paths)));
    }
    out_.append('\n');
  }

  // Prints "+A% -B% (p:C%)". A: of the runs that reach the next taken branch, the share that arrived here by a branch.
  // B: of the runs that pass here, the share that left by a branch. C: the share of the latter that was predicted.
  void print_branches(std::size_t index) {
    const LineFlow& flow = flow_.lines[index];
    const double entered = percent_of(flow.entered, flow.next_runs);
    const double left = percent_of(flow.left, flow.runs);
    std::string text;
    if (entered > kLeastBranches) text += fmt::format(" +{:.2f}%", entered);
    if (left > kLeastBranches)
      text += fmt::format(" -{:.2f}% (p:{:.2f}%)", left, percent_of(flow.predicted, flow.left));
    if (!text.empty()) out_.append("\t#").append(text);
  }

  void append_bytes(const ListingLine& line, u64 begin, std::string& text) const {
    const std::size_t from = text.size();
    const auto& bytes = page_.listing.code.bytes;
    const u64 end = std::min<u64>({line.offset + line.code.size, begin + kBytesPerRow, bytes.size()});
    for (u64 at = begin; at < end; ++at) text += fmt::format("{:02x} ", std::to_integer<unsigned>(bytes[at]));
    text.append(kBytesWidth - std::min(kBytesWidth, text.size() - from), ' ');
  }

  static void append_instruction(const ListingLine& line, std::string& text) {
    text += fmt::format("{:<6} {}", line.code.mnemonic, line.code.operands);
    if (!line.target.empty()) text += fmt::format(" <{}>", printable(line.target));
    if (!line.code.data) return;
    text += fmt::format("        # {:x}", *line.code.data);
    if (!line.data.empty()) text += fmt::format(" <{}>", printable(line.data));
  }

  // Prints samples past the last instruction: the recorded code was longer than the code that was found.
  void print_rest() {
    const auto& lines = page_.listing.lines;
    const u64 end = lines.empty() ? 0 : end_of_line(page_.listing, lines.size() - 1);
    const bool any = std::ranges::any_of(
        page_.events, [&](u32 event) { return page_.hits.events[event].between(end, ~u64{0}).samples != 0; });
    if (!any) return;
    print_columns(end, ~u64{0});
    out_.append(" :   after the last instruction\n");
  }

  Sink& out_;
  const AnnotatePage& page_;
  const AnnotateStyle& style_;
  std::size_t width_;
  CodeFlow flow_;
};

}  // namespace

std::string data_type_remark(const ListingLine& line) {
  return line.data_type.empty() ? std::string() : "\t\t# data-type: " + printable(line.data_type);
}

std::string_view describe(PercentType type) {
  if (type.base == PercentBase::Symbol) return type.of == PercentOf::Period ? "local period" : "local hits";
  return type.of == PercentOf::Period ? "global period" : "global hits";
}

u64 end_of_line(const Listing& listing, std::size_t line) {
  if (line + 1 < listing.lines.size()) return listing.lines[line + 1].offset;
  return std::max<u64>(listing.code.bytes.size(), listing.lines[line].offset + listing.lines[line].code.size);
}

void print_annotate_page(Sink& out, const AnnotatePage& page, const AnnotateStyle& style) {
  AnnotateText(out, page, style).print();
}

}  // namespace peregrine
