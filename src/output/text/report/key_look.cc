#include "output/text/report/key_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace peregrine {
namespace {

constexpr std::size_t kMostFieldWidth = 64;
constexpr unsigned kTidDigits = 7;  // width of a tid before its comm

// Sorted by name, as look_of() requires.
constexpr std::array kKeyLooks{
    KeyLook{.key = "abort", .title = "Transaction abort"},
    KeyLook{.key = "addr", .title = "Address", .width = 18},
    KeyLook{.key = "addr_from", .title = "Source Address"},
    KeyLook{.key = "addr_to", .title = "Target Address"},
    KeyLook{.key = "blocked", .width = 10},
    KeyLook{.key = "callsite", .title = "Call Site"},
    KeyLook{.key = "cgroup", .open_ended = true},
    KeyLook{.key = "cgroup_id", .title = "cgroup id (dev/inode)", .open_ended = true},
    KeyLook{.key = "comm", .title = "Command"},
    KeyLook{.key = "comm_nodigit", .title = "CommandNoDigit"},
    KeyLook{.key = "cpu", .title = "CPU"},
    KeyLook{.key = "cycles", .title = "Basic Block Cycles"},
    KeyLook{.key = "dcacheline", .title = "Data Cacheline"},
    KeyLook{.key = "dso", .title = "Shared Object"},
    KeyLook{.key = "dso_daddr", .title = "Data Object"},
    KeyLook{.key = "dso_from", .title = "Source Shared Object"},
    KeyLook{.key = "dso_size", .title = "DSO size"},
    KeyLook{.key = "dso_to", .title = "Target Shared Object"},
    KeyLook{.key = "in_tx", .title = "Branch in transaction"},
    KeyLook{.key = "ins_lat", .title = "INSTR Latency"},
    KeyLook{.key = "local_ins_lat", .title = "Local INSTR Latency"},
    KeyLook{.key = "local_p_stage_cyc", .title = "Local Pipeline Stage Cycle"},
    KeyLook{.key = "local_retire_lat", .title = "Local Retire Latency"},
    KeyLook{.key = "mem", .title = "Memory access", .width = 24},
    KeyLook{.key = "mispredict", .title = "Branch Mispredicted"},
    KeyLook{.key = "p_stage_cyc", .title = "Pipeline Stage Cycle"},
    KeyLook{.key = "parallelism", .right = true},
    KeyLook{.key = "parent", .title = "Parent symbol"},
    KeyLook{.key = "phys_daddr", .title = "Data Physical Address", .width = 22},
    KeyLook{.key = "retire_lat", .title = "Retire Latency"},
    KeyLook{.key = "simd", .width = 7},
    KeyLook{.key = "snoop", .width = 12},
    KeyLook{.key = "srcfile", .title = "Source File"},
    KeyLook{.key = "srcline", .title = "Source:Line"},
    KeyLook{.key = "srcline_from", .title = "From Source:Line"},
    KeyLook{.key = "srcline_to", .title = "To Source:Line"},
    KeyLook{.key = "symbol_daddr", .title = "Data Symbol"},
    KeyLook{.key = "symbol_from", .title = "Source Symbol"},
    KeyLook{.key = "symbol_iaddr", .title = "Code Symbol"},
    KeyLook{.key = "symbol_size", .title = "Symbol size"},
    KeyLook{.key = "symbol_to", .title = "Target Symbol"},
    KeyLook{.key = "symoff", .title = "Symbol Offset"},
    KeyLook{.key = "tlb", .title = "TLB access", .width = 22},
    KeyLook{.key = "trace", .title = "Trace output", .open_ended = true},
    KeyLook{.key = "transaction", .width = 27},
    KeyLook{.key = "type", .title = "Data Type"},
    KeyLook{.key = "typecln", .title = "Data Type Cacheline"},
    KeyLook{.key = "typeoff", .title = "Data Type Offset"},
    KeyLook{.key = "weight", .width = 12},
};
static_assert(std::ranges::is_sorted(kKeyLooks, {}, &KeyLook::key));

// "local_weight" → "Local Weight"
std::string title_words(std::string_view name) {
  std::string title(name);
  for (std::size_t at = 0; at < title.size(); ++at) {
    if (title[at] == '_') title[at] = ' ';
    if (title[at] >= 'a' && title[at] <= 'z' && (at == 0 || title[at - 1] == ' '))
      title[at] = static_cast<char>(title[at] - 'a' + 'A');
  }
  return title;
}

// Wide enough for the largest value in hexadecimal.
unsigned field_width(const FieldColumn& field) {
  const std::size_t value = field.is_string ? field.size : std::size_t{field.size} * 2 + 2;
  return static_cast<unsigned>(std::min(value, kMostFieldWidth));
}

KeyLook look_of_kind(KeyKind kind) {
  switch (kind) {
    case KeyKind::Field:
    case KeyKind::Processor:
    case KeyKind::SymbolSize:
    case KeyKind::DsoSize:
      return {.right = true};
    case KeyKind::Time:
      return {.width = 12, .open_ended = true};
    case KeyKind::Symbol:
    case KeyKind::CodePlace:
      return {.open_ended = true};
    default:
      return {};
  }
}

}  // namespace

std::span<const KeyLook> key_looks() { return kKeyLooks; }

KeyLook look_of(SortKey key) {
  KeyLook look = look_of_kind(key->kind);
  // Lines of branches are in the middle of a row.
  if ((key->kind == KeyKind::Line || key->kind == KeyKind::File) && !key->needs.has(KeyNeed::Branches))
    look.open_ended = true;
  const auto found = std::ranges::lower_bound(kKeyLooks, key->name, {}, &KeyLook::key);
  if (found == kKeyLooks.end() || found->key != key->name) return look;
  look.key = found->key;
  look.title = found->title;
  look.width = std::max(look.width, found->width);
  look.right |= found->right;
  look.open_ended |= found->open_ended;
  return look;
}

std::string title_of(const Columns& columns, SortKey key) {
  if (is_dynamic(key)) return columns.fields[dynamic_index(key)].name;
  const KeyLook look = look_of(key);
  if (!look.title.empty()) return std::string(look.title);
  if (key->kind == KeyKind::Thread) return fmt::format("{:>{}}:Command", title_words(key->name), kTidDigits);
  return title_words(key->name);
}

std::string bare_title_of(const Columns& columns, SortKey key) {
  std::string title = title_of(columns, key);
  title.erase(0, title.find_first_not_of(' '));
  return title;
}

std::string levels_title(const Columns& columns, std::span<const std::vector<SortKey>> levels) {
  std::string text;
  for (const std::vector<SortKey>& level : levels) {
    if (!text.empty()) text += " / ";
    for (const SortKey key : level) text.append(key == level.front() ? "" : "+").append(bare_title_of(columns, key));
  }
  return text;
}

unsigned least_width(const Columns& columns, SortKey key) {
  const unsigned cells = is_dynamic(key) ? field_width(columns.fields[dynamic_index(key)]) : look_of(key).width;
  return std::max(cells, static_cast<unsigned>(title_of(columns, key).size()));
}

bool is_cut(SortKey key) { return key->kind != KeyKind::Processor && key->kind != KeyKind::Thread; }

bool is_padded(SortKey key) { return !look_of(key).open_ended; }

}  // namespace peregrine
