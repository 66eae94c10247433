// IntelBtsQueue: converts one Intel BTS trace to samples of its branches.
//
//   pieces of the trace ─▶ BtsRecord ─▶ the instruction that branched ─▶ call stack, filter ─▶ TraceOutput
//
// The trace has no clock: a piece is decoded when the recording passes the time it was copied.
#pragma once
#include <cstddef>
#include <vector>

#include "auxtrace/intel_bts/branch_record.h"
#include "auxtrace/intel_pt/flow.h"
#include "auxtrace/itrace.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/process/moment.h"
#include "pipeline/decode/intel_bts/intel_bts_facts.h"
#include "pipeline/decode/trace/call_stack.h"
#include "pipeline/decode/trace/machine_code.h"
#include "pipeline/decode/trace/recorded_traces.h"
#include "pipeline/decode/trace/trace_output.h"
#include "pipeline/decode/trace/trace_queue.h"

namespace peregrine {

// Shared by all queues of a recording. Everything it points at must outlive the queues.
struct IntelBtsSession {
  static constexpr u32 kNone = ~u32{0};
  const data::Reader& reader;
  IntelBtsFacts facts;
  u32 branches = kNone;   // event number of the samples
  bool timeless = false;  // the recording has no clock
  ItraceOptions options;
  MachineCode& code;
  CallStack& calls;
  TraceOutput& out;
};

class IntelBtsQueue final : public TraceQueue {
 public:
  IntelBtsQueue(const IntelBtsSession& session, std::vector<TracePiece> pieces);

  u64 time() const override;
  void run(u64 until, Moment moment) override;
  void set_thread(u32 pid, u32 tid) override;

 private:
  static constexpr u32 kNobody = ~u32{0};
  static constexpr u64 kPart = auxtrace::BtsRecord::kSize << 10;  // bytes read at once

  void read_part();
  u64 repeated() const;
  void take(const auxtrace::BtsRecord& record);
  auxtrace::Branch classify(const auxtrace::BtsRecord& record);
  void put(const auxtrace::Branch& branch, u32 depth);
  void error(auxtrace::FlowError error, u64 ip);
  u32 pid() const { return pid_ == kNobody ? tid_ : pid_; }

  const IntelBtsSession& session_;
  std::vector<TracePiece> pieces_;
  std::size_t next_piece_ = 0;
  u64 read_ = 0;  // bytes read of that piece
  u32 pid_ = kNobody, tid_ = kNobody, cpu_ = 0;
};

}  // namespace peregrine
