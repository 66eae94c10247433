#include "output/text/script/script_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "abi/attr.h"
#include "abi/record.h"
#include "base/types.h"
#include "output/text/format/printable.h"

namespace peregrine {

bool are_counted_only(const data::Evlist& evlist) {
  return !evlist.empty() && std::ranges::all_of(evlist, [](const data::Event& event) {
    return event.attr.sample_period == 0 && (event.attr.sample_type & ~abi::sample_bit::Identifier) == 0;
  });
}

void ScriptCounts::put(std::string& out, const abi::RecordView& record) {
  const auto decoded = abi::decode_session_record(record);
  if (!decoded || !*decoded) return;  // the reader counts malformed records
  if (const auto* threads = std::get_if<abi::ThreadMapRecord>(&**decoded)) {
    threads_.clear();
    for (const auto& thread : threads->threads) threads_.push_back(static_cast<i32>(thread.tid));
  } else if (const auto* reading = std::get_if<abi::StatRecord>(&**decoded)) {
    const u32 event = evlist_.find_id(reading->id);
    if (event != data::kNoEvent) readings_[{event, reading->thread, reading->cpu}] = *reading;
  } else if (const auto* round = std::get_if<abi::StatRoundRecord>(&**decoded)) {
    put_round(out, round->time);
  }
}

void ScriptCounts::put_round(std::string& out, u64 time) {
  const auto to = std::back_inserter(out);
  if (!std::exchange(begun_, true)) {
    fmt::format_to(to, "{:>3} {:>8} {:>15} {:>15} {:>15} {:>15} {}\n", "CPU", "THREAD", "VAL", "ENA", "RUN", "TIME",
                   "EVENT");
  }
  for (const auto& [place, reading] : readings_) {
    const u32 event = std::get<0>(place);
    const i32 thread = reading.thread < threads_.size() ? threads_[reading.thread] : -1;
    fmt::format_to(to, "{:>3} {:>8} {:>15} {:>15} {:>15} {:>15} {}\n", reading.cpu, thread, reading.value,
                   reading.enabled, reading.running, time, printable(event < names_.size() ? names_[event] : ""));
  }
}

}  // namespace peregrine
