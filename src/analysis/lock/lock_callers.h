// LockCallers: finds who waits for a lock from a callchain: the first function outside the lock implementation.
//
//   rwsem_down_write_slowpath, down_write, path_openat, do_filp_open      innermost first; a fixed number is skipped,
//   └── skipped ─────────────────────────┘ caller                         and all of the kernel's lock code by address
//
// Keeps the last chain. One thread.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/types.h"
#include "machine/machine.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

class LockCallers {
 public:
  LockCallers(unsigned skip, unsigned max_stack) : skip_(skip), max_stack_(max_stack) {}

  // Returns an id of the part outside the lock code.
  u64 follow(const Resolver::Context& context, std::span<const u64> callchain, Resolver& resolver);
  // "do_filp_open+0xc3"; "Unknown".
  std::string name(Resolver& resolver) const;
  // The whole chain, as address and name.
  std::vector<std::string> stack(Resolver& resolver) const;
  // Whether one of its function names contains one of the texts.
  bool has_function(std::span<const std::string> texts, Resolver& resolver) const;
  // Whether the address is in the kernel's lock code, which all callers go through.
  bool is_lock_code(const Machine& machine, u64 address);

 private:
  std::string frame_text(std::size_t i, Resolver& resolver) const;

  unsigned skip_, max_stack_;
  struct Range {
    u64 from = 0, to = 0;
  };
  std::optional<std::vector<Range>> lock_code_;  // of the kernel's text
  std::vector<FrameId> frames_;
  std::vector<u64> addresses_;
  std::size_t caller_ = 0;  // the first frame outside the lock code
};

}  // namespace peregrine
