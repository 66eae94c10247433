#include "analysis/block/block_event.h"

#include <algorithm>
#include <expected>
#include <span>
#include <utility>

#include "base/bytes.h"

namespace peregrine {

namespace {

using abi::BlktraceRecord;
using abi::BlockAction;

// Indices into the field lists below: of events of a device, and of a plug.
enum DeviceField : u8 { Dev, Sector, Sectors, Kind, Comm, ByteCount, ErrorCode, NewSector, OldDev, OldSector };
enum PlugField : u8 { PlugComm, Requests };
// Of a flush when it completes; blktrace writes 0.
constexpr u64 kNoSector = ~u64{0};
// A hostile file must not make the table of CPUs large.
constexpr u32 kMostBlockCpus = 1u << 16;

std::vector<WantedTracepoint> wanted_block() {
  std::vector<WantedTracepoint> wanted;
  for (const BlockTracepoint& one : kBlockTracepoints) {
    std::vector<std::string_view> fields = {"comm", "nr_rq"};
    if (one.has_device)
      fields = {"dev", "sector", "nr_sector", "rwbs", "comm", "bytes", "error", "new_sector", "old_dev", "old_sector"};
    wanted.push_back({.system = "block", .name = one.name, .fields = std::move(fields)});
  }
  return wanted;
}

}  // namespace

BlockSink::BlockSink(const data::Reader& reader, std::function<u32(u32)> disk_of, BlockTaker taker)
    : TracepointSink(reader, wanted_block()), disk_of_(std::move(disk_of)), taker_(std::move(taker)) {}

void BlockSink::add_details(const TracepointView& view, BlktraceRecord& record) {
  if (record.is(BlockAction::Split)) {
    // The size of the first part, which the tracepoint lacks.
    record.bytes = static_cast<u32>((view.number(NewSector) - record.sector) << 9);
    std::ranges::copy(abi::encode_block_number(view.number(NewSector)), pdu_.begin());
    record.pdu = std::span(pdu_).first(8);
  } else if (record.is(BlockAction::Remap)) {
    pdu_ = abi::encode_block_remap(
        {.from = static_cast<u32>(view.number(OldDev)), .to = record.device, .from_sector = view.number(OldSector)});
    record.pdu = pdu_;
  }
}

void BlockSink::take_request(const TracepointView& view, BlockEvent& event) {
  BlktraceRecord& record = event.record;
  record.device = static_cast<u32>(view.number(Dev));
  record.sector = view.number(Sector);
  if (record.sector == kNoSector) record.sector = 0;
  record.bytes = static_cast<u32>(view.number(Sectors) << 9);
  record.traits |= abi::parse_block_kind(view.text(Kind));
  record.error = static_cast<u16>(view.number(ErrorCode));
  event.comm = view.text(Comm);
  // A command that is not a read or write of sectors has bytes only.
  if (record.bytes == 0 && view.number(ByteCount) != 0) {
    record.bytes = static_cast<u32>(view.number(ByteCount));
    record.traits |= abi::block_trait::Passthrough;
  }
  add_details(view, record);
  if (record.is(BlockAction::GetRequest)) plugged_[record.pid] = {.device = record.device, .fresh = true};
}

bool BlockSink::take_plug(const TracepointView& view, BlockEvent& event) {
  BlktraceRecord& record = event.record;
  event.comm = view.text(PlugComm);
  const auto thread = plugged_.find(record.pid);
  if (thread == plugged_.end()) return false;
  record.device = disk_of_(thread->second.device);
  if (record.is(BlockAction::Plug)) {
    thread->second.fresh = false;
    return true;
  }
  std::ranges::copy(abi::encode_block_number(view.number(Requests)), pdu_.begin());
  record.pdu = std::span(pdu_).first(8);
  if (!thread->second.fresh) plugged_.erase(thread);
  return true;
}

void BlockSink::take(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) {
  const BlockTracepoint& tracepoint = kBlockTracepoints[view.which];
  BlockEvent event{.sample = &sample, .resolver = &resolver};
  BlktraceRecord& record = event.record;
  record.time = sample.sample.time;
  record.action = static_cast<u8>(tracepoint.action);
  record.traits = abi::traits_of(tracepoint.action);
  record.pid = sample.sample.tid;
  record.cpu = sample.sample.cpu;
  if (tracepoint.has_device) {
    take_request(view, event);
    // As in blktrace's streams: requests have this mark or that of commands, bios have neither.
    const bool request = tracepoint.name.starts_with("block_rq_") && !record.is(BlockAction::Remap);
    if (request && !record.has(abi::block_trait::Passthrough)) record.traits |= abi::block_trait::FileSystem;
  } else if (!take_plug(view, event)) {
    return;
  }
  if (record.cpu < kMostBlockCpus) {
    if (sequences_.size() <= record.cpu) sequences_.resize(record.cpu + 1);
    record.sequence = ++sequences_[record.cpu];
  }
  event.group = disk_of_(record.device);
  taker_(event);
}

Result<> BlockSink::outcome() const {
  PEREGRINE_TRY(TracepointSink::outcome());
  if (tracepoints().any()) return {};
  return std::unexpected(Error{ErrorKind::Unsupported, "this recording has no block I/O events"}.with_hint(
      "record with `perf blk record`"));
}

std::string_view BlockProcessNames::name_of(const BlktraceRecord& record) {
  if (record.is(abi::BlockNotice::Process)) names_[record.pid] = up_to_nul(record.pdu);
  const auto found = names_.find(record.pid);
  return found == names_.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace peregrine
