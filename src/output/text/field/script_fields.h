// ScriptFields: the columns that `script` prints per event type: -F and the defaults.
//
// Parsed from -F, then checked against the recording's events: a default field that an event lacks is dropped, one that
// the user named is an error. Messages are linux-perf's, since programs match them.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/header/evlist.h"

namespace peregrine {

namespace script_field {
inline constexpr u64 Comm = 1ull << 0, Tid = 1ull << 1, Pid = 1ull << 2, Time = 1ull << 3, Cpu = 1ull << 4,
                     Event = 1ull << 5, Trace = 1ull << 6, Ip = 1ull << 7, Sym = 1ull << 8, Dso = 1ull << 9,
                     Addr = 1ull << 10, SymOff = 1ull << 11, SrcLine = 1ull << 12, Period = 1ull << 13,
                     Iregs = 1ull << 14, Uregs = 1ull << 15, BrStack = 1ull << 16, BrStackSym = 1ull << 17,
                     DataSrc = 1ull << 18, Weight = 1ull << 19, BpfOutput = 1ull << 20, BrStackInsn = 1ull << 21,
                     BrStackInsnLen = 1ull << 22, BrStackOff = 1ull << 23, CallIndent = 1ull << 24, Insn = 1ull << 25,
                     InsnLen = 1ull << 26, Synth = 1ull << 27, PhysAddr = 1ull << 28, Metric = 1ull << 29,
                     Misc = 1ull << 30, SrcCode = 1ull << 31, Ipc = 1ull << 32, Tod = 1ull << 33,
                     DataPageSize = 1ull << 34, CodePageSize = 1ull << 35, InsLat = 1ull << 36, Flags = 1ull << 37,
                     MachinePid = 1ull << 38, Vcpu = 1ull << 39, Disasm = 1ull << 40, BrStackDisasm = 1ull << 41,
                     DsoOff = 1ull << 42, Cgroup = 1ull << 43, RetireLat = 1ull << 44, CallSite = 1ull << 45,
                     BrCounters = 1ull << 46;
}  // namespace script_field

// Fields computed from instructions.
inline constexpr u64 kCodeFields = script_field::Insn | script_field::InsnLen | script_field::Disasm |
                                   script_field::BrStackInsn | script_field::BrStackInsnLen |
                                   script_field::BrStackDisasm;

enum class ScriptType : u8 { Hardware, Software, Tracepoint, HwCache, Raw, Breakpoint, Synth, Other };
inline constexpr std::size_t kScriptTypes = 8;
ScriptType script_type(const abi::EventAttr& attr);

class ScriptFields {
 public:
  ScriptFields();

  // Parses one -F argument: "comm,tid", "trace:time,event", "+period", "-dso". Warnings are whole lines for stderr.
  Result<> parse(std::string_view text, std::vector<std::string>& warnings);
  // Drops or rejects fields that the events lack. `has_traces`: there is tracing data.
  Result<> check(const data::Evlist& evlist, const std::vector<std::string>& names, bool has_traces, bool lenient);
  // Adds ip,sym,symoff,dso to tracepoints, the default if they have callchains.
  void show_tracepoint_chains();
  // As linux-perf does for pipes: if samples have stacks, ip and sym are printed even if -F names other fields, unless
  // -F removed them.
  void show_pipe_chains(const data::Evlist& evlist);

  u64 of(ScriptType type) const { return sets_[static_cast<std::size_t>(type)].fields; }
  bool user_set(ScriptType type) const { return sets_[static_cast<std::size_t>(type)].user_set; }

 private:
  struct Set {
    u64 fields = 0;
    u64 invalid = 0;  // not applicable to this type
    u64 chosen = 0;   // named by the user
    u64 removed = 0;  // named by the user with '-'
    bool user_set = false;
  };
  Result<> parse_words(std::string_view words, int type, std::vector<std::string>& warnings);
  Result<> apply_word(u64 field, std::string_view word, bool removing, int type, std::vector<std::string>& warnings);
  Result<> check_event(Set& set, const data::Event& event, const std::string& name, bool has_traces, bool lenient);

  std::array<Set, kScriptTypes> sets_;
};

}  // namespace peregrine
