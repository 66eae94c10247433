#include "session/guest/guest_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <expected>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number/number_list.h"
#include "base/types.h"
#include "machine/machine.h"
#include "output/terminal/terminal.h"
#include "output/text/kernel/guest_exits_text.h"
#include "pipeline/live/live_session.h"
#include "session/live/live_source.h"

namespace peregrine {

namespace {

constexpr std::array<std::string_view, 3> kExitKinds = {"vmexit", "mmio", "ioport"};

void print_exits(std::vector<GuestRow> rows, const GuestTable& table, Sink& out) {
  std::ranges::stable_sort(rows, std::greater<>(), [&](const GuestRow& row) {
    return table.by_time ? row.times.mean() : static_cast<double>(row.times.count());
  });
  print_guest_rows(rows, table.which.event, table.title, out);
}

void print_long_exits(const std::vector<GuestExits::Long>& exits, Sink& out) {
  for (const GuestExits::Long& one : exits)
    out.format("{:.6f} {}, vcpu {}: {} took {:.2f}us\n", static_cast<double>(one.time) / 1e9, one.pid, one.vcpu,
               one.name, static_cast<double>(one.took) / 1e3);
}

}  // namespace

Result<GuestTable> guest_table(const GuestChoice& choice) {
  const auto event = std::ranges::find(kExitKinds, choice.event);
  if (event == kExitKinds.end())
    return fail(ErrorKind::Usage, "unknown guest event '{}': must be one of {}", choice.event,
                fmt::join(kExitKinds, ", "));
  if (choice.key != "sample" && choice.key != "time")
    return fail(ErrorKind::Usage, "Unknown compare key: `{}': must be sample or time", choice.key);
  auto pids = parse_number_list(choice.pids, ~u32{0});
  if (!pids) return fail(ErrorKind::Usage, "-p: {}", pids.error().message);
  GuestTable table;
  table.which.event = static_cast<GuestEvent>(event - kExitKinds.begin());
  table.which.vcpu = choice.vcpu;
  table.which.pids = std::move(*pids);
  table.by_time = choice.key == "time";
  const std::string machines = choice.pids.empty() ? "all VMs" : "pid(s) " + choice.pids;
  const std::string cpus = choice.vcpu ? fmt::format("VCPU {}", *choice.vcpu) : "all VCPUs";
  table.title = fmt::format("{}, {}", machines, cpus);
  return table;
}

Result<> show_guest_exits(TracedRecording& recording, const GuestTable& table, Sink& out, SessionListener& listener) {
  GuestExits exits(*recording.reader, table.which);
  PEREGRINE_TRY(replay_traced(recording, exits, {}, listener));
  if (!exits.tracepoints().any())
    return std::unexpected(Error{ErrorKind::Unsupported, "this recording has no guest events"}.with_hint(
        "record with `perf kvm stat record` on the host"));
  print_exits(exits.rows(), table, out);
  return {};
}

Result<> watch_guest_exits(const GuestWatchRequest& request, const RecordRequest& record, EventSources& sources,
                           EventList events, Sink& out, SessionListener& listener) {
  auto source = open_live_source(record, sources, std::move(events), listener);
  if (!source) return std::unexpected(std::move(source.error()));
  LiveSession& session = *source->session;
  Machine machine;
  GuestExits exits(source->reader, request.table.which);
  session.replay(source->reader, machine, {}, exits);
  PEREGRINE_TRY(print_until_end(session, request.seconds, [&] {
    {
      const std::scoped_lock lock(session.mutex());
      if (request.clears_screen) out.append(kClearScreen);
      print_long_exits(exits.take_long(), out);
      print_exits(exits.take(), request.table, out);
    }
    return out.flush();
  }));
  return exits.outcome();
}

}  // namespace peregrine
