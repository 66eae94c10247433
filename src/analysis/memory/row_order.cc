#include "analysis/memory/row_order.h"

#include <algorithm>
#include <compare>

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

}  // namespace

std::vector<SlabRow> rows_in_order(std::vector<SlabRow> rows, const std::vector<SlabKey>& keys) {
  return sorted_by(std::move(rows), keys);
}
std::vector<PageRow> rows_in_order(std::vector<PageRow> rows, const std::vector<PageKey>& keys) {
  return sorted_by(std::move(rows), keys);
}

}  // namespace peregrine
