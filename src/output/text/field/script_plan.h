// ScriptPlan: the decisions about the lines of `script` that are made once per recording: the columns of each event,
// and the options that printers read. Shared by all workers; const while they print.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/arch/registers.h"
#include "abi/attr.h"
#include "base/types.h"
#include "data/feature/features.h"
#include "data/header/evlist.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"
#include "event/tracepoint/trace_formats.h"
#include "machine/resolver/resolver.h"
#include "machine/source/source_table.h"
#include "output/text/field/script_branch_counters.h"
#include "output/text/field/script_field.h"
#include "output/text/field/script_fields.h"
#include "output/text/field/script_frames.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/event_switch.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct ScriptEvent {
  // The printers of a line, from left to right; each list is in order.
  struct Columns {
    std::vector<const ScriptField*> thread;  // with `start`; the same for lines of the same thread and CPU
    std::vector<const ScriptField*> start;   // with `start`
    std::vector<const ScriptField*> rest;
    std::vector<const ScriptField*> below;  // after the newline
  };

  u64 fields = 0;
  Columns columns = {};
  bool in_sequence = false;  // its text depends on earlier samples
  std::string name;          // padded to the longest name, ": " after it
  bool callchain = false;    // recorded and shown
  bool bpf_output = false;   // raw data is a BPF program's output
  bool comm_padded = true;
  bool address_has_symbol = false;  // page faults: resolve addr too
  bool is_branch = false;           // each sample is one branch, from ip to addr
  bool shows_target = false;        // show `=> addr`
  u32 line_kind = 0;                // index of the ScriptFrames to use
  std::string bare_name{};
  std::optional<abi::DecodedEvent> decoded{};  // raw data is a decoded trace event
  const TraceFormat* traced = nullptr;         // its fields
  const PrintFormat* format = nullptr;         // of a tracepoint with a recorded format
};

// Which chains show inlined functions.
enum class ScriptInlines : u8 {
  Never,
  Unwound,  // chains unwound from recorded stacks, as in linux-perf
  Always,
};

// For samples that are single branches: all, calls, or calls and returns.
enum class ScriptBranches : u8 { All, Calls, CallsAndReturns };

// Whether samples are hardware branch records, one per branch.
bool is_branch_record(const abi::EventAttr& attr);

// Writes samples in a format other than columns: --format. One per worker.
class SampleWriter {
 public:
  virtual ~SampleWriter() = default;
  virtual void put(ScriptText& out, const ScriptEvent& event, const ReplaySample& sample, Resolver& resolver) = 0;
};

struct ScriptPlan {
  std::vector<ScriptEvent> events;
  std::vector<u64> line_kinds;  // fields of each kind of frame line
  unsigned max_stack = 127;
  abi::Arch arch = abi::kHostArch;
  bool nanoseconds = false;
  bool relative = false, delta = false;  // --reltime, --deltatime
  bool check_order = false;              // -d: show no samples, only check their order
  bool latency = false;                  // -L: short comms, bare CPU numbers
  std::vector<std::string> symbols;      // -S
  std::vector<u64> addresses;            // -S: hexadecimal numbers, as addresses
  u64 address_range = 1;                 // --addr-range: length of the range at each of them
  EventSwitch event_switch;              // --switch-on, --switch-off
  std::optional<data::ClockData> clock;  // reference for -F tod
  std::vector<std::string> dsos;         // --dsos
  std::vector<std::string> stop_at;      // --stop-bt
  SourceTable* sources = nullptr;        // must outlive the printing; null: no lines or inlined functions
  ScriptInlines inlines = ScriptInlines::Unwound;
  ScriptAddresses shown_addresses = ScriptAddresses::AsPerf;   // --addr
  ScriptBranches branches = ScriptBranches::All;               // --call-trace, --call-ret-trace
  std::size_t dso_width = 0;                                   // minimum width of dsos before calls
  std::vector<std::string> graph_functions;                    // --graph-function
  std::function<std::unique_ptr<SampleWriter>()> make_writer;  // empty: columns
  bool shows_cgroups = false;                                  // --show-cgroup-events
  bool in_sequence = false;                                    // the text of any event depends on earlier samples
  unsigned max_blocks = 0;                                     // limit for branch stacks shown as code; 0: all
  bool mnemonics = false;                                      // --xed: instructions as mnemonics
  BranchCounters counters;                                     // -F brcntr
  bool merges_chains = true;                                   // --no-merge-callchains: false

  // `names`: of all events, as shown.
  ScriptPlan() = default;
  // `formats` must have prepared the events' formats, and must outlive the plan.
  ScriptPlan(const data::Evlist& evlist, const std::vector<std::string>& names, const ScriptFields& fields,
             const TraceFormats& formats, bool callchains);
  // Takes over the events and everything derived from them from a newer plan of the same recording.
  void take_events(ScriptPlan grown);
  // Whether lines depend on earlier lines, so that one worker is needed.
  bool needs_single_worker() const;
  bool names_cgroups() const;  // -F cgroup
};

}  // namespace peregrine
