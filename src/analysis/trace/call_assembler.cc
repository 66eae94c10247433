#include "analysis/trace/call_assembler.h"

#include <array>
#include <string_view>
#include <utility>

#include "base/types.h"
#include "event/syscall/signature.h"

namespace peregrine {

CallAssembler::CallAssembler(const Signatures& signatures, CallFilter filter, CallReader& reader)
    : signatures_(signatures), filter_(std::move(filter)), reader_(reader) {}

bool CallAssembler::interrupt() {
  if (filter_.whole) return true;
  const auto found = pending_.find(current_);
  if (found == pending_.end() || !found->second.inside || found->second.told) return true;
  found->second.told = true;
  return reader_.interrupted(found->second.call);
}

bool CallAssembler::enter(i32 pid, i32 tid, u64 time, u32 number, const std::array<u64, kMostArguments>& arguments,
                          i32 cpu) {
  if (!is_chosen(number)) {
    pending_[tid].inside = false;
    return true;
  }
  if (!interrupt()) return false;
  Pending& pending = pending_[tid];
  pending.call = {.set = signatures_.set(),
                  .number = number,
                  .pid = pid,
                  .tid = tid,
                  .cpu = cpu,
                  .start = time,
                  .arguments = arguments,
                  .piece = {}};
  pending.inside = true;
  pending.told = false;
  current_ = tid;
  const std::string_view name = signatures_.of(number).name;
  if (name != "exit" && name != "exit_group") return true;
  pending.inside = false;
  pending.call.unended = true;
  return reader_.call(pending.call);
}

bool CallAssembler::leave(i32 pid, i32 tid, u64 time, u32 number, i64 result, i32 cpu) {
  if (!is_chosen(number)) return true;
  Pending& pending = pending_[tid];
  TracedCall& call = pending.call;
  if (!pending.inside || call.number != number) {
    call = {.set = signatures_.set(), .number = number, .pid = pid, .tid = tid, .start = time, .piece = {}};
    call.continued = true;
  }
  call.resumed = pending.inside && pending.told;
  pending.inside = false;
  call.duration = time > call.start ? time - call.start : 0;
  call.result = result;
  call.cpu = cpu;
  return reader_.call(call);
}

}  // namespace peregrine
