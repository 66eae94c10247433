// TraceProbe: one probe as the kernel defines it, a line of uprobe_events or kprobe_events:
//
//   p:probe_prog/work /usr/bin/prog:0x12f0(0x3018) size=%si:s32 name_string=+0(%dx):string
//   r:probe/vfs_read__return vfs_read+0 ret=$retval:s64
//
// format() and parse() are inverse, but for the width of numbers.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace peregrine {

struct TraceArgument {
  std::string name;  // empty: the kernel numbers it
  std::string value;
  std::string type;
  friend bool operator==(const TraceArgument&, const TraceArgument&) = default;
};

struct TraceProbe {
  bool is_return = false;
  std::string group, event;
  std::string target;            // program, library, or the kernel's module; empty: the kernel
  std::string symbol;            // of kernel probes
  u64 offset = 0;                // from the symbol; in the file
  std::optional<u64> semaphore;  // offset of the counter that switches an SDT marker on
  std::vector<TraceArgument> arguments;

  bool is_user() const { return target.starts_with('/'); }
  std::string name() const { return group + ':' + event; }
  std::string place() const;
  std::string format() const;
  static std::optional<TraceProbe> parse(std::string_view line);
};

// The kernel wants each name of a probe's arguments once: later ones of the same name become NAME_1, NAME_2, ….
void name_apart(std::vector<TraceArgument>& arguments);

}  // namespace peregrine
