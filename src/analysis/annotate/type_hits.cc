#include "analysis/annotate/type_hits.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/annotate/hit_collector.h"
#include "analysis/data_type/data_access.h"
#include "analysis/data_type/data_type_table.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

u64 RecordedTypeHits::samples() const {
  u64 sum = 0;
  for (const Hits& hits : totals) sum += hits.samples;
  return sum;
}

std::vector<u32> RecordedTypeHits::hottest(std::span<const u32> events) const {
  return hottest_of(types, events, [](const TypeHits& a, const TypeHits& b) {
    return a.name != b.name ? a.name < b.name : a.size < b.size;
  });
}

void TypeHitCollector::count_instruction(Worker& worker, const Frame& frame, FrameId id, bool known) {
  if (id.value >= worker.instruction.size()) worker.instruction.resize(id.value + std::size_t{1});
  TypedInstruction*& one = worker.instruction[id.value];
  if (one == nullptr) one = &worker.instructions[table_.mnemonic(frame)];
  ++(known ? one->known : one->unknown);
}

void TypeHitCollector::sample(const ReplaySample& sample, Resolver& resolver, unsigned worker_index) {
  Worker& worker = workers_[worker_index];
  const FrameId frame = resolver.frame(sample.context, sample.sample.ip, sample.sample.cpumode());
  if (!is_chosen(resolver.at(frame), resolver.machine().dsos(), dsos_)) return;
  const FrameDataTypes::Answer& answer = worker.types.find(table_, resolver, frame);
  const u32 type = answer.id.value;
  if (by_instruction_) count_instruction(worker, resolver.at(frame), frame, answer.why == UnknownType::None);
  if (sample.event >= worker.counts.size()) worker.counts.resize(sample.event + 1);
  std::vector<Hits>& counts = worker.counts[sample.event];
  if (type >= counts.size()) counts.resize(type + 1);
  counts[type] += {1, sample.period};
}

RecordedTypeHits TypeHitCollector::hits(std::size_t events) const {
  RecordedTypeHits result;
  for (const Worker& worker : workers_) events = std::max(events, worker.counts.size());
  result.totals.resize(events);
  // The sums of all workers by type, event and offset; the map keeps offsets ascending.
  std::map<std::pair<std::string, u64>, u32> known;
  std::map<std::tuple<u32, std::size_t, u64>, Hits> sums;
  for (const Worker& worker : workers_) {
    for (std::size_t event = 0; event < worker.counts.size(); ++event) {
      for (u32 id = 0; id < worker.counts[event].size(); ++id) {
        const Hits& hits = worker.counts[event][id];
        if (hits.samples == 0) continue;
        const ShownDataType& shown = table_.at(DataTypeId(id));
        result.totals[event] += hits;
        result.unknown[static_cast<std::size_t>(shown.why)] += hits.samples;
        const auto [at, fresh] = known.try_emplace({shown.name, shown.size}, static_cast<u32>(result.types.size()));
        if (fresh) result.types.push_back({shown.name, shown.size, shown.type, std::vector<EventHits>(events)});
        result.types[at->second].events[event].total += hits;
        sums[{at->second, event, shown.offset}] += hits;
      }
    }
  }
  result.unknown[0] = 0;
  for (const Worker& worker : workers_) {
    for (const auto& [mnemonic, one] : worker.instructions) {
      result.instructions[mnemonic].known += one.known;
      result.instructions[mnemonic].unknown += one.unknown;
    }
  }
  for (const auto& [place, hits] : sums)
    result.types[std::get<0>(place)].events[std::get<1>(place)].offsets.push_back({std::get<2>(place), hits});
  return result;
}

}  // namespace peregrine
