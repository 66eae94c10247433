#include "capture/bpf/syscall/syscall_plan.h"

#include <algorithm>
#include <vector>

#include "base/types.h"
#include "event/syscall/call.h"

namespace peregrine {
namespace {

constexpr u16 kPathBytes = kPieceBytes, kSocketAddressBytes = 128, kMostStructBytes = 512;
static_assert(kStringBytes == kLongestText + 1);
static_assert(sizeof(captured_part) == sizeof(CapturedPart));

// Returns what to read for one argument; kCaptureNothing if it is a number.
capture_plan plan_argument(const SyscallArgument& argument, u8 index, unsigned buffer_bytes) {
  capture_plan plan{};
  plan.argument = index;
  plan.at_exit = argument.filled ? kAtExitOfSuccess : argument.changed ? kAtExit : kAtEntry;
  plan.unit = 1;
  const bool counted = argument.count < kMostArguments;
  if (counted) plan.count = argument.count;
  switch (argument.kind) {
    case ArgumentKind::Path:
      plan.how = kCaptureString;
      plan.most = kPathBytes;
      break;
    case ArgumentKind::Strings:
      plan.how = kCaptureStrings;
      break;
    case ArgumentKind::Variables:
      plan.how = kCaptureLength;
      break;
    case ArgumentKind::FdSet:
      plan.how = kCaptureBits;
      plan.most = kMostStructBytes;
      break;
    case ArgumentKind::CpuSet:
      plan.how = argument.filled ? kCaptureReturned : kCaptureCounted;
      plan.most = kMostStructBytes;
      break;
    case ArgumentKind::OptionValue:
      plan.how = argument.filled ? kCaptureCountPointed : kCaptureCounted;
      plan.most = kSocketAddressBytes;
      break;
    case ArgumentKind::Vectors:
      if (buffer_bytes == 0) break;
      plan.how = kCaptureVectors;
      plan.most = static_cast<u16>(std::min<unsigned>(buffer_bytes, kPartBytes));
      break;
    case ArgumentKind::Message:
      if (buffer_bytes == 0) break;
      plan.how = counted ? kCaptureMessages : kCaptureMessage;
      plan.most = static_cast<u16>(std::min<unsigned>(buffer_bytes, kPartBytes));
      break;
    case ArgumentKind::Buffer:
      if (buffer_bytes == 0) break;
      plan.how = counted ? kCaptureCounted : kCaptureReturned;
      plan.most = static_cast<u16>(std::min<unsigned>(buffer_bytes, kPieceBytes));
      break;
    case ArgumentKind::SocketAddress:
      plan.how = argument.filled ? kCaptureCountPointed : kCaptureCounted;
      plan.most = kSocketAddressBytes;
      break;
    case ArgumentKind::PrctlArgument:
      plan.how = kCaptureString;
      plan.most = kPathBytes;
      plan.choices = kTextOptions;
      break;
    case ArgumentKind::FcntlArgument:
      if (argument.layout == nullptr) break;
      plan.how = kCaptureBytes;
      plan.unit = plan.most = argument.layout->size;
      plan.chooser = 1;
      plan.choices = kLockCommands;
      break;
    case ArgumentKind::Chosen:
      plan.how = counted ? kCaptureCounted : kCaptureBytes;
      plan.most = argument.choice->most;
      if (!counted) plan.unit = plan.most;
      break;
    case ArgumentKind::Struct:
      if (argument.layout == nullptr || argument.layout->size == 0) break;
      plan.how = counted ? kCaptureCounted : argument.count == kCountIsResult ? kCaptureReturned : kCaptureBytes;
      plan.unit = argument.layout->size;
      // Whole structs only, because part of one is not shown: an array up to the limit, and always the first struct.
      plan.most =
          std::max<u16>(argument.layout->size, kMostStructBytes / argument.layout->size * argument.layout->size);
      break;
    default:
      break;
  }
  return plan;
}

}  // namespace

void plan_calls(const Signatures& signatures, const std::vector<bool>& chosen, unsigned buffer_bytes,
                std::span<call_plan> plans) {
  for (u32 number = 0; number < kTracedCalls; ++number) {
    call_plan& plan = plans[number];
    plan = {};
    if (number >= chosen.size() || !chosen[number]) continue;
    plan.chosen = 1;
    const SyscallSignature& call = signatures.of(number);
    plan.no_return = call.name == "exit" || call.name == "exit_group";
    plan.new_memory = call.name == "execve" || call.name == "execveat";
    for (u8 index = 0; index < call.count && plan.captures < kCapturesPerCall; ++index) {
      const capture_plan captured = plan_argument(call.arguments[index], index, buffer_bytes);
      if (captured.how != kCaptureNothing) plan.capture[plan.captures++] = captured;
    }
  }
}

}  // namespace peregrine
