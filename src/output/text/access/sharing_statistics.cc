#include <cstddef>
#include <span>
#include <string_view>

#include "analysis/sharing/access_counts.h"
#include "analysis/sharing/line_sharing.h"
#include "analysis/sharing/sharing_order.h"
#include "base/percent.h"
#include "base/types.h"
#include "output/sink.h"
#include "output/text/access/sharing_text.h"
#include "output/text/format/printable.h"
#include "output/text/format/text_table.h"

namespace peregrine {

namespace {

struct Count {
  std::string_view name;
  u64 value;
};

void put(std::span<const Count> counts, Sink& out) {
  for (const Count& count : counts) out.append("  ").left(count.name, 34).format(": {:10}\n", count.value);
}

void put_share(std::string_view name, u64 part, u64 whole, Sink& out) {
  out.append("  ").left(name, 34).format(": {:10.1f}%\n", percent_of(part, whole));
}

}  // namespace

void print_access_statistics(const AccessCounts& all, Sink& out) {
  append_boxed(out, "            Trace Event Information              ", '=');
  const Count loads[] = {
      {"Total records", all.records},
      {"Locked Load/Store Operations", all.locked},
      {"Load Operations", all.loads},
      {"Loads - uncacheable", all.uncached_loads},
      {"Loads - IO", all.io_loads},
      {"Loads - Miss", all.missed_loads},
      {"Loads - no mapping", all.load_without_address},
      {"Load Fill Buffer Hit", all.fill_buffer},
      {"Load L1D hit", all.l1},
      {"Load L2D hit", all.l2},
      {"Load LLC hit", all.llc + all.local_hitm},
      {"Load Local HITM", all.local_hitm},
      {"Load Remote HITM", all.remote_hitm},
      {"Load Remote HIT", all.remote_hit},
      {"Load Local DRAM", all.local_dram},
      {"Load Remote DRAM", all.remote_dram},
      {"Load MESI State Exclusive", all.exclusive},
      {"Load MESI State Shared", all.shared},
      {"Load LLC Misses", all.llc_misses()},
      {"Load access blocked by data", all.blocked_by_data},
      {"Load access blocked by address", all.blocked_by_address},
      {"Load HIT Local Peer", all.local_peer},
      {"Load HIT Remote Peer", all.remote_peer},
  };
  put(loads, out);
  put_share("LLC Misses to Local DRAM", all.local_dram, all.llc_misses(), out);
  put_share("LLC Misses to Remote DRAM", all.remote_dram, all.llc_misses(), out);
  put_share("LLC Misses to Remote cache (HIT)", all.remote_hit, all.llc_misses(), out);
  put_share("LLC Misses to Remote cache (HITM)", all.remote_hitm, all.llc_misses(), out);
  const Count stores[] = {
      {"Store Operations", all.stores},
      {"Store - uncacheable", all.uncached_stores},
      {"Store - no mapping", all.store_without_address},
      {"Store L1D Hit", all.l1_stores},
      {"Store L1D Miss", all.l1_missed_stores},
      {"Store No available memory level", all.stores_of_unknown_level},
      {"No Page Map Rejects", all.unmapped},
      {"Unable to parse data source", all.unknown},
  };
  put(stores, out);
}

void print_shared_statistics(std::span<const SharedLine> lines, const SharingLook& look, Sink& out) {
  const SharingOrder any = look.order == SharingOrder::Peer ? SharingOrder::Peer : SharingOrder::TotalHitm;
  AccessCounts sum;
  u64 shared = 0;
  for (const SharedLine& line : lines) {
    if (value_in_order(line.counts, any) == 0) continue;
    sum += line.counts;
    ++shared;
  }
  append_boxed(out.append('\n'), "    Global Shared Cache Line Event Information   ", '=');
  const Count counts[] = {
      {"Total Shared Cache Lines", shared},
      {"Load HITs on shared lines", sum.loads},
      {"Fill Buffer Hits on shared lines", sum.fill_buffer},
      {"L1D hits on shared lines", sum.l1},
      {"L2D hits on shared lines", sum.l2},
      {"LLC hits on shared lines", sum.llc + sum.local_hitm},
      {"Load hits on peer cache or nodes", sum.peer()},
      {"Locked Access on shared lines", sum.locked},
      {"Blocked Access on shared lines", sum.blocked_by_data + sum.blocked_by_address},
      {"Store HITs on shared lines", sum.stores},
      {"Store L1D hits on shared lines", sum.l1_stores},
      {"Store No available memory level", sum.stores_of_unknown_level},
      {"Total Merged records", sum.hitm() + sum.stores},
  };
  put(counts, out);
  append_boxed(out.append('\n'), "                 c2c details                     ", '=');
  for (std::size_t i = 0; i < look.events.size(); ++i)
    out.append("  ").left(i == 0 ? "Events" : "", 34).append(": ").append(printable(look.events[i])).append('\n');
  constexpr std::string_view kOrders[] = {"Total HITMs", "Local HITMs", "Remote HITMs", "Peer Snoop"};
  out.append("  ").left("Cachelines sort on", 34).append(": ").append(kOrders[static_cast<std::size_t>(look.order)]);
  out.append("\n  ").left("Cacheline data grouping", 34).append(": ").append(look.grouping).append('\n');
}

}  // namespace peregrine
