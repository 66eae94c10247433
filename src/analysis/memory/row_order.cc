#include "analysis/memory/row_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <compare>
#include <expected>
#include <ranges>
#include <span>
#include <string>
#include <utility>

#include "base/text/words.h"

namespace peregrine {

namespace {

std::weak_ordering compare_by(const SlabRow& a, const SlabRow& b, SlabKey key) {
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

std::weak_ordering compare_by(const PageRow& a, const PageRow& b, PageKey key) {
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
std::vector<Row> sorted_by(std::vector<Row> rows, const std::vector<Key>& keys) {
  std::ranges::sort(rows, [&](const Row& a, const Row& b) {
    for (const Key key : keys)
      if (const auto larger = compare_by(b, a, key); larger != 0) return larger < 0;
    return a.key < b.key;
  });
  return rows;
}

template <class Key>
using KeyWord = std::pair<std::string_view, Key>;

// `what`: the type of table, for error messages.
template <class Key>
Result<std::vector<Key>> parse_row_keys(std::string_view text, std::span<const KeyWord<Key>> known,
                                        std::string_view what) {
  std::vector<Key> keys;
  for (const std::string& word : split_words(text)) {
    const auto found = std::ranges::find(known, word, &KeyWord<Key>::first);
    if (found == known.end())
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("Unknown {} --sort key: '{}'", what, word)}.with_hint(
          fmt::format("must be one of {}", fmt::join(known | std::views::keys, ", "))));
    keys.push_back(found->second);
  }
  return keys;
}

}  // namespace

Result<std::vector<SlabKey>> parse_slab_keys(std::string_view words) {
  using enum SlabKey;
  constexpr KeyWord<SlabKey> kWords[] = {{"ptr", Key},           {"call_site", Key}, {"callsite", Key},
                                         {"bytes", Bytes},       {"hit", Hits},      {"pingpong", PingPongs},
                                         {"frag", Fragmentation}};
  return parse_row_keys<SlabKey>(words, kWords, "slab");
}

Result<std::vector<PageKey>> parse_page_keys(std::string_view words) {
  using enum PageKey;
  constexpr KeyWord<PageKey> kWords[] = {{"page", Page},   {"callsite", Caller}, {"bytes", Bytes}, {"hit", Hits},
                                         {"order", Order}, {"migtype", Kind},    {"gfp", Flags}};
  return parse_row_keys<PageKey>(words, kWords, "page");
}

std::vector<SlabRow> rows_in_order(std::vector<SlabRow> rows, const std::vector<SlabKey>& keys) {
  return sorted_by(std::move(rows), keys);
}
std::vector<PageRow> rows_in_order(std::vector<PageRow> rows, const std::vector<PageKey>& keys) {
  return sorted_by(std::move(rows), keys);
}

}  // namespace peregrine
