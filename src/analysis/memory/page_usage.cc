#include "analysis/memory/page_usage.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

namespace {

enum PageEvent : u8 { PageAllocation, PageFree };
enum PageField : u8 { PageNumber, PageOrder, PageFlags, PageMigrateType };
constexpr u64 kNoPage = ~u64{0};         // failed allocation
constexpr unsigned kDeepestChain = 127;  // frames of a callchain

std::vector<WantedTracepoint> wanted_pages() {
  return {{"kmem", "mm_page_alloc", {"pfn", "order", "gfp_flags", "migratetype"}, 3},
          {"kmem", "mm_page_free", {"pfn", "order"}, 2}};
}

// The page allocator's entry points, which are not callers of interest. Since 6.10 most of them end in "_noprof".
bool is_allocator(std::string_view function) {
  constexpr std::string_view kStarts[] = {"alloc_pages",        "alloc_page_",     "alloc_frozen_pages",
                                          "get_free_pages",     "get_zeroed_page", "folio_alloc_mpol",
                                          "folio_alloc_noprof", "vma_alloc_folio"};
  function.remove_prefix(std::min(function.find_first_not_of('_'), function.size()));
  if (function.starts_with("alloc_page_buffers")) return false;
  return function == "folio_alloc" ||
         std::ranges::any_of(kStarts, [&](std::string_view start) { return function.starts_with(start); });
}

}  // namespace

PageUsage::PageUsage(const data::Reader& reader, bool live)
    : TracepointSink(reader, wanted_pages()), live_only_(live) {}

void PageUsage::take(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) {
  if (view.number(PageOrder) > kLargestOrder) {
    ++unreadable_;
    return;
  }
  if (view.which == PageAllocation)
    allocate(view, sample, resolver);
  else
    release(view);
}

u64 PageUsage::caller_of(const ReplaySample& sample, Resolver& resolver) {
  frames_.clear();
  addresses_.clear();
  resolver.chain(sample.context, sample.sample.callchain, kDeepestChain, frames_, &addresses_);
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    const Frame& frame = resolver.at(frames_[i]);
    if (!frame.symbol || !is_allocator(resolver.symbol_name(frame))) return addresses_[i];
  }
  return sample.sample.ip;
}

void PageUsage::allocate(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) {
  const u64 page = view.number(PageNumber);
  const auto order = static_cast<u32>(view.number(PageOrder));
  const u64 bytes = u64{tracepoints().page_size()} << order;
  totals_.allocated.add(bytes);
  if (page == kNoPage) return totals_.failed.add(bytes);
  PageRow::Key key{page, order, static_cast<u32>(view.number(PageMigrateType)), view.number(PageFlags)};
  const u64 caller = caller_of(sample, resolver);
  Live& now = live_.at(page);
  if (live_only_ && now.bytes != 0) forget(now);
  const auto count = [&](PageRow& row) {
    ++row.hits;
    row.bytes += bytes;
    row.caller = caller;
  };
  now.page = pages_.index_of(key);
  count(pages_[now.page]);
  key.place = caller;
  now.caller = callers_.index_of(key);
  count(callers_[now.caller]);
  now.bytes = bytes;
  ++orders_[order][std::min<std::size_t>(key.migrate_type, kKinds - 1)];
}

// An order that differs from the allocation's means that only part of it is freed, or that a reallocation was not
// recorded.
void PageUsage::release(const TracepointView& view) {
  const auto order = static_cast<u32>(view.number(PageOrder));
  const u64 bytes = u64{tracepoints().page_size()} << order;
  totals_.freed.add(bytes);
  Live* page = live_.find(view.number(PageNumber));
  if (page == nullptr || page->bytes == 0 || pages_[page->page].key.order != order)
    return totals_.unknown_frees.add(bytes);
  if (live_only_) forget(*page);
  page->bytes = 0;
}

// Rows without hits stay; sorted_rows() omits them.
void PageUsage::forget(const Live& page) {
  const auto drop = [&](PageRow& row) {
    --row.hits;
    row.bytes -= page.bytes;
  };
  drop(pages_[page.page]);
  drop(callers_[page.caller]);
  const PageRow::Key& key = pages_[page.page].key;
  --orders_[key.order][std::min<std::size_t>(key.migrate_type, kKinds - 1)];
}

std::vector<PageRow> PageUsage::sorted_rows(const Rows& rows) {
  std::vector<PageRow> listed;
  std::ranges::copy_if(rows.rows(), std::back_inserter(listed), [](const PageRow& row) { return row.hits != 0; });
  std::ranges::sort(listed, {}, &PageRow::key);
  return listed;
}

std::vector<PageRow> PageUsage::by_page() const { return sorted_rows(pages_); }
std::vector<PageRow> PageUsage::by_caller() const { return sorted_rows(callers_); }

}  // namespace peregrine
