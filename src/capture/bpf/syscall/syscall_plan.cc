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

// Strings, and lists of them.
void plan_text(const SyscallArgument& argument, capture_plan& plan) {
  if (argument.kind == ArgumentKind::Strings) {
    plan.how = kCaptureStrings;
    return;
  }
  if (argument.kind == ArgumentKind::Variables) {
    plan.how = kCaptureLength;
    return;
  }
  plan.how = kCaptureString;
  plan.most = kPathBytes;
  if (argument.kind == ArgumentKind::PrctlArgument) plan.choices = kTextOptions;
}

// Sets of descriptors or CPUs, and values of a size that another argument or the result gives.
void plan_sized_value(const SyscallArgument& argument, capture_plan& plan) {
  if (argument.kind == ArgumentKind::FdSet) {
    plan.how = kCaptureBits;
    plan.most = kMostStructBytes;
  } else if (argument.kind == ArgumentKind::CpuSet) {
    plan.how = argument.filled ? kCaptureReturned : kCaptureCounted;
    plan.most = kMostStructBytes;
  } else {
    plan.how = argument.filled ? kCaptureCountPointed : kCaptureCounted;
    plan.most = kSocketAddressBytes;
  }
}

// Buffers that are read or written. `bytes`: limit for each, 0 for none.
void plan_buffer(const SyscallArgument& argument, bool counted, unsigned bytes, capture_plan& plan) {
  if (bytes == 0) return;
  plan.most = static_cast<u16>(std::min<unsigned>(bytes, kPartBytes));
  if (argument.kind == ArgumentKind::Vectors) {
    plan.how = kCaptureVectors;
  } else if (argument.kind == ArgumentKind::Message) {
    plan.how = counted ? kCaptureMessages : kCaptureMessage;
  } else {
    plan.how = counted ? kCaptureCounted : kCaptureReturned;
    plan.most = static_cast<u16>(std::min<unsigned>(bytes, kPieceBytes));
  }
}

void plan_struct(const SyscallArgument& argument, bool counted, capture_plan& plan) {
  if (argument.layout == nullptr || argument.layout->size == 0) return;
  const u16 size = argument.layout->size;
  plan.how = counted ? kCaptureCounted : argument.count == kCountIsResult ? kCaptureReturned : kCaptureBytes;
  plan.unit = size;
  // Only complete structs, because partial ones are not shown: an array up to the limit, and always the first struct.
  plan.most = std::max<u16>(size, kMostStructBytes / size * size);
}

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
    case ArgumentKind::Strings:
    case ArgumentKind::Variables:
    case ArgumentKind::PrctlArgument:
      plan_text(argument, plan);
      break;
    case ArgumentKind::FdSet:
    case ArgumentKind::CpuSet:
    case ArgumentKind::OptionValue:
    case ArgumentKind::SocketAddress:
      plan_sized_value(argument, plan);
      break;
    case ArgumentKind::Vectors:
    case ArgumentKind::Message:
    case ArgumentKind::Buffer:
      plan_buffer(argument, counted, buffer_bytes, plan);
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
      plan_struct(argument, counted, plan);
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
