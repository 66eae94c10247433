#include "output/text/report_table.h"

#include <algorithm>

#include "output/text/printable.h"

namespace peregrine {
namespace {

constexpr unsigned kAddressDigits = 16;  // of an unresolved symbol
constexpr std::size_t kGraphsAtOnce = 512;

class TablePrinter {
 public:
  TablePrinter(Sink& out, const RowTable& table, const TableText& style) : out_(out), table_(table), style_(style) {
    for (const Column& column : table.request().columns.shown)
      if (column.is_metric || std::ranges::find(style.hidden, column.key) == style.hidden.end())
        columns_.push_back(column);
    measure();
  }
  void print();

 private:
  void measure();
  void measure_row(const Row& row);
  bool passes(const Row& row) const;
  void widen(SortKey key, std::size_t width);
  void print_titles();
  void print_row(const Row& row);
  void append_metric(const Row& row, Metric metric, unsigned width);
  std::string cell(const Row& row, SortKey key, unsigned width) const;
  std::string symbol_cell(const FrameLook& look, char level) const;
  std::string place_cell(const FrameLook& look) const;
  std::string dso_cell(const FrameLook& look) const;
  std::string source_cell(const FrameLook& look, KeyLook which) const;
  std::string name_cell(const FrameLook& look) const;
  std::string shown(std::string_view text) const;
  bool plain() const { return style_.separator.empty(); }

  Sink& out_;
  const RowTable& table_;
  const TableText& style_;
  std::vector<Column> columns_;
  std::vector<unsigned> widths_;  // by column
};

unsigned metric_width(Metric metric) {
  switch (metric) {
    case Metric::Samples:
    case Metric::Period:
      return 12;
    case Metric::OverheadGuestSys:
    case Metric::OverheadGuestUser:
      return 9;
    default:
      return 8;
  }
}

std::string_view title_of(const RowTable& table, const Column& column) {
  if (!column.is_metric) return spec_of(column.key).header;
  const std::vector<Column>& shown = table.request().columns.shown;
  const bool beside_children = std::ranges::find(shown, column_of(Metric::OverheadChildren)) != shown.end();
  if (column.metric == Metric::Overhead && table.request().children && beside_children) return "Self";
  return spec_of(column.metric).header;
}

void TablePrinter::widen(SortKey key, std::size_t width) {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (!columns_[i].is_metric && columns_[i].key == key)
      widths_[i] = std::max(widths_[i], static_cast<unsigned>(width));
}

std::string TablePrinter::shown(std::string_view text) const {
  std::string result = is_printable(text) ? std::string(text) : printable(text);
  if (!plain())
    for (std::size_t at = 0; (at = result.find(style_.separator, at)) != std::string::npos;)
      result.replace(at, style_.separator.size(), ".");
  return result;
}

void TablePrinter::measure() {
  const unsigned members = static_cast<unsigned>(table_.members());
  for (const Column& column : columns_) {
    const std::string_view title = title_of(table_, column);
    const unsigned least = column.is_metric ? metric_width(column.metric) * members : spec_of(column.key).width;
    widths_.push_back(std::max(least, static_cast<unsigned>(title.size())));
  }
  for (const Row& row : table_.rows())
    if (passes(row)) measure_row(row);
  for (std::size_t i = 0; i < columns_.size() && i < style_.widths.size(); ++i)
    if (style_.widths[i] != 0) widths_[i] = style_.widths[i];
}

bool TablePrinter::passes(const Row& row) const {
  if (style_.symbol_filter.empty()) return true;
  const StringId symbol = table_.frame_look(row).symbol;
  return symbol.valid() && table_.faces().text(symbol).contains(style_.symbol_filter);
}

void TablePrinter::measure_row(const Row& row) {
  for (const Column& column : columns_) {
    if (column.is_metric) continue;
    const SortKeySpec& spec = spec_of(column.key);
    if (spec.source == KeySource::Group && (spec.look == KeyLook::Text || spec.look == KeyLook::Trace ||
                                            spec.look == KeyLook::Word || spec.look == KeyLook::ThreadComm)) {
      const std::size_t width = display_width(shown(table_.group_text(row, column.key)));
      widen(column.key, width + (spec.look == KeyLook::ThreadComm ? 8 : 0));
      continue;
    }
    if (spec.source == KeySource::Group) continue;
    const FrameLook& look =
        spec.source == KeySource::Frame ? table_.frame_look(row) : table_.data_look(row, column.key);
    if (spec.look == KeyLook::Place) {
      widen(column.key, display_width(place_cell(look)));
    } else if (spec.look == KeyLook::Name) {
      widen(column.key, display_width(name_cell(look)));
    } else if (spec.look == KeyLook::Line || spec.look == KeyLook::SourceFile) {
      widen(column.key, display_width(source_cell(look, spec.look)));
    } else if (spec.look == KeyLook::Symbol) {
      widen(column.key,
            look.symbol.valid() ? 4 + display_width(shown(table_.faces().text(look.symbol))) : 4 + 2 + kAddressDigits);
    } else {
      widen(column.key, display_width(dso_cell(look)));
      if (!look.symbol.valid() && plain() && style_.widths.empty()) widen(column.key, kAddressDigits);
    }
  }
}

std::string TablePrinter::symbol_cell(const FrameLook& look, char level) const {
  if (!look.symbol.valid() && look.address == 0) return fmt::format("[{}] {:0{}}", level, 0, kAddressDigits);
  if (!look.symbol.valid()) return fmt::format("[{}] {:#0{}x}", level, look.address, kAddressDigits + 2);
  return fmt::format("[{}] {}", level, shown(table_.faces().text(look.symbol)));
}

std::string TablePrinter::place_cell(const FrameLook& look) const {
  std::string text = symbol_cell(look, look.level);
  if (look.symbol.valid() && look.address > look.start) text += fmt::format("+{:#x}", look.address - look.start);
  return text;
}

std::string TablePrinter::dso_cell(const FrameLook& look) const { return shown(table_.faces().text(look.dso)); }

std::string TablePrinter::source_cell(const FrameLook& look, KeyLook which) const {
  const StringId text = which == KeyLook::Line ? look.line : look.file;
  return text.valid() ? shown(table_.faces().text(text)) : std::string();
}

std::string TablePrinter::name_cell(const FrameLook& look) const {
  return look.symbol.valid() ? shown(table_.faces().text(look.symbol)) : "[other]";
}

std::string TablePrinter::cell(const Row& row, SortKey key, unsigned width) const {
  const SortKeySpec& spec = spec_of(key);
  if (spec.source != KeySource::Group) {
    const FrameLook& look = spec.source == KeySource::Frame ? table_.frame_look(row) : table_.data_look(row, key);
    if (spec.look == KeyLook::Name) return name_cell(look);
    if (spec.look == KeyLook::Place) return place_cell(look);
    if (spec.look == KeyLook::Line || spec.look == KeyLook::SourceFile) return source_cell(look, spec.look);
    const char level = spec.source == KeySource::Frame ? row.level : look.level;
    return spec.look == KeyLook::Symbol ? symbol_cell(look, level) : dso_cell(look);
  }
  const u64 value = table_.group_value(row, key);
  switch (spec.look) {
    case KeyLook::Text:
    case KeyLook::Trace:
    case KeyLook::Word:
      return shown(table_.group_text(row, key));
    case KeyLook::ThreadComm:
      return fmt::format("{:7}:{}", static_cast<i32>(value), shown(table_.group_text(row, key)));
    case KeyLook::Padded: {
      const i32 number = static_cast<i32>(value);
      const std::string digits = fmt::format("{}{:03}", number < 0 ? "-" : "", number < 0 ? -number : number);
      return fmt::format("{:>{}}", digits, width);
    }
    case KeyLook::Number:
      return fmt::format("{:>{}}", value, width);
    case KeyLook::Time:
      return fmt::format("{}.{:06}", value / 1'000'000'000, value / 1000 % 1'000'000);
    case KeyLook::Hex:
      return fmt::format("{:#x}", value);
    case KeyLook::Sum:
      return fmt::format("{}", value * table_.sums(row).samples);
    case KeyLook::Dashed:
      return value == 0 ? std::string("-") : fmt::format("{}", value);
    case KeyLook::Left:
    case KeyLook::Name:
    case KeyLook::Place:
    case KeyLook::Symbol:
    case KeyLook::Line:
    case KeyLook::SourceFile:
      break;
  }
  return fmt::format("{}", value);
}

void TablePrinter::append_metric(const Row& row, Metric metric, unsigned width) {
  const bool percent = spec_of(metric).percent;
  const unsigned members = static_cast<unsigned>(table_.members());
  std::string text;
  for (unsigned member = 0; member < members; ++member) {
    const u64 value = table_.value(row, metric, member);
    if (metric == Metric::OverheadChildren && !table_.request().children) {
      text += plain() ? fmt::format("{:>{}}", "N/A", width) : " N/A";
    } else if (percent) {
      const u64 total = table_.total_period(member);
      const double share = total == 0 ? 0.0 : 100.0 * static_cast<double>(value) / static_cast<double>(total);
      text += plain() ? fmt::format(" {:>{}.2f}%", share, width / members - 2) : fmt::format(" {:.2f}%", share);
    } else {
      text += plain() ? fmt::format(" {:>{}}", value, width / members - 1) : fmt::format(" {}", value);
    }
  }
  out_.left(text, plain() ? 0 : width);
}

void TablePrinter::print_titles() {
  out_.append("# ");
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (i > 0) out_.append(plain() ? std::string_view("  ") : std::string_view(style_.separator));
    const std::string_view title = title_of(table_, columns_[i]);
    if (columns_[i].is_metric)
      out_.right(title, widths_[i]);
    else
      out_.left(title.substr(0, widths_[i]), widths_[i]);
  }
  out_.append('\n');
  if (!plain()) return;
  out_.append("# ");
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (i > 0) out_.append("  ");
    out_.fill('.', widths_[i]);
  }
  out_.append("\n#\n");
}

void TablePrinter::print_row(const Row& row) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (plain())
      out_.append("  ");
    else if (i > 0)
      out_.append(style_.separator);
    if (columns_[i].is_metric) {
      append_metric(row, columns_[i].metric, widths_[i]);
      continue;
    }
    const SortKeySpec& spec = spec_of(columns_[i].key);
    const KeyLook look = spec.look;
    std::string text = cell(row, columns_[i].key, widths_[i]);
    const std::size_t width = display_width(text);
    if (plain() && width > widths_[i] && look != KeyLook::Padded && look != KeyLook::ThreadComm)
      text.resize(widths_[i]);
    out_.append(text);
    // A symbol or a source that ends the line is not followed by blanks, all other texts are.
    const bool source = look == KeyLook::Line || look == KeyLook::SourceFile;
    const bool bare =
        look == KeyLook::Trace || look == KeyLook::Symbol || look == KeyLook::Place || (source && !spec.of_branch);
    const bool pads = !bare || i + 1 < columns_.size();
    if (pads && width < widths_[i]) out_.fill(' ', widths_[i] - width);
  }
  out_.append('\n');
}

void TablePrinter::print() {
  if (style_.titles) print_titles();
  const double total = static_cast<double>(table_.total_period());
  std::vector<u32> shown_rows;
  for (u32 at = 0; at < table_.rows().size(); ++at) {
    const double percent = total == 0 ? 0 : 100.0 * static_cast<double>(table_.weight(table_.rows()[at])) / total;
    if (percent >= style_.least_percent && passes(table_.rows()[at])) shown_rows.push_back(at);
  }
  std::optional<CallGraphBuilder> builder;
  if (style_.graphs && style_.graph.mode != GraphMode::None) builder.emplace(table_);
  for (std::size_t at = 0; at < shown_rows.size(); at += kGraphsAtOnce) {
    const std::span<const u32> part =
        std::span(shown_rows).subspan(at, std::min(kGraphsAtOnce, shown_rows.size() - at));
    std::vector<CallGraph> graphs(part.size());
    if (builder) {
      graphs = builder->build(part, least_total(table_, style_.graph), least_share(style_.graph));
    }
    for (std::size_t i = 0; i < part.size(); ++i) {
      const Row& row = table_.rows()[part[i]];
      print_row(row);
      if (!builder) continue;
      const GraphText graph{style_.graph, style_.symbol_leads};
      print_call_graph(out_, graphs[i], table_.faces(), graph, table_.weight(row),
                       table_.hists().totals(table_.request().events[0]).period);
    }
  }
}

}  // namespace

void print_table(Sink& out, const RowTable& table, const TableText& style) { TablePrinter(out, table, style).print(); }

std::string short_count(u64 count) {
  constexpr std::string_view kUnits = " KMGTPE";
  std::size_t unit = 0;
  for (; count >= 1000 && unit + 1 < kUnits.size(); ++unit) count /= 1000;
  return fmt::format("{}{}", count, kUnits[unit]);
}

}  // namespace peregrine
