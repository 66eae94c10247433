#include "pipeline/trace_dat/trace_contents.h"

#include <algorithm>
#include <array>
#include <expected>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/number/parse_number.h"
#include "base/text/trim.h"
#include "event/field/trace_value.h"

namespace peregrine {
namespace {

// "7 sshd" lines.
std::map<u32, std::string> listed_names(std::string_view lines) {
  std::map<u32, std::string> names;
  while (!lines.empty()) {
    std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    line = trim(line);
    const auto tid = take_number<u32>(line);
    if (tid && line.starts_with(' ')) names.insert_or_assign(*tid, std::string(trim(line)));
  }
  return names;
}

// A switch names both threads, also those that the kernel's short list forgot.
class SwitchNames {
 public:
  explicit SwitchNames(const TracingData& tracing) : order_(tracing.order) {
    for (const TraceFormat& format : tracing.formats) {
      if (format.system != "sched" || format.name != "sched_switch") continue;
      id_ = format.id;
      threads_ = {
          {{format.find("prev_pid"), format.find("prev_comm")}, {format.find("next_pid"), format.find("next_comm")}}};
    }
  }
  void take(u32 id, Bytes event, std::map<u32, std::string>& names) const {
    if (id != id_) return;
    for (const auto& [tid, comm] : threads_) {
      if (tid == nullptr || comm == nullptr) continue;
      const u32 number = static_cast<u32>(number_of(*tid, event, order_));
      if (number != 0 && !names.contains(number)) names.emplace(number, text_of(*comm, event, order_));
    }
  }

 private:
  ByteOrder order_;
  u32 id_ = ~0u;
  std::array<std::pair<const TraceField*, const TraceField*>, 2> threads_{};
};

}  // namespace

Result<TraceContents> survey_events(TraceEvents& events, const data::TraceDat& file, const RingEventFields& fields) {
  TraceContents found{.names = listed_names(file.tracing.saved_cmdlines)};
  const SwitchNames switches(file.tracing);
  TraceEvent event;
  u32 last_id = ~0u;
  for (;;) {
    const auto more = events.next(event);
    if (!more) return std::unexpected(more.error());
    if (!*more) return found;
    if (found.events++ == 0) found.first = event.time;
    found.first = std::min(found.first, event.time);
    found.last = std::max(found.last, event.time);
    found.stacks = found.stacks || !event.kernel->empty() || !event.user->empty();
    const u32 id = fields.id(event.data);
    switches.take(id, event.data, found.names);
    if (id == last_id) continue;
    last_id = id;
    if (found.ids.insert(id).second) found.functions = found.functions || fields.has_functions(id);
  }
}

}  // namespace peregrine
