// CoreSightQueue: converts one ring of CoreSight traces to samples of branches and instructions.
//
//   parts of the ring ─▶ EtmDecoder ─▶ ranges of instructions, of each trace id ─▶ branches between them ─▶ TraceOutput
//
// A ring may hold traces of several processors, identified by trace id. The traces have no usable clock: a part is
// decoded when the recording passes its AUX record.
#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "abi/sample.h"
#include "auxtrace/coresight/etm_decoder.h"
#include "auxtrace/intel_pt/flow.h"
#include "auxtrace/itrace.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/process/moment.h"
#include "pipeline/decode/coresight/coresight_facts.h"
#include "pipeline/decode/coresight/etm_decoders.h"
#include "pipeline/decode/trace/call_stack.h"
#include "pipeline/decode/trace/machine_code.h"
#include "pipeline/decode/trace/recorded_traces.h"
#include "pipeline/decode/trace/trace_output.h"
#include "pipeline/decode/trace/trace_queue.h"

namespace peregrine {

// Shared by all queues of a recording. Everything it points at must outlive the queues.
struct CoreSightSession {
  static constexpr u32 kNone = ~u32{0};
  const data::Reader& reader;
  const CoreSightFacts& facts;
  EtmDecoders& decoders;
  u32 branches = kNone, instructions = kNone;  // event numbers of the samples
  ItraceOptions options;
  MachineCode& code;
  CallStack& calls;
  TraceOutput& out;
  u64 damaged = 0, unread_bytes = 0;  // parts; bytes of pieces
};

class CoreSightQueue final : public TraceQueue, private auxtrace::EtmSink {
 public:
  CoreSightQueue(CoreSightSession& session, std::vector<TracePiece> pieces);

  u64 time() const override;
  void run(u64 until, Moment moment) override;
  void set_thread(u32 pid, u32 tid) override;

 private:
  static constexpr u32 kNobody = ~u32{0};

  // The latest state of one processor.
  struct Flow {
    bool running = false;  // `last` was executed, and nothing was missed since
    bool excepted = false;
    u32 exception = 0;
    auxtrace::EtmRange last;
    std::vector<abi::BranchEntry> branches = {};  // newest last
    u64 counted = 0;                              // instructions since the last sample
    u32 cpu = kNobody;
  };

  void find_parts();
  void add_part(const TracePiece& piece, u64 from, u64 size, u64 time, bool formatted);

  void range(u8 trace_id, const auxtrace::EtmRange& range) override;
  void exception(u8 trace_id, u32 number) override;
  void gap(u8 trace_id) override;
  void context(u8 trace_id, u32 context) override;
  std::size_t read_code(u8 trace_id, u64 address, std::span<std::byte> out) override;

  void read_part();
  auxtrace::Branch branch_to(const Flow& flow, u64 to) const;
  void take(Flow& flow, const auxtrace::Branch& branch);
  void sample_instructions(Flow& flow, const auxtrace::EtmRange& range);
  unsigned instruction_size(const auxtrace::EtmRange& range, u64 ip);
  void put(u32 event, Flow& flow, abi::Sample& sample);
  u32 pid() const { return pid_ == kNobody ? tid_ : pid_; }

  // A part and its location.
  struct Place {
    TracePiece piece;
    u64 from = 0, size = 0;  // in the piece
    u64 time = 0;
    bool formatted = true;
  };

  CoreSightSession& session_;
  std::vector<TracePiece> pieces_;
  std::vector<Place> parts_;
  std::size_t next_part_ = 0;
  u64 read_ = 0;  // bytes read of that part
  std::map<u8, Flow> flows_;
  u32 pid_ = kNobody, tid_ = kNobody, cpu_ = 0;
  std::vector<abi::BranchEntry> newest_first_;
  std::vector<u64> chain_;
};

}  // namespace peregrine
