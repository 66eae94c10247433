// What was read of a caller's memory for one argument of its call, as text: strings, buffers, messages, structs.
#pragma once
#include "event/syscall/call.h"
#include "output/text/format/script_text.h"

namespace peregrine {

// The call has a piece of that argument.
void put_captured(ScriptText& out, const TracedCall& call, const SyscallSignature& signature, unsigned index);

}  // namespace peregrine
