// ArmSpeQueue: one Arm SPE trace → samples of what `--itrace` asks for.
//
//   pieces of the trace ─▶ SpeRecordReader ─▶ SpeSampler ─▶ time, thread, CPU ─▶ TraceOutput
//
// The thread is what the record's context packet says, where the kernel writes such; else whom the CPU was switched to.
#pragma once
#include <optional>
#include <vector>

#include "auxtrace/arm_spe/samples.h"
#include "pipeline/decode/arm_spe/arm_spe_facts.h"
#include "pipeline/decode/trace_decoder.h"

namespace peregrine {

// What went missing in all queues.
struct ArmSpeLosses {
  u64 bad_bytes = 0;        // that are no packets
  u64 damaged = 0;          // records with such bytes in them or beside them, or cut off: left out
  u64 unknown_packets = 0;  // of an index that no architecture names
  u64 unread_bytes = 0;     // that the file lacks
};

// What all queues of a recording share. All that is pointed to outlives them.
struct ArmSpeSession {
  const data::Reader& reader;
  const Machine& machine;
  ArmSpeFacts facts;
  ItraceOptions options;
  TraceOutput& out;
  std::vector<std::pair<SpeEventKind, u32>> events = {};  // their numbers
  bool contexts = false;                                  // some record named its thread
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
  std::optional<SpeRecord> record_;  // the next to be told; nothing: all was
  u64 record_time_ = 0, time_ = 0;   // ns: of it; of the latest so far
  u32 pid_ = kNobody, tid_ = kNobody, cpu_ = 0;
  std::vector<SpeSample> samples_;
};

}  // namespace peregrine
