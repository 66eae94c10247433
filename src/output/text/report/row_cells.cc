#include "output/text/report/row_cells.h"

#include <algorithm>

#include "output/text/format/printable.h"

namespace peregrine {
namespace {

constexpr unsigned kAddressDigits = 16;  // width of an unresolved symbol
constexpr unsigned kTidWidth = 8;        // "    123:" before a comm

}  // namespace

bool RowCells::is_cut(SortKey key) {
  const KeyLook look = spec_of(key).look;
  return look != KeyLook::Padded && look != KeyLook::ThreadComm;
}

bool RowCells::is_padded(SortKey key) {
  const SortKeySpec& spec = spec_of(key);
  const bool source = spec.look == KeyLook::Line || spec.look == KeyLook::SourceFile;
  return spec.look != KeyLook::Trace && spec.look != KeyLook::Symbol && spec.look != KeyLook::Place &&
         (!source || spec.of_branch);
}

std::string RowCells::shown(std::string_view text) const {
  std::string result = is_printable(text) ? std::string(text) : printable(text);
  if (!separator_.empty())
    for (std::size_t at = 0; (at = result.find(separator_, at)) != std::string::npos;)
      result.replace(at, separator_.size(), ".");
  return result;
}

const FrameLook& RowCells::look_of(const Row& row, SortKey key) const {
  return spec_of(key).source == KeySource::Frame ? table_.frame_look(row) : table_.data_look(row, key);
}

std::size_t RowCells::width(const Row& row, SortKey key) const {
  const SortKeySpec& spec = spec_of(key);
  if (spec.source == KeySource::Group) {
    if (!is_text(spec)) return 0;
    return display_width(shown(table_.group_text(row, key))) + (spec.look == KeyLook::ThreadComm ? kTidWidth : 0);
  }
  const FrameLook& look = look_of(row, key);
  switch (spec.look) {
    case KeyLook::Symbol:
      return look.symbol.valid() ? 4 + display_width(shown(table_.faces().text(look.symbol))) : 4 + 2 + kAddressDigits;
    case KeyLook::Text: {
      const std::size_t width = display_width(frame_text(row, key));
      return !look.symbol.valid() && wide_dsos_ ? std::max<std::size_t>(width, kAddressDigits) : width;
    }
    default:
      return display_width(frame_text(row, key));
  }
}

std::string RowCells::symbol_text(const FrameLook& look, char level) const {
  if (!look.symbol.valid() && look.address == 0) return fmt::format("[{}] {:0{}}", level, 0, kAddressDigits);
  if (!look.symbol.valid()) return fmt::format("[{}] {:#0{}x}", level, look.address, kAddressDigits + 2);
  return fmt::format("[{}] {}", level, shown(table_.faces().text(look.symbol)));
}

std::string RowCells::place_text(const FrameLook& look) const {
  std::string text = symbol_text(look, look.level);
  if (look.symbol.valid() && look.address > look.start) text += fmt::format("+{:#x}", look.address - look.start);
  return text;
}

std::string RowCells::source_text(const FrameLook& look, KeyLook which) const {
  const StringId text = which == KeyLook::Line ? look.line : look.file;
  return text.valid() ? shown(table_.faces().text(text)) : std::string();
}

std::string RowCells::name_text(const FrameLook& look) const {
  return look.symbol.valid() ? shown(table_.faces().text(look.symbol)) : "[other]";
}

std::string RowCells::frame_text(const Row& row, SortKey key) const {
  const SortKeySpec& spec = spec_of(key);
  const FrameLook& look = look_of(row, key);
  switch (spec.look) {
    case KeyLook::Name:
      return name_text(look);
    case KeyLook::Place:
      return place_text(look);
    case KeyLook::Line:
    case KeyLook::SourceFile:
      return source_text(look, spec.look);
    case KeyLook::Size:
      return look.symbol.valid() ? fmt::format("{}", symbol_size(look)) : "unknown";
    case KeyLook::DsoSize:
      return look.dso_size != 0 ? fmt::format("{}", look.dso_size) : "unknown";
    case KeyLook::Symbol:
      return symbol_text(look, spec.source == KeySource::Frame ? row.level : look.level);
    default:
      return shown(table_.faces().text(look.dso));
  }
}

std::string RowCells::text(const Row& row, SortKey key, unsigned width) const {
  const SortKeySpec& spec = spec_of(key);
  if (spec.look == KeyLook::Size || spec.look == KeyLook::DsoSize)
    return fmt::format("{:>{}}", frame_text(row, key), width);
  if (spec.source != KeySource::Group) return frame_text(row, key);
  const u64 value = table_.group_value(row, key);
  switch (spec.look) {
    case KeyLook::Text:
    case KeyLook::Trace:
    case KeyLook::Word:
      return shown(table_.group_text(row, key));
    case KeyLook::Field:
      return fmt::format("{:>{}}", shown(table_.group_text(row, key)), width);
    case KeyLook::ThreadComm:
      return fmt::format("{:7}:{:.{}}", static_cast<i32>(value), shown(table_.group_text(row, key)),
                         width < kTidWidth ? 0 : width - kTidWidth);
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
    case KeyLook::Size:
    case KeyLook::DsoSize:
    case KeyLook::Name:
    case KeyLook::Place:
    case KeyLook::Symbol:
    case KeyLook::Line:
    case KeyLook::SourceFile:
      break;
  }
  return fmt::format("{}", value);
}

}  // namespace peregrine
