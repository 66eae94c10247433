// Structs in the caller's memory as text: { .tv_sec: 1, .tv_nsec: 0 }; and socket addresses.
#pragma once
#include "base/bytes.h"
#include "base/types.h"
#include "event/syscall/struct_layout.h"
#include "output/text/format/script_text.h"

namespace peregrine {

// One struct, or in [ ] as many as there are bytes for.
void put_structs(ScriptText& out, const StructLayout& layout, Bytes bytes, bool array, bool cut);
// [0, 3-5]: the set bits among the first `count`.
void put_bits(ScriptText& out, Bytes bits, u32 count, bool cut);
// { .family: INET, port: 53, addr: 127.0.0.1 }
void put_socket_address(ScriptText& out, Bytes bytes);

}  // namespace peregrine
