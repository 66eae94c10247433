// PageUsage: who allocates the kernel's pages, in which sizes, kinds and with which flags, and which of them stay.
//
//   kmem:mm_page_alloc ── the page is live ──▶ kmem:mm_page_free
//
// One entry per page and one per place in code, told apart by order, migrate type and flags. The place is the first
// function of the callchain outside of the page allocator's own. Of live pages an entry sums up what was not freed; a
// page that is allocated again was freed unseen. A free of what was allocated before the recording is counted apart.
#pragma once
#include <array>
#include <compare>
#include <map>
#include <unordered_map>
#include <vector>

#include "analysis/field/recorded_tracepoints.h"

namespace peregrine {

struct PageRow {
  struct Key {
    u64 place = 0;  // the page's frame number, or the address in code
    u32 order = 0;
    u32 migrate_type = 0;
    u64 flags = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  Key key;
  u64 caller = 0;  // the last place in code that allocated it
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
  static constexpr std::size_t kKinds = 5;  // of migration; what comes after the last is like it
  // Far above what any kernel has (10). Everything behind relies on it: sizes are shifted by orders, and tables have a
  // line for each.
  static constexpr u32 kLargestOrder = 40;
  using ByKind = std::array<u64, kKinds>;

  PageUsage(const data::Reader& reader, bool live);

  // In the order of their keys.
  std::vector<PageRow> by_page() const;
  std::vector<PageRow> by_caller() const;
  // Allocations of each order, by kind.
  const std::map<u32, ByKind>& orders() const { return orders_; }
  const PageTotals& totals() const { return totals_; }
  // Allocations and frees whose order no kernel has: they are left out of everything else.
  u64 unreadable() const { return unreadable_; }
  // The words that the recorded kernel has for the flags; nullptr: none.
  const PrintNames* flag_names() const { return tracepoints().names_of(0, "gfp_flags"); }

 private:
  struct Sums {
    u64 hits = 0, bytes = 0;
    u64 caller = 0;
  };
  using Rows = std::map<PageRow::Key, Sums>;
  struct Live {
    PageRow::Key key;
    u64 caller = 0, bytes = 0;
  };
  void take(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) override;
  void allocate(const TracepointView& view, const ReplaySample& sample, Resolver& resolver);
  void release(const TracepointView& view);
  void forget(const Live& page);
  u64 caller_of(const ReplaySample& sample, Resolver& resolver);
  static std::vector<PageRow> rows_of(const Rows& rows);

  bool live_only_;
  Rows pages_, callers_;
  std::unordered_map<u64, Live> live_;  // by frame number
  std::map<u32, ByKind> orders_;
  PageTotals totals_;
  u64 unreadable_ = 0;
  std::vector<FrameId> frames_;
  std::vector<u64> addresses_;
};

}  // namespace peregrine
