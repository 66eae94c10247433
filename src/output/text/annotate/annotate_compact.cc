#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "analysis/annotate/code_flow.h"
#include "analysis/annotate/listing.h"
#include "analysis/annotate/symbol_hits.h"
#include "base/types.h"
#include "insn/instruction.h"
#include "output/sink.h"
#include "output/text/annotate/annotate_color.h"
#include "output/text/annotate/annotate_page.h"
#include "output/text/format/printable.h"
#include "output/text/report/report_table.h"

namespace peregrine {

namespace {

constexpr std::string_view kDown = "↓", kUp = "↑", kCall = "→", kReturn = "←";

constexpr std::size_t kFlowCell = 6;  // width of speed, and of cycles

// Columns from the left: shares, speed and cycles if branches were recorded with cycles, the label of a jump target, an
// arrow, the instruction.
class CompactText {
 public:
  CompactText(Sink& out, const AnnotatePage& page, const AnnotateStyle& style)
      : out_(out),
        page_(page),
        style_(style),
        cell_(style.column == AnnotateColumn::Period ? 12 : 7),
        flow_(code_flow(page.listing, page.hits.runs)),
        shares_(cell_ * page.events.size() + (flow_.timed() ? 2 * kFlowCell : 0)) {
    for (const ListingLine& line : page.listing.lines) {
      word_ = std::max(word_, first_word(line).size());
      if (!is_local_jump(line)) continue;
      const std::string label = label_of(*line.code.target);
      label_ = std::max(label_, label.size());
      labels_[*line.code.target] = label;
    }
  }

  void print() {
    print_title();
    for (std::size_t i = 0; i < page_.listing.lines.size(); ++i) {
      const ListingLine& line = page_.listing.lines[i];
      for (const SourceRow& row : line.source) print_remark(row.text);
      print_line(i, line);
    }
  }

 private:
  static bool is_local_jump(const ListingLine& line) {
    return line.inside && line.code.flow != Flow::Call && line.code.flow != Flow::Next;
  }
  static std::string_view first_word(const ListingLine& line) {
    const std::string_view word = line.code.mnemonic;
    return word.substr(0, word.find(' '));
  }
  std::string label_of(u64 address) const {
    return fmt::format("{:x}", style_.offsets ? address - page_.listing.code.address : address);
  }

  void print_title() {
    Hits total;
    for (const u32 event : page_.events) total += page_.totals[event];
    out_.format("Samples: {} of event{} '{}', ", short_count(total.samples), page_.events.size() > 1 ? "s" : "",
                page_.event);
    if (page_.frequency != 0) out_.format("{} Hz, ", page_.frequency);
    out_.format("Event count (approx.): {}, [percent: {}]\n", page_.totals[page_.events[0]].period,
                describe(style_.type));
    out_.format("{}() {}\n", printable(page_.listing.symbol), printable(page_.dso_path));
    const std::string_view title = style_.column == AnnotateColumn::Samples  ? "Samples"
                                   : style_.column == AnnotateColumn::Period ? "Period"
                                                                             : "Percent";
    if (!style_.frame) {
      first_shares_ = flow_.timed() ? flow_heads(title) + ' ' : std::string(title);
      return;
    }
    out_.left(flow_.timed() ? flow_title(title) : std::string(title), 2 * shares_ + 1).append('\n');
    for (int i = 0; i < 2; ++i) out_.fill(' ', 2 * shares_ + 1).append('\n');
    const auto& code = page_.listing.code;
    if (!code.sections.empty() && !code.sections[0].name.empty()) {
      print_remark(fmt::format("Disassembly of section {}:", code.sections[0].name));
      out_.fill(' ', 2 * shares_ + 1).append('\n');
    }
    print_remark(fmt::format("{:016x} <{}>:", code.address, page_.listing.symbol));
    const auto& lines = page_.listing.lines;
    if (std::ranges::any_of(lines, [](const ListingLine& line) { return !line.source.empty(); }))
      print_remark(fmt::format("{}():", page_.listing.symbol));
  }

  std::string flow_heads(std::string_view title) const {
    return fmt::format("{:<{}}{:>5} {:>5}", title, shares_ - 2 * kFlowCell, "IPC", "Cycle");
  }
  std::string flow_title(std::string_view title) const {
    return fmt::format("{}  (Average IPC: {:.2f}, IPC Coverage: {:.1f}%)", flow_heads(title), flow_.speed(),
                       100 * flow_.covered());
  }

  // Source lines start in the column of the arrows.
  void print_remark(std::string_view text) {
    const std::size_t column = shares_ + label_ + 3;
    const std::string shown = printable(text);
    out_.fill(' ', column).append(shown);
    pad(column + display_width(shown), 2 * shares_ + 8);
  }

  void pad(std::size_t width, std::size_t wanted) {
    if (width < wanted) out_.fill(' ', wanted - width);
    out_.append('\n');
  }

  void print_shares(u64 begin, u64 end) {
    for (const u32 event : page_.events) {
      const Hits hits = page_.hits.events[event].between(begin, end);
      if (hits.samples == 0) {
        out_.fill(' ', cell_);
        continue;
      }
      const double share = percent(hits, page_.hits.events[event].total, page_.totals[event], style_.type);
      const std::string text = style_.column == AnnotateColumn::Samples  ? fmt::format("{:6} ", hits.samples)
                               : style_.column == AnnotateColumn::Period ? fmt::format("{:11} ", hits.period)
                                                                         : fmt::format("{:6.2f} ", share);
      append_colored(out_, style_.colors ? percent_color(share) : Color::None, text);
    }
  }

  void print_flow(std::size_t index) {
    const LineFlow& flow = flow_.lines[index];
    out_.right(flow.cycles != 0 ? fmt::format("{:.2f} ", flow.speed()) : "", kFlowCell);
    out_.right(flow.timed != 0 ? fmt::format("{} ", flow.timed_cycles / flow.timed) : "", kFlowCell);
  }

  std::string_view arrow_of(const ListingLine& line) const {
    switch (line.code.flow) {
      case Flow::Jump:
      case Flow::Branch:
        if (!line.code.target) return " ";
        if (!line.inside) return kCall;
        return *line.code.target > line.code.address ? kDown : kUp;
      case Flow::Call:
        return kCall;
      case Flow::Return:
        return kReturn;
      case Flow::Next:
        break;
    }
    return " ";
  }

  void print_line(std::size_t index, const ListingLine& line) {
    if (index == 0 && !first_shares_.empty()) {
      out_.left(first_shares_, shares_);
    } else {
      print_shares(line.offset, end_of_line(page_.listing, index));
      if (flow_.timed()) print_flow(index);
    }
    const auto label = labels_.find(line.code.address);
    out_.append(' ');
    if (label == labels_.end())
      out_.fill(' ', label_ + 1);
    else
      out_.right(label->second, label_).append(':');
    const std::string_view arrow = arrow_of(line);
    out_.append(' ').append(arrow).append(' ');
    const std::string text = instruction_text(line);
    append_colored(out_, style_.colors ? Color::Blue : Color::None, text);
    const std::string type = data_type_remark(line);
    out_.append(type);
    if (type.empty())
      pad(shares_ + label_ + 5 + display_width(text), 2 * shares_ + 14);
    else
      out_.append('\n');
  }

  // Symbol names replace addresses.
  std::string instruction_text(const ListingLine& line) const {
    const std::string_view word = line.code.mnemonic;
    if (first_word(line).starts_with("nop")) return fmt::format("{:<{}} ", "nop", word_);
    std::string operands(word.substr(std::min(word.size(), first_word(line).size() + 1)));
    if (!operands.empty() && !line.code.operands.empty()) operands += ' ';
    operands += named_operands(line);
    return fmt::format("{:<{}} {}", first_word(line), word_, printable(operands));
  }

  std::string named_operands(const ListingLine& line) const {
    std::string operands = line.code.operands;
    if (line.code.target) {
      const std::string address = fmt::format("{:x}", *line.code.target);
      const std::size_t at = operands.rfind(address);
      if (at == std::string::npos) return operands;
      if (is_local_jump(line)) return operands.replace(at, address.size(), label_of(*line.code.target));
      if (!line.target.empty()) return operands.replace(at, address.size(), line.target);
      return operands;
    }
    // AT&T syntax "0x3231(%rip)", Intel syntax "[rip+0x3231]".
    if (line.data.empty()) return operands;
    if (const std::size_t end = operands.find("(%rip)"); end != std::string::npos) {
      const std::size_t begin = operands.find_last_of(", *", end) + 1;
      return operands.replace(begin, end + 6 - begin, line.data);
    }
    const std::size_t begin = operands.find("[rip");
    const std::size_t end = begin == std::string::npos ? begin : operands.find(']', begin);
    return end == std::string::npos ? operands : operands.replace(begin, end + 1 - begin, '[' + line.data + ']');
  }

  Sink& out_;
  const AnnotatePage& page_;
  const AnnotateStyle& style_;
  std::size_t cell_;
  CodeFlow flow_;
  std::size_t shares_;
  std::size_t label_ = 1, word_ = 6;
  std::map<u64, std::string> labels_;
  std::string first_shares_;  // the column titles, which replace the first line's shares if there is no frame
};

}  // namespace

void print_compact_page(Sink& out, const AnnotatePage& page, const AnnotateStyle& style) {
  CompactText(out, page, style).print();
}

}  // namespace peregrine
