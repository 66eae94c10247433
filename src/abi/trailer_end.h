// Finds the end of a side-band record's sample-id trailer. It is the end of the record, unless the kernel made the
// record too long.
//
// For each event that receives a KSYMBOL, BPF_EVENT or TEXT_POKE record, the kernel (at least up to linux 6.18) adds
// the trailer's size to the record's and never subtracts it again. If several programs record, all but the first
// therefore get records with stale ring bytes after the trailer. Pure.
#pragma once
#include <cstddef>

#include "abi/record.h"

namespace peregrine::abi {

// Bytes of `record` up to the end of its trailer of `trailer_size` bytes.
std::size_t trailer_end(const RecordView& record, std::size_t trailer_size);

}  // namespace peregrine::abi
