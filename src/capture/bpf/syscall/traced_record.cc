#include "capture/bpf/syscall/traced_record.h"

#include <string.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"
#include "base/types.h"
#include "sys/process/process.h"

namespace peregrine {
namespace {

bool deliver_call(const traced_call& record, Bytes payload, const CallerStack* caller, CallReader& reader) {
  TracedCall call;
  call.set = abi::syscall_set(abi::kHostArch, (record.flags & kTracedCompat) != 0);
  call.number = record.number;
  call.pid = static_cast<i32>(record.pid);
  call.tid = static_cast<i32>(record.tid);
  call.cpu = record.cpu;
  call.start = record.start;
  call.duration = record.duration;
  call.result = record.result;
  // Results of 32-bit processes have 32 bits: sign-extend them.
  if ((record.flags & kTracedCompat) != 0) call.result = static_cast<i32>(record.result);
  call.continued = (record.flags & kTracedContinued) != 0;
  call.unended = (record.flags & kTracedUnended) != 0;
  call.caller = caller;
  std::copy(std::begin(record.arguments), std::end(record.arguments), call.arguments.begin());
  while (payload.size() >= sizeof(captured_piece) && call.pieces < call.piece.size()) {
    captured_piece head;
    std::memcpy(&head, payload.data(), sizeof head);
    const std::size_t whole = (sizeof head + head.bytes + 7) & ~std::size_t{7};
    if (whole > payload.size()) break;
    call.piece[call.pieces++] = {head.argument, head.cut != 0, payload.subspan(sizeof head, head.bytes)};
    payload = payload.subspan(whole);
  }
  return reader.call(call);
}

CallerStack caller_of(const traced_caller& record, Bytes behind) {
  CallerStack caller;
  Bytes words = behind.first(std::min<std::size_t>(behind.size(), record.bytes));
  const std::size_t registers = kStackRegisters * sizeof(u64);
  const bool has_stack = record.kind == kTracedStack && words.size() >= registers;
  if (has_stack) {
    caller.stack.assign(words.begin() + registers, words.end());
    words = words.first(registers);
  }
  auto& read = has_stack ? caller.registers : caller.frames;
  read.resize(words.size() / sizeof(u64));
  std::memcpy(read.data(), words.data(), read.size() * sizeof(u64));
  return caller;
}

}  // namespace

bool deliver_traced(Bytes bytes, TracedDelivery& delivery) {
  auto& [reader, callers] = delivery;
  const auto* data = bytes.data();
  const auto kind = static_cast<u8>(bytes[0]);
  if (kind == kTracedCall && bytes.size() >= sizeof(traced_call)) {
    const auto* record = reinterpret_cast<const traced_call*>(data);
    const Bytes payload = bytes.subspan(sizeof *record);
    if (callers.empty()) return deliver_call(*record, payload, nullptr, *reader);
    const auto caller = callers.extract(static_cast<i32>(record->tid));
    return deliver_call(*record, payload, caller.empty() ? nullptr : &caller.mapped(), *reader);
  }
  if (kind == kTracedName && bytes.size() >= sizeof(traced_name)) {
    const auto* name = reinterpret_cast<const traced_name*>(data);
    reader->name(static_cast<Pid>(name->pid), static_cast<Pid>(name->tid),
                 std::string_view(name->comm, ::strnlen(name->comm, sizeof name->comm)));
  } else if (bytes.size() >= sizeof(traced_caller)) {
    const auto* record = reinterpret_cast<const traced_caller*>(data);
    callers[static_cast<i32>(record->tid)] = caller_of(*record, bytes.subspan(sizeof *record));
  }
  return true;
}

CallSum call_sum_of(const call_key& key, const call_sum& sum, bool by_thread) {
  return {.tid = by_thread ? static_cast<Pid>(key.tid) : 0,
          .cgroup = key.cgroup,
          .set = abi::syscall_set(abi::kHostArch, key.number >= kTracedCalls),
          .number = u32{key.number} % kTracedCalls,
          .error = key.error,
          .calls = sum.calls,
          .errors = sum.errors,
          .total = sum.total,
          .least = sum.least,
          .most = sum.most,
          .squares = static_cast<double>(sum.squares_high) * 4294967296.0 + static_cast<double>(sum.squares_low)};
}

}  // namespace peregrine
