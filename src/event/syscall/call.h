// TracedCall: one system call: thread, time, arguments and result. Built from a BPF record or from the two raw_syscalls
// samples; only the former includes captured memory of the caller.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "abi/arch/syscall.h"
#include "base/bytes.h"
#include "base/types.h"
#include "event/syscall/signature.h"

namespace peregrine {

// For each string of an array (ArgumentKind::Strings), without NUL; one of this length may be truncated.
inline constexpr std::size_t kLongestText = 255;

// Precedes each part of ArgumentKind::Vectors and of a message; the bytes are padded to four. A message's first part is
// its peer address, empty if none; each message of an array is a separate piece.
struct CapturedPart {
  u16 bytes = 0;
  u16 cut = 0;  // truncated
};

struct CapturedPiece {
  u8 argument = 0;
  bool cut = false;  // truncated
  Bytes bytes;
};

// The caller's stack: return addresses from frame pointers, innermost first, or registers in sample order and stack
// bytes.
struct CallerStack {
  std::vector<u64> frames, registers;
  std::vector<std::byte> stack;
};

struct TracedCall {
  abi::SyscallSet set = abi::SyscallSet::Unknown;
  u32 number = 0;
  i32 pid = 0, tid = 0, cpu = -1;  // cpu: where it ended; -1: unknown
  u64 start = 0, duration = 0;     // ns
  i64 result = 0;
  bool continued = false;  // began before tracing: arguments unknown
  bool unended = false;    // does not return: no result
  bool resumed = false;    // its start was already reported, before another thread's call
  std::array<u64, kMostArguments> arguments{};
  unsigned pieces = 0;
  std::array<CapturedPiece, 8> piece;   // borrowed during the callback
  const CallerStack* caller = nullptr;  // likewise; null if not requested or unknown

  bool failed() const { return !unended && result < 0 && result >= -4095; }
  u64 end() const { return start + duration; }
  const CapturedPiece* piece_of(unsigned argument) const {
    for (unsigned i = 0; i < pieces; ++i)
      if (piece[i].argument == argument) return &piece[i];
    return nullptr;
  }
};

// Receives calls. Returning false stops the reading.
class CallReader {
 public:
  virtual ~CallReader() = default;
  // Pieces of memory are borrowed for the call.
  virtual bool call(const TracedCall& call) = 0;
  // The call is still in progress while something else happens; it is reported again, as resumed.
  virtual bool interrupted(const TracedCall& call) = 0;
  virtual void name(i32 pid, i32 tid, std::string_view comm) = 0;
};

}  // namespace peregrine
