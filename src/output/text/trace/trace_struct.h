// Structs of the caller's memory as text: { .tv_sec: 1, .tv_nsec: 0 }; socket addresses too.
#pragma once
#include "base/bytes.h"
#include "event/syscall/struct_layout.h"
#include "output/text/format/script_text.h"

namespace peregrine {

// One struct, or as many as there are bytes for, then in [ ].
void put_structs(ScriptText& out, const StructLayout& layout, Bytes bytes, bool array, bool cut);
// [0, 3-5]: which of the first `count` bits are set.
void put_bits(ScriptText& out, Bytes bits, u32 count, bool cut);
// { .family: INET, port: 53, addr: 127.0.0.1 }
void put_socket_address(ScriptText& out, Bytes bytes);

}  // namespace peregrine
