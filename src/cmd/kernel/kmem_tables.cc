#include "cmd/kernel/kmem_tables.h"

#include <algorithm>
#include <compare>
#include <ranges>
#include <span>

#include <fmt/ranges.h>

#include "cmd/recording/recording.h"
#include "output/text/kernel/page_text.h"
#include "output/text/kernel/slab_text.h"

namespace peregrine::cmd {

namespace {

template <class Key>
using KeyWord = std::pair<std::string_view, Key>;

template <class Key>
Result<std::vector<Key>> parse_keys(const std::string& sort, std::span<const KeyWord<Key>> words,
                                    std::string_view what) {
  std::vector<Key> keys;
  for (const std::string& word : split_words(sort)) {
    const auto found = std::ranges::find(words, word, &KeyWord<Key>::first);
    if (found == words.end())
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("Unknown {} --sort key: '{}'", what, word)}.with_hint(
          fmt::format("there are {}", fmt::join(words | std::views::keys, ", "))));
    keys.push_back(found->second);
  }
  return keys;
}

std::weak_ordering compare(const SlabRow& a, const SlabRow& b, SlabKey key) {
  switch (key) {
    case SlabKey::Key:
      return a.key <=> b.key;
    case SlabKey::Bytes:
      return a.allocated <=> b.allocated;
    case SlabKey::Hits:
      return a.hits <=> b.hits;
    case SlabKey::PingPongs:
      return a.ping_pongs <=> b.ping_pongs;
    case SlabKey::Fragmentation:
      return std::weak_order(a.fragmentation(), b.fragmentation());
  }
  return std::weak_ordering::equivalent;
}

std::weak_ordering compare(const PageRow& a, const PageRow& b, PageKey key) {
  switch (key) {
    case PageKey::Page:
      return a.key.place <=> b.key.place;
    case PageKey::Caller:
      return a.caller <=> b.caller;
    case PageKey::Bytes:
      return a.bytes <=> b.bytes;
    case PageKey::Hits:
      return a.hits <=> b.hits;
    case PageKey::Order:
      return a.key.order <=> b.key.order;
    case PageKey::Kind:
      return a.key.migrate_type <=> b.key.migrate_type;
    case PageKey::Flags:
      return a.key.flags <=> b.key.flags;
  }
  return std::weak_ordering::equivalent;
}

template <class Row, class Key>
std::vector<Row> sorted_rows(std::vector<Row> rows, const std::vector<Key>& keys) {
  std::ranges::sort(rows, [&](const Row& a, const Row& b) {
    for (const Key key : keys)
      if (const auto order = compare(b, a, key); order != 0) return order < 0;
    return a.key < b.key;
  });
  return rows;
}

}  // namespace

Result<std::vector<SlabKey>> slab_keys(const std::string& sort) {
  using enum SlabKey;
  constexpr KeyWord<SlabKey> kWords[] = {{"ptr", Key},           {"call_site", Key}, {"callsite", Key},
                                         {"bytes", Bytes},       {"hit", Hits},      {"pingpong", PingPongs},
                                         {"frag", Fragmentation}};
  return parse_keys<SlabKey>(sort, kWords, "slab");
}

Result<std::vector<PageKey>> page_keys(const std::string& sort) {
  using enum PageKey;
  constexpr KeyWord<PageKey> kWords[] = {{"page", Page},   {"callsite", Caller}, {"bytes", Bytes}, {"hit", Hits},
                                         {"order", Order}, {"migtype", Kind},    {"gfp", Flags}};
  return parse_keys<PageKey>(sort, kWords, "page");
}

void print_slab(const SlabUsage& usage, const KmemTables& tables, Sink& out) {
  const auto address = [](u64 given) { return fmt::format("0x{:x}", given); };
  if (tables.callers.shown)
    print_slab_rows(sorted_rows(usage.by_caller(), tables.callers.slab),
                    {"Callsite", tables.code, tables.callers.lines}, out);
  if (tables.given.shown)
    print_slab_rows(sorted_rows(usage.by_address(), tables.given.slab), {"Alloc Ptr", address, tables.given.lines},
                    out);
  print_slab_totals(usage.totals(), out);
}

void print_pages(const PageUsage& usage, const KmemTables& tables, Sink& out) {
  const auto print = [&](std::vector<PageRow> rows, const KmemTable& table, bool by_page) {
    print_page_rows(sorted_rows(std::move(rows), table.pages), usage.flag_names(),
                    {by_page, tables.live, tables.old_kinds, tables.code, table.lines}, out);
  };
  if (tables.callers.shown || tables.given.shown) print_flag_legend(usage.by_caller(), usage.flag_names(), out);
  if (tables.callers.shown) print(usage.by_caller(), tables.callers, false);
  if (tables.given.shown) print(usage.by_page(), tables.given, true);
  print_page_totals(usage, tables.old_kinds, out);
}

}  // namespace peregrine::cmd
