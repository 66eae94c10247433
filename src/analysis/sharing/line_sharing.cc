#include "analysis/sharing/line_sharing.h"

#include <utility>

#include "abi/attr.h"
#include "abi/data_source.h"
#include "abi/sample.h"
#include "base/types.h"
#include "machine/machine.h"
#include "machine/process/address_space.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

// Kernel memory is shared by all processes; user memory is private unless its map is shared.
LineSharing::Place LineSharing::place_of(u64 address, const Resolver::Context& context, const Machine& machine) {
  const bool kernel = address >> 63 != 0;
  const SpaceVersion& space = kernel ? context.kernel : context.space;
  const MapId id = machine.spaces().find(space.space, space.number, address);
  if (!id) return {};
  return {.mapped = true, .is_private = !kernel && !machine.spaces().at(id).shared};
}

SharingRow& LineSharing::row_of(Line& line, const ReplaySample& sample, const Frame& frame, Resolver& resolver) {
  const abi::Sample& raw = sample.sample;
  RowKey key{.offset = raw.addr & line_mask_, .pid = 0, .tid = 0, .code = 0, .dso = 0};
  if (keys_.pid) key.pid = raw.pid;
  if (keys_.tid) key.tid = raw.tid;
  if (keys_.code) key.code = raw.ip;
  if (keys_.dso) key.dso = frame.dso.value;
  const auto [at, fresh] = line.rows.try_emplace(key);
  SharingRow& row = at->second;
  if (fresh) {
    row.number = row_count_++;
    row.offset = key.offset;
    row.pid = raw.pid;
    row.tid = raw.tid;
    row.code = raw.ip;
    row.frame = frame;
    row.comm = resolver.comm(sample.context);
  }
  return row;
}

void LineSharing::sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) {
  const abi::Sample& raw = sample.sample;
  if ((raw.fields & abi::sample_bit::DataSrc) == 0) {
    ++without_data_;
    return;
  }
  const Frame& frame = resolver.at(resolver.frame(sample.context, raw.ip, raw.cpumode()));
  const Place place = place_of(raw.addr, sample.context, resolver.machine());
  AccessCounts one;
  one.add(abi::decode_data_source(raw.data_src), raw.addr != 0, place.mapped && frame.dso);
  all_ += one;
  if (raw.addr == 0) return;
  Line& line = lines_[{raw.addr & ~line_mask_, place.is_private ? raw.pid : 0}];
  SharingRow& row = row_of(line, sample, frame, resolver);
  line.sums.address = raw.addr & ~line_mask_;
  line.sums.period += sample.period;
  line.sums.counts += one;
  row.counts += one;
  if (raw.phys_addr != 0) {
    line.sums.physical.insert(raw.phys_addr & ~line_mask_);
    row.physical.insert(raw.phys_addr & ~line_mask_);
  }
  RunStats& latency = one.remote_hitm != 0   ? row.remote_hitm
                      : one.local_hitm != 0  ? row.local_hitm
                      : one.remote_peer != 0 ? row.remote_peer
                      : one.local_peer != 0  ? row.local_peer
                                             : row.load;
  if (one.loads != 0) latency.add(static_cast<double>(raw.weight));
  row.cpus[raw.cpu] += one;
  if (rows_ == nullptr) return;
  abi::Sample numbered = raw;
  numbered.phys_addr = row.number;
  rows_->sample({.sample = numbered,
                 .context = sample.context,
                 .event = 0,
                 .period = sample.period,
                 .moment = sample.moment,
                 .file_offset = sample.file_offset,
                 .unwound = sample.unwound,
                 .raw = sample.raw},
                resolver, worker);
}

std::vector<SharedLine> LineSharing::take_lines() {
  std::vector<SharedLine> lines;
  for (auto& [key, line] : std::exchange(lines_, {})) {
    for (auto& [row_key, row] : line.rows) line.sums.rows.push_back(std::move(row));
    lines.push_back(std::move(line.sums));
  }
  return lines;
}

}  // namespace peregrine
