// print_address: formats bytes like %pM, %pI4, %pISpc, %pU etc.: hardware and network addresses, UUIDs, bytes and bits.
//
// `how` is the text after the letter: the "6c" of %pI6c. If there are too few bytes, prints those.
#pragma once
#include <string_view>

#include "base/bytes.h"
#include "base/text/text_buffer.h"
#include "base/types.h"

namespace peregrine {

void put_mac(TextBuffer& out, Bytes bytes, char letter, std::string_view how);      // %pM %pMF %pMR %pm
void put_ip(TextBuffer& out, Bytes bytes, char letter, std::string_view how);       // %pI4 %pi6 %pI6c
void put_sockaddr(TextBuffer& out, Bytes bytes, char letter, std::string_view how,  // %pISpc: `how` without S
                  ByteOrder order);
void put_uuid(TextBuffer& out, Bytes bytes, char how);                     // %pUb %pUL
void put_bytes(TextBuffer& out, Bytes bytes, std::string_view separator);  // %ph, __print_hex
// "3,5-9" for the first `bits` bits of words in the machine's byte order: %*pbl.
void put_bit_list(TextBuffer& out, Bytes bytes, ByteOrder order, u8 long_size, u64 bits);
// "00000000,0000000f": %*pb, __get_bitmask.
void put_bit_groups(TextBuffer& out, Bytes bytes, ByteOrder order, u8 long_size, u64 bits);

}  // namespace peregrine
