// ScriptSample: formats one resolved sample for `script`. Belongs to one worker.
//
//   ScriptEvent::columns   thread ▸ start ▸ rest ▸ '\n' ▸ below      one printer each, chosen once per recording
//
// Field order, widths and spaces are linux-perf 6.1's, byte for byte.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "abi/record_rows.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "output/text/field/sample_line.h"
#include "output/text/field/script_plan.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/event_switch.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class ScriptSample {
 public:
  explicit ScriptSample(const ScriptPlan& plan);

  // Call when the plan's line kinds have changed.
  void take_line_kinds() { state_.take_line_kinds(); }
  // Returns false if a filter (-S, --dsos) rejected the sample.
  bool put(ScriptText& out, const ReplaySample& sample, Resolver& resolver);
  // Sets a cgroup's name for later samples. All records must reach this worker.
  void learn_cgroup(const abi::CgroupRecord& cgroup);
  // The rest of a record with a deferred user stack (--no-merge-callchains), after put_start().
  void put_deferred_chain(ScriptText& out, const ReplaySample& chain, u64 cookie, Resolver& resolver);
  // -d: number of samples older than their predecessor.
  u64 misordered() const { return misordered_; }
  // The text before a side-band record: comm, tid, cpu, time.
  void put_start(ScriptText& out, const ScriptEvent& event, std::string_view comm, const abi::Sample& sample,
                 std::optional<abi::RecordType> side_band);

 private:
  bool accepted(const ReplaySample& sample, Resolver& resolver, FrameId own);
  void put_beginning(LineStart& line);
  void put_thread(LineStart& line);

  // Cache of a line's start, up to the time, per CPU: the next line often starts the same.
  struct Beginning {
    u64 fields = 0;
    u32 pid = 0, tid = 0, cpu = 0;
    bool padded = false;
    u8 comm_length = 0, length = 0;  // length 0: empty
    char comm[16];
    char text[96 + ScriptText::kSlack];

    bool is_of(const LineStart& line) const {
      return length != 0 && tid == line.sample.tid && pid == line.sample.pid && cpu == line.sample.cpu &&
             fields == line.event.fields && padded == line.event.comm_padded &&
             std::string_view(comm, comm_length) == line.comm;
    }
    void keep(const LineStart& line, std::string_view start);
  };
  static constexpr std::size_t kBeginnings = 8;

  const ScriptPlan& plan_;
  std::vector<Beginning> beginnings_ = std::vector<Beginning>(kBeginnings);  // by CPU
  std::unique_ptr<SampleWriter> writer_;
  EventSwitch switch_;
  LineState state_;
  u64 checked_time_ = 0;  // -d: of the previous sample
  u64 misordered_ = 0;
};

}  // namespace peregrine
