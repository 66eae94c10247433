// PageUsage: who allocates kernel pages, in which sizes, types and with which flags, and which stay allocated.
//
//   kmem:mm_page_alloc ── the page is live ──▶ kmem:mm_page_free
//
// One entry per page and one per call site, separated by order, migrate type and flags. The call site is the first
// function of the callchain outside the page allocator. For live pages, an entry sums the pages that were not freed;
// the free of a page that is allocated again was not recorded. Frees of pages allocated before the recording are
// counted separately.
#pragma once
#include <array>
#include <cstddef>
#include <map>
#include <vector>

#include "analysis/field/recorded_tracepoints.h"
#include "analysis/flat_index.h"
#include "analysis/keyed_rows.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "event/print/print_names.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct PageRow {
  struct Key {
    u64 place = 0;  // the page frame number, or the code address
    u32 order = 0;
    u32 migrate_type = 0;
    u64 flags = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  Key key;
  u64 caller = 0;  // the last call site that allocated it
  u64 hits = 0, bytes = 0;
};

struct PageTotals {
  struct Sum {
    u64 count = 0, bytes = 0;
    void add(u64 more) {
      ++count;
      bytes += more;
    }
  };
  Sum allocated, freed, unknown_frees, failed;
  u64 freed_here() const { return freed.count - unknown_frees.count; }
  u64 bytes_freed_here() const { return freed.bytes - unknown_frees.bytes; }
};

class PageUsage : public TracepointSink {
 public:
  static constexpr std::size_t kKinds = 5;  // migrate types; higher ones count as the last
  // Far above any kernel's limit (10). Later code relies on it: sizes are shifted by orders, and tables have a row per
  // order.
  static constexpr u32 kLargestOrder = 40;
  using ByKind = std::array<u64, kKinds>;

  PageUsage(const data::Reader& reader, bool live);

  // Sorted by key.
  std::vector<PageRow> by_page() const;
  std::vector<PageRow> by_caller() const;
  // Number of allocations per order, by type.
  const std::map<u32, ByKind>& orders() const { return orders_; }
  const PageTotals& totals() const { return totals_; }
  // Allocations and frees with an impossible order; not counted anywhere else.
  u64 unreadable() const { return unreadable_; }
  // The recorded kernel's names for the flags; nullptr if none.
  const PrintNames* flag_names() const { return tracepoints().names_of(0, "gfp_flags"); }

 private:
  struct KeyHash {
    u64 operator()(const PageRow::Key& key) const {
      return mix_bits(mix_bits(key.place) ^ key.flags ^ (u64{key.order} << 32 | key.migrate_type));
    }
  };
  using Rows = KeyedRows<PageRow, KeyHash>;
  // Indices into pages_ and callers_.
  struct Live {
    u64 key = 0;  // page frame number
    u32 page = 0, caller = 0;
    u64 bytes = 0;  // 0: not live
  };
  void take(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) override;
  void allocate(const TracepointView& view, const ReplaySample& sample, Resolver& resolver);
  void release(const TracepointView& view);
  void forget(const Live& page);
  u64 caller_of(const ReplaySample& sample, Resolver& resolver);
  static std::vector<PageRow> sorted_rows(const Rows& rows);

  bool live_only_;
  Rows pages_, callers_;
  KeyedRows<Live> live_;
  std::map<u32, ByKind> orders_;
  PageTotals totals_;
  u64 unreadable_ = 0;
  std::vector<FrameId> frames_;
  std::vector<u64> addresses_;
};

}  // namespace peregrine
