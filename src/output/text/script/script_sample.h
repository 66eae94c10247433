// ScriptSample: one resolved sample as the lines that `script` prints for it.
//
// A ScriptPlan holds what is decided once per recording; a ScriptSample belongs to one worker. Field order, widths and
// blanks are linux-perf 6.1's, byte for byte.
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
  bool callchain = false;   // it records one, and it is to be shown
  bool bpf_output = false;  // its raw data is what a BPF program sent
  bool comm_padded = true;
  bool address_has_symbol = false;  // page faults: addr is looked up too
  bool is_branch = false;           // each sample is one branch, from ip to addr
  bool shows_target = false;        // then `=> addr`
  u32 line_kind = 0;                // which ScriptFrames
  std::string bare_name{};
  std::optional<abi::DecodedEvent> decoded{};  // its raw data is what a trace's decoder found
  const TraceFormat* traced = nullptr;         // its fields
  const PrintFormat* format = nullptr;         // of a tracepoint that the recording explains
};

// Which chains name the functions inlined at their frames.
enum class ScriptInlines : u8 {
  Never,
  Unwound,  // those that were unwound from recorded stacks, as linux-perf does
  Always,
};

// Of the samples that are single branches: all, calls, or calls and returns.
enum class ScriptBranches : u8 { All, Calls, CallsAndReturns };

// Hardware that records branches gives them as samples of this event, one for each.
bool is_branch_record(const abi::EventAttr& attr);

// Writes samples in another form than columns: --format. One per worker.
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
  bool check_order = false;              // -d: samples are not shown, only their order is looked at
  bool latency = false;                  // -L: short comms, bare CPU numbers
  std::vector<std::string> symbols;      // -S
  std::vector<u64> addresses;            // -S: words that are hexadecimal numbers, as addresses
  u64 address_range = 1;                 // --addr-range: bytes from each of them on
  EventSwitch event_switch;              // --switch-on, --switch-off
  std::optional<data::ClockData> clock;  // what -F tod counts from
  std::vector<std::string> dsos;         // --dsos
  std::vector<std::string> stop_at;      // --stop-bt
  SourceTable* sources = nullptr;        // outlives the printing; null: no lines, no inlined functions
  ScriptInlines inlines = ScriptInlines::Unwound;
  ScriptAddresses shown_addresses = ScriptAddresses::AsPerf;   // --addr
  ScriptBranches branches = ScriptBranches::All;               // --call-trace, --call-ret-trace
  std::size_t dso_width = 0;                                   // of dsos in front of calls, at least
  std::vector<std::string> graph_functions;                    // --graph-function
  std::function<std::unique_ptr<SampleWriter>()> make_writer;  // none: columns
  bool shows_cgroups = false;                                  // --show-cgroup-events
  bool in_sequence = false;                                    // what make_writer makes looks at the sample before
  unsigned max_blocks = 0;                                     // of branch stacks shown as code; 0: all
  bool mnemonics = false;                                      // --xed: instructions as words
  BranchCounters counters;                                     // -F brcntr
  bool merges_chains = true;                                   // --no-merge-callchains: false

  // `names`: of all events, as they are to be shown.
  ScriptPlan() = default;
  // `formats` has prepared those of the events, and outlives the plan.
  ScriptPlan(const data::Evlist& evlist, const std::vector<std::string>& names, const ScriptFields& fields,
             const TraceFormats& formats, bool callchains);
  // The events, and what follows from them, of a plan of the same recording that knows more of them.
  void take_events(ScriptPlan grown);
  // What a line looks like depends on the lines before it: to be rendered by one worker.
  bool needs_single_worker() const;
  bool names_cgroups() const;  // -F cgroup
};

class ScriptSample {
 public:
  explicit ScriptSample(const ScriptPlan& plan);

  // To be called when the plan's line kinds have changed.
  void take_line_kinds();
  // False when a filter (-S, --dsos) refused it.
  bool put(ScriptText& out, const ReplaySample& sample, Resolver& resolver);
  // Names the cgroup of samples that follow. All records must reach the one worker that prints.
  void learn_cgroup(const abi::CgroupRecord& cgroup);
  // The rest of a record with a user stack that the kernel deferred (--no-merge-callchains), behind put_start().
  void put_deferred_chain(ScriptText& out, const ReplaySample& chain, u64 cookie, Resolver& resolver);
  // -d: how many samples were older than the one before.
  u64 misordered() const { return misordered_; }
  // What stands before the text of a side-band record: comm, tid, cpu, time.
  void put_start(ScriptText& out, const ScriptEvent& event, std::string_view comm, const abi::Sample& sample,
                 std::optional<abi::RecordType> side_band);

 private:
  bool accepted(const ReplaySample& sample, Resolver& resolver, FrameId own);
  // False when the sample is not to be shown: a branch of another kind, code outside of the chosen functions.
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

  // What a line begins with, up to its time: the next line of the same CPU often begins the same.
  struct Beginning {
    u64 fields = 0;
    u32 pid = 0, tid = 0, cpu = 0;
    bool padded = false;
    u8 comm_length = 0, length = 0;  // length 0: nothing is kept
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
  std::optional<ScriptCode> code_;  // once it is asked for
  ScriptCalls calls_;
  std::optional<BranchStep> step_;  // of the sample at hand
  std::size_t call_width_ = 32;     // of a column of calls: grows and shrinks with what stands there
  std::vector<FrameId> chain_;
  std::vector<u64> chain_ips_;
  std::string words_;
  u64 first_time_ = 0, previous_time_ = 0;
  u64 misordered_ = 0;
  u64 second_ = 0;        // at which the one begins that second_text_ shows
  u8 second_length_ = 0;  // 0: none so far
  char second_text_[32 + ScriptText::kSlack];
  i64 day_second_ = -1;  // whose date and time day_text_ is
  std::string day_text_;
  std::size_t data_source_width_ = 0;
  std::unordered_map<u64, std::string> cgroups_;  // paths by id; -F cgroup
};

}  // namespace peregrine
