// ArmSpeQueue: converts one Arm SPE trace to the samples requested by `--itrace`.
//
//   pieces of the trace ─▶ SpeRecordReader ─▶ SpeSampler ─▶ time, thread, CPU ─▶ TraceOutput
//
// The thread comes from the record's context packet, if the kernel writes those; otherwise from context switches.
#pragma once
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "auxtrace/arm_spe/record.h"
#include "auxtrace/arm_spe/samples.h"
#include "auxtrace/itrace.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/machine.h"
#include "machine/process/moment.h"
#include "pipeline/decode/arm_spe/arm_spe_facts.h"
#include "pipeline/decode/trace/recorded_traces.h"
#include "pipeline/decode/trace/trace_output.h"
#include "pipeline/decode/trace/trace_queue.h"

namespace peregrine {

// Losses in all queues.
struct ArmSpeLosses {
  u64 bad_bytes = 0;        // not packets
  u64 damaged = 0;          // dropped records that contain or touch such bytes, or are cut
  u64 unknown_packets = 0;  // with an undefined index
  u64 unread_bytes = 0;     // missing in the file
};

// Shared by all queues of a recording. Everything it points at must outlive the queues.
struct ArmSpeSession {
  const data::Reader& reader;
  const Machine& machine;
  ArmSpeFacts facts;
  ItraceOptions options;
  TraceOutput& out;
  std::vector<std::pair<SpeEventKind, u32>> events = {};  // their event numbers
  bool contexts = false;                                  // some record had a thread
  ArmSpeLosses losses = {};
};

class ArmSpeQueue final : public TraceQueue {
 public:
  ArmSpeQueue(ArmSpeSession& session, std::vector<TracePiece> pieces);

  u64 time() const override;
  void run(u64 until, Moment moment) override;
  void set_thread(u32 pid, u32 tid) override;

 private:
  static constexpr u32 kNobody = ~u32{0};

  void read_record();
  bool feed();
  void count_losses();
  void find_process(Moment moment);
  void tell();
  u32 event_of(SpeEventKind kind) const;

  ArmSpeSession& session_;
  std::vector<TracePiece> pieces_;
  std::size_t next_piece_ = 0;
  std::vector<std::byte> bytes_;  // of the last piece
  SpeRecordReader reader_;
  SpeSampler sampler_;
  std::optional<SpeRecord> record_;  // next to be reported; nothing: none
  u64 record_time_ = 0, time_ = 0;   // ns: its time; the latest time so far
  u32 pid_ = kNobody, tid_ = kNobody, cpu_ = 0;
  std::vector<SpeSample> samples_;
};

}  // namespace peregrine
