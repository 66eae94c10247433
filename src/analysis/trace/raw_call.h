// The payloads of raw_syscalls:sys_enter and sys_exit. Pure.
#pragma once
#include <array>
#include <optional>

#include "base/bytes.h"
#include "base/types.h"
#include "event/syscall/signature.h"

namespace peregrine {

struct RawEnter {
  u32 number = 0;  // the largest u32 for a number without a system call
  std::array<u64, kMostArguments> arguments{};
};
struct RawExit {
  u32 number = 0;
  i64 result = 0;
};
// Nothing: too short.
std::optional<RawEnter> decode_raw_enter(Bytes raw, ByteOrder order);
std::optional<RawExit> decode_raw_exit(Bytes raw, ByteOrder order);

}  // namespace peregrine
