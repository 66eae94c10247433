// SampleLine: the line of a sample under construction, as field printers see it. LineState: state that a worker keeps
// between lines.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "abi/record_rows.h"
#include "abi/sample.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "output/text/field/script_calls.h"
#include "output/text/field/script_code.h"
#include "output/text/field/script_frames.h"
#include "output/text/field/script_plan.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// Bytes that a printer may write without reserving space: enough for any field except names, registers and branches.
inline constexpr std::size_t kFieldRoom = 512;

struct LineState {
  // Lines of one kind: without inlined functions, or with those at an instruction or before a return address.
  struct KindFrames {
    ScriptFrames plain, exact, caller;
  };

  // `plan` must outlive this.
  explicit LineState(const ScriptPlan& of) : plan(of), calls(of.graph_functions) { take_line_kinds(); }
  // Call when the plan's line kinds have changed.
  void take_line_kinds();
  ScriptCode& code_of(const Resolver& resolver);

  const ScriptPlan& plan;
  std::vector<KindFrames> frames;  // by line kind
  std::optional<ScriptCode> code;  // created on demand
  ScriptCalls calls;
  std::optional<BranchStep> step;  // of the current sample
  std::size_t call_width = 32;     // width of the call column; adapts to its contents
  std::vector<FrameId> chain;
  std::vector<u64> chain_ips;
  std::string words;  // scratch
  u64 first_time = 0, previous_time = 0;
  u64 second = 0;        // start of the second that second_text shows
  u8 second_length = 0;  // 0: no second yet
  char second_text[32 + ScriptText::kSlack];
  i64 day_second = -1;  // second with its date and time in day_text
  std::string day_text;
  std::size_t data_source_width = 0;
  std::unordered_map<u64, std::string> cgroups;  // paths by id; -F cgroup
};

// State for any line, including those of side-band records.
struct LineStart {
  ScriptText& out;
  const ScriptEvent& event;
  const abi::Sample& sample;
  std::string_view comm;
  LineState& state;
  std::optional<abi::RecordType> side_band;  // null: not a sample
};

struct SampleLine : LineStart {
  const ReplaySample& replayed;
  Resolver& resolver;

  bool has(u64 fields) const { return (event.fields & fields) != 0; }
  // " work+0x10 (prog)": the code or data at the sample's addr, with the fields that -F requests. Valid until
  // state.words changes.
  std::string_view place_of_address();
};

// A chain's frames as lines, with a placeholder for a user stack that is in a later record.
void put_chain(SampleLine& line);

// For samples that are single branches.
// Tracks the calls of the sample's thread. Returns false if it is not shown: another kind of branch, or outside the
// chosen functions.
bool follow_calls(LineState& state, const ReplaySample& sample, const ScriptEvent& event, Resolver& resolver);
// The columns after the event: "main+0x0 (prog) => work+0x0 (prog)", or a tree of calls.
void put_branch_record(SampleLine& line);

}  // namespace peregrine
