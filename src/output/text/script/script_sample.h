// ScriptSample: formats one resolved sample for `script`.
//
// A ScriptPlan has what is decided once per recording; a ScriptSample belongs to one worker. Field order, widths and
// spaces are linux-perf 6.1's, byte for byte.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "abi/arch/registers.h"
#include "event/tracepoint/trace_formats.h"
#include "output/text/field/script_branch_counters.h"
#include "output/text/field/script_calls.h"
#include "output/text/field/script_code.h"
#include "output/text/field/script_fields.h"
#include "output/text/field/script_frames.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/event_switch.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct ScriptEvent {
  u64 fields = 0;
  std::string name;         // padded to the longest name, ": " after it
  bool callchain = false;   // recorded, and to be shown
  bool bpf_output = false;  // raw data is a BPF program's output
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

// Writes samples in another format than columns: --format. One per worker.
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
  bool in_sequence = false;   // what make_writer returns depends on the previous sample
  unsigned max_blocks = 0;    // limit for branch stacks shown as code; 0: all
  bool mnemonics = false;     // --xed: instructions as mnemonics
  BranchCounters counters;    // -F brcntr
  bool merges_chains = true;  // --no-merge-callchains: false

  // `names`: of all events, as shown.
  ScriptPlan() = default;
  // `formats` must have prepared the events' formats, and must outlive the plan.
  ScriptPlan(const data::Evlist& evlist, const std::vector<std::string>& names, const ScriptFields& fields,
             const TraceFormats& formats, bool callchains);
  // Takes over the events, and what follows from them, from a newer plan of the same recording.
  void take_events(ScriptPlan grown);
  // Lines depend on earlier lines: use one worker.
  bool needs_single_worker() const;
  bool names_cgroups() const;  // -F cgroup
};

class ScriptSample {
 public:
  explicit ScriptSample(const ScriptPlan& plan);

  // Call when the plan's line kinds have changed.
  void take_line_kinds();
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
  // Returns false if the sample is not shown: another kind of branch, or outside the chosen functions.
  bool follow_calls(const ReplaySample& sample, const ScriptEvent& event, Resolver& resolver);
  void put_thread(ScriptText& out, const ScriptEvent& event, std::string_view comm, const abi::Sample& sample);
  void put_new_thread(ScriptText& out, const ScriptEvent& event, std::string_view comm,
                      const abi::Sample& sample) const;
  void put_flags(ScriptText& out, const abi::Sample& sample) const;
  void put_call(const ReplaySample& replayed, const ScriptEvent& event, Resolver& resolver);
  void put_cycles(ScriptText& out, const abi::Sample& sample) const;
  void put_branch(ScriptText& out, const ReplaySample& sample, const ScriptEvent& event, Resolver& resolver);
  void put_time(ScriptText& out, u64 time);
  void put_fraction(ScriptText& out, u32 rest) const;
  void put_time_of_day(ScriptText& out, u64 time);
  void put_misc(ScriptText& out, u16 misc, std::optional<abi::RecordType> side_band);
  void put_address(ScriptText& out, const ReplaySample& sample, const ScriptEvent& event, Resolver& resolver);
  void put_own_address(ScriptText& out, const ReplaySample& sample, Resolver& resolver);
  void put_chain(ScriptText& out, const ReplaySample& sample, const ScriptEvent& event, Resolver& resolver);
  void put_cookie(ScriptText& out, u64 cookie, u64 fields) const;
  void put_counters(ScriptText& out, const ReplaySample& sample);
  void put_code(ScriptText& out, const ReplaySample& sample, const ScriptEvent& event, Resolver& resolver);
  ScriptCode& code_of(const Resolver& resolver);
  void put_rest(ScriptText& out, const ReplaySample& sample, const ScriptEvent& event, Resolver& resolver);

  // Cache of a line's start, up to the time, per CPU: the next line often starts the same.
  struct Beginning {
    u64 fields = 0;
    u32 pid = 0, tid = 0, cpu = 0;
    bool padded = false;
    u8 comm_length = 0, length = 0;  // length 0: empty
    char comm[16];
    char text[96 + ScriptText::kSlack];

    bool is_of(const ScriptEvent& event, std::string_view comm_now, const abi::Sample& sample) const {
      return length != 0 && tid == sample.tid && pid == sample.pid && cpu == sample.cpu && fields == event.fields &&
             padded == event.comm_padded && std::string_view(comm, comm_length) == comm_now;
    }
    void keep(const ScriptEvent& event, std::string_view comm_now, const abi::Sample& sample, std::string_view start);
  };
  static constexpr std::size_t kBeginnings = 8;

  const ScriptPlan& plan_;
  std::vector<Beginning> beginnings_ = std::vector<Beginning>(kBeginnings);  // by CPU
  std::unique_ptr<SampleWriter> writer_;
  EventSwitch switch_;
  // The lines of one kind: without inlined functions, and with those at an instruction or before a return address.
  struct KindFrames {
    ScriptFrames plain, exact, caller;
  };
  std::vector<KindFrames> frames_;  // by line kind
  std::optional<ScriptCode> code_;  // created on demand
  ScriptCalls calls_;
  std::optional<BranchStep> step_;  // of the current sample
  std::size_t call_width_ = 32;     // width of the call column; adapts to its contents
  std::vector<FrameId> chain_;
  std::vector<u64> chain_ips_;
  std::string words_;
  u64 first_time_ = 0, previous_time_ = 0;
  u64 misordered_ = 0;
  u64 second_ = 0;        // start of the second that second_text_ shows
  u8 second_length_ = 0;  // 0: none yet
  char second_text_[32 + ScriptText::kSlack];
  i64 day_second_ = -1;  // second whose date and time is in day_text_
  std::string day_text_;
  std::size_t data_source_width_ = 0;
  std::unordered_map<u64, std::string> cgroups_;  // paths by id; -F cgroup
};

}  // namespace peregrine
