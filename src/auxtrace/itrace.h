// ItraceOptions: the parsed value of `--itrace`, for decoders of AUX area traces.
//
// A sequence of letters; spaces and commas between them are ignored: "i10usg32le" is an instruction sample every 10 µs
// of trace, with 32 callers, the last branches, and errors. Each decoder uses what it supports. Syntax and errors are
// linux-perf 6.1's (perf-script(1), perf-intel-pt(1), perf-arm-spe(1)). Pure.
#pragma once
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

enum class ItraceUnit : u8 { Instructions, Ticks, Nanoseconds };

// Flags after a letter: "e+o-l". All lower-case letters are accepted; decoders use those they know.
struct ItraceFlags {
  u32 plus = 0, minus = 0;  // bit 0 is 'a'

  static constexpr u32 bit(char letter) { return 1u << (letter - 'a'); }
  bool on(char letter) const { return (plus & bit(letter)) != 0; }
  bool off(char letter) const { return (minus & bit(letter)) != 0; }
  friend bool operator==(const ItraceFlags&, const ItraceFlags&) = default;
};

inline constexpr u64 kItracePeriod = 100'000;  // ns, if no period is given
inline constexpr u32 kItraceMostCallers = 1024, kItraceMostBranches = 1024;

struct ItraceOptions {
  bool instructions = false;     // i: instruction samples, one per `period`
  bool branches = false;         // b, c, r: branch samples; for Arm SPE, mispredicted branches
  bool calls = false;            // c: only calls
  bool returns = false;          // r: only returns
  bool transactions = false;     // x
  bool ptwrites = false;         // w
  bool power = false;            // p: power events, synchronization points
  bool other = false;            // o: events recorded into the trace (aux-output)
  bool interrupts = false;       // I
  bool errors = false;           // e
  bool log = false;              // d: the decoder logs its input
  bool first_level = false;      // f: first level cache
  bool last_level = false;       // m: last level cache
  bool tlb = false;              // t
  bool remote = false;           // a: accesses to other sockets
  bool memory = false;           // M: loads and stores
  bool callchain = false;        // g: callchains for synthesized samples
  bool add_callchain = false;    // G: callchains for recorded samples
  bool last_branch = false;      // l: last branches for synthesized samples
  bool add_last_branch = false;  // L: last branches for recorded samples
  bool approximate_ipc = false;  // A
  bool timeless = false;         // Z: ignore the trace's time stamps
  unsigned quick = 0;            // q, qq: less detail

  u64 period = kItracePeriod;
  ItraceUnit unit = ItraceUnit::Nanoseconds;
  u32 callers = 16;       // maximum callchain length, 1 to 1024
  u32 branch_count = 64;  // maximum last branches, 1 to 1024
  u64 skip = 0;           // s: number of events to skip at the start
  ItraceFlags error_flags, log_flags;

  friend bool operator==(const ItraceOptions&, const ItraceOptions&) = default;
};

// The options if `--itrace` has no value or was not given: everything. `sampled` false: for commands that list
// (script), which want call branches and no instruction samples.
ItraceOptions default_itrace(bool sampled);

// Error (Usage): "Bad Instruction Tracing options 'WORDS'", with the offending letter in the hint. An empty value is
// valid: nothing is synthesized.
Result<ItraceOptions> parse_itrace(std::string_view words);

}  // namespace peregrine
