#include "pipeline/trace_dat/ring_event_fields.h"

#include <algorithm>
#include <cstddef>

#include "event/field/trace_value.h"

namespace peregrine {

RingEventFields::RingEventFields(const TracingData& formats)
    : order_(formats.order), long_size_(formats.long_size == 4 ? 4 : 8) {
  for (const TraceFormat& format : formats.formats) {
    if (type_ == nullptr) type_ = format.find("common_type");
    if (pid_ == nullptr) pid_ = format.find("common_pid");
    if (format.system != "ftrace") continue;
    if (format.name == "kernel_stack") kernel_ = {format.id, format.find("caller"), format.find("size")};
    if (format.name == "user_stack") user_ = {format.id, format.find("caller"), nullptr};
    const TraceField* function = format.find("ip");
    if (function == nullptr) function = format.find("func");
    if (function != nullptr) functions_.push_back({format.id, function, format.find("parent_ip")});
  }
}

u32 RingEventFields::id(Bytes event) const {
  return static_cast<u32>(type_ != nullptr ? number_of(*type_, event, order_) : load_number(event, 0, 2, order_));
}

u32 RingEventFields::tid(Bytes event) const {
  return static_cast<u32>(pid_ != nullptr ? number_of(*pid_, event, order_) : load_number(event, 4, 4, order_));
}

StackKind RingEventFields::stack_kind(Bytes event) const {
  if (kernel_.callers == nullptr && user_.callers == nullptr) return StackKind::None;
  const u32 number = id(event);
  if (kernel_.callers != nullptr && number == kernel_.id) return StackKind::Kernel;
  return user_.callers != nullptr && number == user_.id ? StackKind::User : StackKind::None;
}

void RingEventFields::take_stack(Bytes event, StackKind kind, std::vector<u64>& chain) const {
  const Stack& stack = kind == StackKind::Kernel ? kernel_ : user_;
  if (stack.callers == nullptr || stack.callers->offset >= event.size()) return;
  u64 count = (event.size() - stack.callers->offset) / long_size_;
  if (stack.count != nullptr) count = std::min(count, number_of(*stack.count, event, order_));
  const u64 end = long_size_ == 4 ? u64{0xffffffff} : ~u64{0};
  for (u64 i = 0; i < count; ++i) {
    const u64 address = load_number(event, stack.callers->offset + i * long_size_, long_size_, order_);
    if (address == end || address == 0) break;
    chain.push_back(address);
  }
}

const RingEventFields::Function* RingEventFields::find_function(u32 id) const {
  const auto found = std::ranges::find(functions_, id, &Function::id);
  return found == functions_.end() ? nullptr : &*found;
}

bool RingEventFields::has_functions(u32 id) const { return find_function(id) != nullptr; }

u64 RingEventFields::function(Bytes event, u64& parent) const {
  parent = 0;
  const Function* found = find_function(id(event));
  if (found == nullptr) return 0;
  if (found->parent != nullptr) parent = load_number(event, found->parent->offset, found->parent->size, order_);
  return load_number(event, found->function->offset, found->function->size, order_);
}

}  // namespace peregrine
