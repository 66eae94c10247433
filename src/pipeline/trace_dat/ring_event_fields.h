// RingEventFields: the fields that a trace.dat file's events share, and the events of ftrace that describe others:
// stacks, and functions with their callers.
//
// `formats` must outlive this. Events are untrusted: what exceeds them reads as 0.
#pragma once
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/tracepoint/tracing_data.h"

namespace peregrine {

enum class StackKind : u8 { None, Kernel, User };

class RingEventFields {
 public:
  explicit RingEventFields(const TracingData& formats);

  u32 id(Bytes event) const;  // of the tracepoint
  u32 tid(Bytes event) const;
  StackKind stack_kind(Bytes event) const;
  // Appends the return addresses of an event that is a stack.
  void take_stack(Bytes event, StackKind kind, std::vector<u64>& chain) const;
  // The function that an event is about, 0 if none; `parent`: its caller.
  u64 function(Bytes event, u64& parent) const;
  bool has_functions(u32 id) const;

 private:
  struct Function {
    u32 id = 0;
    const TraceField *function = nullptr, *parent = nullptr;
  };
  struct Stack {
    u32 id = 0;
    const TraceField *callers = nullptr, *count = nullptr;  // no count: up to the end or an address of ~0
  };
  const Function* find_function(u32 id) const;

  ByteOrder order_;
  u32 long_size_;
  const TraceField *type_ = nullptr, *pid_ = nullptr;
  Stack kernel_, user_;
  std::vector<Function> functions_;
};

}  // namespace peregrine
