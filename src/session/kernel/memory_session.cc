#include "session/kernel/memory_session.h"

#include <fmt/format.h>

#include <expected>
#include <utility>

#include "abi/record.h"
#include "analysis/memory/kernel_memory.h"
#include "analysis/memory/page_usage.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "session/recording/sample_choice.h"
#include "session/session_listener.h"

namespace peregrine {

namespace {

std::string kernel_code_name(u64 place, Resolver& resolver) {
  const auto& context = resolver.context(0, 0, kForever);
  const Frame& frame = resolver.at(resolver.frame(context, place, abi::misc_bit::Kernel));
  if (!frame.symbol) return fmt::format("0x{:x}", place);
  return fmt::format("{}+{:x}", resolver.symbol_name(frame), resolver.symbol_offset(frame));
}

}  // namespace

Result<std::vector<std::string_view>> show_kernel_memory(TracedRecording& recording, const MemoryRequest& request,
                                                         Sink& out, SessionListener& listener) {
  KernelMemory memory(*recording.reader,
                      {.slab = request.slab, .pages = request.pages, .live_pages = request.tables.live});
  auto times = choose_times(request.times, *recording.reader);
  if (!times) return std::unexpected(std::move(times.error()));
  OrderedReplay replay;
  replay.filter.times = std::move(*times);
  PEREGRINE_TRY(replay_in_order(recording, memory, std::move(replay), listener));
  PEREGRINE_TRY(memory.outcome());
  if (memory.pages() && memory.pages()->unreadable() != 0)
    listener.warning(fmt::format("{} page events omitted: their order exceeds {}", memory.pages()->unreadable(),
                                 PageUsage::kLargestOrder),
                     "the recording is damaged; `perf script` shows the raw events");
  Resolver resolver(*recording.machine);
  const MemoryNaming naming{.old_kinds = has_old_migrate_types(*recording.reader), .code = [&](u64 place) {
                              return request.addresses ? fmt::format("0x{:x}", place)
                                                       : kernel_code_name(place, resolver);
                            }};
  std::vector<std::string_view> missing;
  const auto show = [&](const auto& usage, auto print, std::string_view side) {
    if (!usage) return;
    if (usage->tracepoints().any())
      print(*usage, request.tables, naming, out);
    else
      missing.push_back(side);
  };
  show(memory.slab(), print_slab_tables, "slab");
  show(memory.pages(), print_page_tables, "page");
  return missing;
}

}  // namespace peregrine
