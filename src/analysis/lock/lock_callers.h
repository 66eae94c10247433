// LockCallers: who waits for a lock, by a callchain: the first function that is not the locks' own code.
//
//   rwsem_down_write_slowpath, down_write, path_openat, do_filp_open      innermost first; some are skipped by number,
//   └── skipped ─────────────────────────┘ caller                         all of the kernel's locks' own by address
//
// Keeps the chain that was followed last. One thread.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machine/resolver/resolver.h"

namespace peregrine {

class LockCallers {
 public:
  LockCallers(unsigned skip, unsigned max_stack) : skip_(skip), max_stack_(max_stack) {}

  // The number of what lies outside of the locks' code.
  u64 follow(const Resolver::Context& context, std::span<const u64> callchain, Resolver& resolver);
  // "do_filp_open+0xc3"; "Unknown".
  std::string name(Resolver& resolver) const;
  // All of it, an address and a name each.
  std::vector<std::string> stack(Resolver& resolver) const;
  // Whether a function of it has one of these texts in its name.
  bool has_function(std::span<const std::string> texts, Resolver& resolver) const;
  // Whether the address is in the kernel's own code of locks, through which every caller comes.
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
  std::size_t caller_ = 0;  // the first of the frames that is not the locks' own
};

}  // namespace peregrine
