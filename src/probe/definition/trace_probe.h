// TraceProbe: one probe in the kernel's syntax, a line of uprobe_events or kprobe_events:
//
//   p:probe_prog/work /usr/bin/prog:0x12f0(0x3018) size=%si:s32 name_string=+0(%dx):string
//   r:probe/vfs_read__return vfs_read+0 ret=$retval:s64
//
// format() and parse() are inverses, except for the width of numbers.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

struct TraceArgument {
  std::string name;  // empty: the kernel chooses one (arg1, arg2, …)
  std::string value;
  std::string type;
  friend bool operator==(const TraceArgument&, const TraceArgument&) = default;
};

struct TraceProbe {
  bool is_return = false;
  std::string group, event;
  std::string target;            // path of the program or library, or kernel module; empty: the kernel
  std::string symbol;            // kernel probes only
  u64 offset = 0;                // from the symbol, or in the file
  std::optional<u64> semaphore;  // file offset of the counter that enables an SDT marker
  std::vector<TraceArgument> arguments;

  bool is_user() const { return target.starts_with('/'); }
  std::string name() const { return group + ':' + event; }
  std::string place() const;
  std::string format() const;
  // Fails unless the kernel would read format() as exactly this definition: a newline starts another one, a blank
  // another argument, and '#' a comment. Paths and the names of symbols and variables are untrusted.
  Result<> check() const;
  static std::optional<TraceProbe> parse(std::string_view line);
};

// The kernel requires unique argument names: later ones of the same name become NAME_1, NAME_2, ….
void name_apart(std::vector<TraceArgument>& arguments);

}  // namespace peregrine
