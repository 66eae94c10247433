// TextPairs: the time from one event to another with the same key, from lines of the kernel's trace. (For recordings:
// analysis/field/event_pairs.h.)
//
//   cat-1234 [001] d..2. 15953.845742: sched_waking: comm=cat pid=12 target_cpu=001
//        │                                   key pid=12, or by default the thread 1234
//
// A start replaces an earlier one with its key. One thread.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/types.h"

namespace peregrine {

struct TextLine {
  std::string_view thread;  // "1234"
  std::string event;        // "sched_waking"
  std::string_view text;    // what the event prints
  u64 time = 0;             // in ns; the kernel prints microseconds
};
// Nothing for comments and lines without a time. The kernel prints tracepoints of system calls in another form:
// "sys_read(fd: 3, …)" is sys_enter_read, "sys_read -> 0x10" is sys_exit_read.
std::optional<TextLine> parse_trace_line(std::string_view line);
// The value behind " NAME=" or " NAME: "; empty if missing.
std::string_view value_in_text(std::string_view text, std::string_view name);

// Names of events without their system. Without key fields, the thread is the key.
struct TextPairRequest {
  std::string start, end;
  std::string start_key, end_key;
};

class TextPairs {
 public:
  explicit TextPairs(TextPairRequest request) : request_(std::move(request)) {}
  // The duration of a pair, in ns, if the line ends one.
  std::optional<u64> add(std::string_view line);

  u64 without_end() const { return open_.size() + replaced_; }
  u64 without_start() const { return without_start_; }
  // Starts and ends without the key in their text, which are not paired.
  u64 keyless() const { return keyless_; }

 private:
  TextPairRequest request_;
  std::unordered_map<std::string, u64> open_;  // by key: the start's time
  u64 replaced_ = 0, without_start_ = 0, keyless_ = 0;
};

}  // namespace peregrine
