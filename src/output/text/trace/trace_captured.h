// The captured memory of a system call argument as text: strings, buffers, messages, structs.
#pragma once
#include "event/syscall/call.h"
#include "event/syscall/signature.h"
#include "output/text/format/script_text.h"

namespace peregrine {

// The call must have a piece for that argument.
void put_captured(ScriptText& out, const TracedCall& call, const SyscallSignature& signature, unsigned index);

}  // namespace peregrine
