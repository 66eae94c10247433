// BlockEvent: one step in the life of a block I/O request, from the kernel's tracepoints or a blktrace stream.
//
//   block_bio_queue ─▶ block_getrq ─▶ block_rq_insert ─▶ block_rq_issue ─▶ block_rq_complete
//     Q (queued)        G (request)    I (scheduler)      D (driver)        C (completed)
//        └─▶ block_bio_backmerge: M (merged into another request)
//
// Analyses and outputs take events through a BlockTaker and do not know where they come from. Views are valid during
// the call.
#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "abi/blktrace_record.h"
#include "analysis/field/recorded_tracepoints.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct BlockEvent {
  abi::BlktraceRecord record;
  std::string_view comm;                 // of the thread; empty: unknown
  u32 group = 0;                         // the disk; in streams, the file with the name of the device
  const ReplaySample* sample = nullptr;  // of a recording
  Resolver* resolver = nullptr;
  std::string_view file;  // if the recording says so (analysis/io); empty: unknown
};
using BlockTaker = std::function<void(const BlockEvent&)>;

// The tracepoints of block I/O, in the order in which they are recorded.
struct BlockTracepoint {
  std::string_view name;
  abi::BlockAction action;
  bool has_device = true;
};
inline constexpr std::array kBlockTracepoints{
    BlockTracepoint{"block_bio_queue", abi::BlockAction::Queue},
    BlockTracepoint{"block_bio_backmerge", abi::BlockAction::BackMerge},
    BlockTracepoint{"block_bio_frontmerge", abi::BlockAction::FrontMerge},
    BlockTracepoint{"block_rq_merge", abi::BlockAction::BackMerge},
    BlockTracepoint{"block_getrq", abi::BlockAction::GetRequest},
    BlockTracepoint{"block_sleeprq", abi::BlockAction::Sleep},
    BlockTracepoint{"block_rq_insert", abi::BlockAction::Insert},
    BlockTracepoint{"block_rq_issue", abi::BlockAction::Issue},
    BlockTracepoint{"block_rq_complete", abi::BlockAction::Complete},
    BlockTracepoint{"block_bio_complete", abi::BlockAction::Complete},
    BlockTracepoint{"block_rq_requeue", abi::BlockAction::Requeue},
    BlockTracepoint{"block_split", abi::BlockAction::Split},
    BlockTracepoint{"block_bio_bounce", abi::BlockAction::Bounce},
    BlockTracepoint{"block_bio_remap", abi::BlockAction::Remap},
    BlockTracepoint{"block_rq_remap", abi::BlockAction::Remap},
    BlockTracepoint{"block_plug", abi::BlockAction::Plug, false},
    BlockTracepoint{"block_unplug", abi::BlockAction::Unplug, false},
};

// Turns the tracepoints of a recording into events, which look as if blktrace had recorded them: numbered per CPU, with
// the thread's id as pid. The kernel does not say which device is plugged: it is the one for which the thread got its
// last request. Plugs of threads without a request, on devices that were not recorded, are left out.
class BlockSink : public TracepointSink {
 public:
  // `disk_of`: the disk of a partition by number, see BlockEvent::group.
  BlockSink(const data::Reader& reader, std::function<u32(u32)> disk_of, BlockTaker taker);

  // Errors: broken formats; Unsupported, the recording has no tracepoints of block I/O.
  Result<> outcome() const override;

 private:
  void take(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) override;
  void take_request(const TracepointView& view, BlockEvent& event);
  bool take_plug(const TracepointView& view, BlockEvent& event);
  void add_details(const TracepointView& view, abi::BlktraceRecord& record);

  std::function<u32(u32)> disk_of_;
  BlockTaker taker_;
  std::vector<u32> sequences_;  // by CPU
  // By thread. `fresh`: it got another request since it plugged the device.
  struct Plugged {
    u32 device = 0;
    bool fresh = false;
  };
  std::unordered_map<u32, Plugged> plugged_;
  std::array<std::byte, 16> pdu_{};
};

// The names of threads in a stream, which has them in separate records.
class BlockProcessNames {
 public:
  // Empty: unknown.
  std::string_view name_of(const abi::BlktraceRecord& record);

 private:
  std::unordered_map<u32, std::string> names_;
};

}  // namespace peregrine
