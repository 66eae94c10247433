// IntelPtQueue: converts one Intel PT trace to the samples requested by `--itrace`.
//
//   pieces of the trace ─▶ FlowDecoder ─▶ blocks, branches, events, errors ─▶ periods, filters, call stacks ─▶
//   TraceOutput
#pragma once
#include <cstddef>
#include <deque>
#include <vector>

#include "abi/sample.h"
#include "auxtrace/intel_pt/block.h"
#include "auxtrace/intel_pt/flow.h"
#include "auxtrace/intel_pt/packet.h"
#include "auxtrace/intel_pt/pebs_record.h"
#include "auxtrace/itrace.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/process/moment.h"
#include "pipeline/decode/intel_pt/intel_pt_events.h"
#include "pipeline/decode/intel_pt/intel_pt_facts.h"
#include "pipeline/decode/intel_pt/pebs_events.h"
#include "pipeline/decode/trace/call_stack.h"
#include "pipeline/decode/trace/machine_code.h"
#include "pipeline/decode/trace/recorded_traces.h"
#include "pipeline/decode/trace/trace_output.h"
#include "pipeline/decode/trace/trace_queue.h"

namespace peregrine {

// Shared by all queues of a recording. Everything it points at must outlive the queues.
struct IntelPtSession {
  const data::Reader& reader;
  IntelPtFacts facts;
  IntelPtEvents events;
  ItraceOptions options;
  MachineCode& code;
  CallStack& calls;
  PebsEvents& pebs;
  TraceOutput& out;
};

class IntelPtQueue final : public TraceQueue, private auxtrace::FlowSink {
 public:
  IntelPtQueue(const IntelPtSession& session, u64 config, std::vector<TracePiece> pieces);

  u64 time() const override;
  void run(u64 until, Moment moment) override;
  void set_thread(u32 pid, u32 tid) override;

 private:
  static constexpr u32 kNobody = ~u32{0};
  static constexpr u64 kPart = u64{1} << 14;  // bytes read at once

  void executed(u64 ip, const auxtrace::Block& block, u32 first, u32 last, u32 ending) override;
  void branch(const auxtrace::Branch& branch) override;
  void event(const auxtrace::Packet& packet, u64 ip) override;
  void pebs(const auxtrace::PebsRecord& record, u64 ip) override;
  void error(auxtrace::FlowError error, u64 ip) override;

  bool feed();
  bool follows(std::size_t piece) const;
  u64 now() const;
  u32 steps_to_sample();
  void sample_instruction(const auxtrace::Branch& instruction);
  void put(u32 event, u64 ip, u64 addr, abi::Sample& sample);
  void put_with_stacks(u32 event, abi::Sample& sample);
  void put_raw(u32 event, u64 ip, u32 first, u64 second, unsigned size);
  void put_ratio(const auxtrace::Packet& packet, u64 ip);
  void remember(const auxtrace::Branch& branch);
  void count_cycles(abi::Sample& sample, u64& instructions, u64& cycles) const;

  const IntelPtSession& session_;
  std::vector<TracePiece> pieces_;
  std::size_t next_piece_ = 0;
  u64 fed_ = 0;        // bytes read of that piece
  bool lost_ = false;  // the bytes before the next ones could not be read
  auxtrace::FlowDecoder flow_;
  bool ended_ = false;
  u32 pid_ = kNobody, tid_ = kNobody, cpu_ = 0;
  u64 instructions_ = 0;           // executed
  u64 sampled_ = 0;                // up to the last sample
  u64 counted_ = 0;                // instructions since the last sample, with a period in instructions
  u64 due_ = 0;                    // TSC of the next sample, with a period in time
  u64 tick_ = 0, since_tick_ = 0;  // the clock's last step, and instructions since
  u64 branch_instructions_ = 0, branch_cycles_ = 0, sample_instructions_ = 0, sample_cycles_ = 0;  // of the last
                                                                                                   // samples
  std::deque<abi::BranchEntry> last_branches_;                                                     // newest first
  std::vector<abi::BranchEntry> branches_;
  std::vector<u64> chain_;
  PebsScratch pebs_;
};

}  // namespace peregrine
