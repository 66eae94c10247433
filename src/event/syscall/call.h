// TracedCall: one system call as it happened: who, when, with what, and what came of it. Made from a BPF record or from
// the two samples of raw_syscalls; what was read of the caller's memory comes with the former only.
#pragma once
#include <array>
#include <vector>

#include "base/bytes.h"
#include "event/syscall/signature.h"

namespace peregrine {

// Of each text of an array (ArgumentKind::Strings), without its NUL; one of that length may have been longer.
inline constexpr std::size_t kLongestText = 255;

// Before each part of ArgumentKind::Vectors, and of a message; its bytes are padded to four. A message's first part is
// the address that it goes to or comes from, empty if it has none; each message of an array is a piece of its own.
struct CapturedPart {
  u16 bytes = 0;
  u16 cut = 0;  // there was more
};

struct CapturedPiece {
  u8 argument = 0;
  bool cut = false;  // there was more
  Bytes bytes;
};

// Where the caller stands: return addresses as frame pointers tell them, innermost first, or else registers, in the
// order of a sample's, and what lies on the stack.
struct CallerStack {
  std::vector<u64> frames, registers;
  std::vector<std::byte> stack;
};

struct TracedCall {
  abi::SyscallSet set = abi::SyscallSet::Unknown;
  u32 number = 0;
  i32 pid = 0, tid = 0;
  u64 start = 0, duration = 0;  // ns
  i64 result = 0;
  bool continued = false;  // it had begun before tracing did: no arguments
  bool unended = false;    // no result: it does not return
  bool resumed = false;    // its begin was told already, when another thread came in between
  std::array<u64, kMostArguments> arguments{};
  unsigned pieces = 0;
  std::array<CapturedPiece, 8> piece;   // borrowed for the call
  const CallerStack* caller = nullptr;  // the same; null: not asked for, or not known

  bool failed() const { return !unended && result < 0 && result >= -4095; }
  u64 end() const { return start + duration; }
  const CapturedPiece* piece_of(unsigned argument) const {
    for (unsigned i = 0; i < pieces; ++i)
      if (piece[i].argument == argument) return &piece[i];
    return nullptr;
  }
};

// Who wants to know of calls. False: enough.
class CallReader {
 public:
  virtual ~CallReader() = default;
  // Pieces of memory are borrowed for the call.
  virtual bool call(const TracedCall& call) = 0;
  // The call goes on while something else happens; it comes again, resumed.
  virtual bool interrupted(const TracedCall& call) = 0;
  virtual void name(i32 pid, i32 tid, std::string_view comm) = 0;
};

}  // namespace peregrine
