#include "cmd/kernel/kmem_tables.h"

#include <algorithm>
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
    print_slab_rows(rows_in_order(usage.by_caller(), tables.callers.slab),
                    {"Callsite", tables.code, tables.callers.lines}, out);
  if (tables.given.shown)
    print_slab_rows(rows_in_order(usage.by_address(), tables.given.slab), {"Alloc Ptr", address, tables.given.lines},
                    out);
  print_slab_totals(usage.totals(), out);
}

void print_pages(const PageUsage& usage, const KmemTables& tables, Sink& out) {
  const auto print = [&](std::vector<PageRow> rows, const KmemTable& table, bool by_page) {
    print_page_rows(rows_in_order(std::move(rows), table.pages), usage.flag_names(),
                    {by_page, tables.live, tables.old_kinds, tables.code, table.lines}, out);
  };
  if (tables.callers.shown || tables.given.shown) print_flag_legend(usage.by_caller(), usage.flag_names(), out);
  if (tables.callers.shown) print(usage.by_caller(), tables.callers, false);
  if (tables.given.shown) print(usage.by_page(), tables.given, true);
  print_page_totals(usage, tables.old_kinds, out);
}

}  // namespace peregrine::cmd
