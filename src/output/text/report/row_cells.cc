#include "output/text/report/row_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/sort_key.h"
#include "base/container/string_pool.h"
#include "base/types.h"
#include "output/text/format/printable.h"
#include "output/text/report/key_look.h"

namespace peregrine {
namespace {

constexpr unsigned kAddressDigits = 16;  // width of an unresolved symbol
constexpr unsigned kTidWidth = 8;        // "    123:" before a comm

bool is_located_text(const FieldColumn& field) { return field.is_string && field.is_located; }

}  // namespace

std::string RowCells::shown(std::string_view text) const {
  std::string result = is_printable(text) ? std::string(text) : printable(text);
  if (!separator_.empty())
    for (std::size_t at = 0; (at = result.find(separator_, at)) != std::string::npos;)
      result.replace(at, separator_.size(), ".");
  return result;
}

std::size_t RowCells::width(const Row& row, SortKey key) const {
  if (key->source == KeySource::Group) {
    if (!is_text(key)) return 0;
    const std::size_t width = display_width(shown(table_.group_text(row, key)));
    // linux-perf's column has room for the NUL.
    const bool ends_in_nul = is_dynamic(key) && is_located_text(table_.request().columns.fields[dynamic_index(key)]);
    return width + (key->kind == KeyKind::Thread ? kTidWidth : 0) + (ends_in_nul ? 1 : 0);
  }
  const FrameLook& look = table_.look(row, key);
  switch (key->kind) {
    case KeyKind::Symbol:
      return look.symbol.valid() ? 4 + display_width(shown(table_.faces().text(look.symbol))) : 4 + 2 + kAddressDigits;
    case KeyKind::Dso: {
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

std::string RowCells::text_or_nothing(StringId text) const {
  return text.valid() ? shown(table_.faces().text(text)) : std::string();
}

std::string RowCells::name_text(const FrameLook& look) const {
  return look.symbol.valid() ? shown(table_.faces().text(look.symbol)) : "[other]";
}

std::string RowCells::frame_text(const Row& row, SortKey key) const {
  const FrameLook& look = table_.look(row, key);
  switch (key->kind) {
    case KeyKind::SymbolName:
      return name_text(look);
    case KeyKind::CodePlace:
      return place_text(look);
    case KeyKind::Line:
      return text_or_nothing(look.line);
    case KeyKind::File:
      return text_or_nothing(look.file);
    case KeyKind::SymbolSize:
      return look.symbol.valid() ? fmt::format("{}", symbol_size(look)) : "unknown";
    case KeyKind::DsoSize:
      return look.dso_size != 0 ? fmt::format("{}", look.dso_size) : "unknown";
    case KeyKind::Symbol:
      return symbol_text(look, key->source == KeySource::Frame ? row.level : look.level);
    default:
      return shown(table_.faces().text(look.dso));
  }
}

std::string RowCells::group_text(const Row& row, SortKey key, unsigned width) const {
  const u64 value = table_.group_value(row, key);
  switch (key->kind) {
    case KeyKind::Text:
    case KeyKind::Word:
    case KeyKind::Field:
      return shown(table_.group_text(row, key));
    case KeyKind::Thread:
      return fmt::format("{:7}:{:.{}}", static_cast<i32>(value), shown(table_.group_text(row, key)),
                         width < kTidWidth ? 0 : width - kTidWidth);
    case KeyKind::Processor: {
      const i32 number = static_cast<i32>(value);
      return fmt::format("{}{:03}", number < 0 ? "-" : "", number < 0 ? -number : number);
    }
    case KeyKind::Time:
      return fmt::format("{}.{:06}", value / 1'000'000'000, value / 1000 % 1'000'000);
    case KeyKind::Address:
      return fmt::format("{:#x}", value);
    case KeyKind::Total:
      return fmt::format("{}", value * table_.sums(row).samples);
    case KeyKind::Counted:
      return value == 0 ? std::string("-") : fmt::format("{}", value);
    default:
      return fmt::format("{}", value);
  }
}

RowCells::RowCells(const RowTable& table, std::string_view separator, bool wide_dsos)
    : table_(table), separator_(separator), wide_dsos_(wide_dsos) {
  for (const SortKey key : table.request().columns.keys) looks_.emplace_back(key, look_of(key));
}

KeyLook RowCells::look(SortKey key) const {
  for (const auto& [known, look] : looks_)
    if (known == key) return look;
  return look_of(key);
}

std::string RowCells::text(const Row& row, SortKey key, unsigned width) const {
  std::string text = key->source == KeySource::Group ? group_text(row, key, width) : frame_text(row, key);
  if (look(key).right) return fmt::format("{:>{}}", text, width);
  return text;
}

}  // namespace peregrine
