// ItraceOptions: what `--itrace` asks of the decoders of AUX area traces, and the grammar of its words.
//
// Letters in a row, blanks and commas between them mean nothing: "i10usg32le" is an instruction sample each 10 µs of
// trace, each with 32 callers and the last branches, and errors. Each decoder takes what it can give. The words and
// what is refused are those of linux-perf 6.1 (perf-script(1), perf-intel-pt(1), perf-arm-spe(1)). Pure.
#pragma once
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

enum class ItraceUnit : u8 { Instructions, Ticks, Nanoseconds };

// Flags behind a letter: "e+o-l". Any small letter may be named; decoders look at those that they know.
struct ItraceFlags {
  u32 plus = 0, minus = 0;  // bit 0 is 'a'

  static constexpr u32 bit(char letter) { return 1u << (letter - 'a'); }
  bool on(char letter) const { return (plus & bit(letter)) != 0; }
  bool off(char letter) const { return (minus & bit(letter)) != 0; }
  friend bool operator==(const ItraceFlags&, const ItraceFlags&) = default;
};

inline constexpr u64 kItracePeriod = 100'000;  // ns, where no period is named
inline constexpr u32 kItraceMostCallers = 1024, kItraceMostBranches = 1024;

struct ItraceOptions {
  bool instructions = false;     // i: samples of instructions, one each `period`
  bool branches = false;         // b, c, r: samples of branches; of Arm SPE, of branches that missed
  bool calls = false;            // c: of branches, calls only
  bool returns = false;          // r: of branches, returns only
  bool transactions = false;     // x
  bool ptwrites = false;         // w
  bool power = false;            // p: power events, synchronisation points
  bool other = false;            // o: events that were sent into the trace (aux-output)
  bool interrupts = false;       // I
  bool errors = false;           // e
  bool log = false;              // d: the decoder writes what it sees
  bool first_level = false;      // f: first level cache
  bool last_level = false;       // m: last level cache
  bool tlb = false;              // t
  bool remote = false;           // a: accesses to other sockets
  bool memory = false;           // M: loads and stores
  bool callchain = false;        // g: callers for the samples made
  bool add_callchain = false;    // G: callers for the samples that were recorded
  bool last_branch = false;      // l: last branches for the samples made
  bool add_last_branch = false;  // L: last branches for the samples that were recorded
  bool approximate_ipc = false;  // A
  bool timeless = false;         // Z: time stamps of the trace are not looked at
  unsigned quick = 0;            // q, qq: less detail

  u64 period = kItracePeriod;
  ItraceUnit unit = ItraceUnit::Nanoseconds;
  u32 callers = 16;       // the most frames of a callchain, 1 to 1024
  u32 branch_count = 64;  // the most last branches, 1 to 1024
  u64 skip = 0;           // s: so many events at the beginning are left out
  ItraceFlags error_flags, log_flags;

  friend bool operator==(const ItraceOptions&, const ItraceOptions&) = default;
};

// What is decoded where `--itrace` has no words, or was not given: everything. Commands that list (script) want
// branches that are calls and no samples of instructions: `sampled` false.
ItraceOptions default_itrace(bool sampled);

// Error (Usage): "Bad Instruction Tracing options 'WORDS'", with the letter at which reading stopped in the hint. No
// words at all are an answer too: nothing is made of the trace.
Result<ItraceOptions> parse_itrace(std::string_view words);

}  // namespace peregrine
