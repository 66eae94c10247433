// Where the sample-id trailer of a side-band record ends: with the record, but for records that the kernel makes too
// long.
//
// Up to linux 6.18 at least, the kernel adds the size of a trailer to KSYMBOL, BPF_EVENT and TEXT_POKE records for each
// event that gets them and does not take it off again. When several programs record, all but the first get records with
// bytes behind the trailer, left over from what the ring held before. Pure.
#pragma once
#include "abi/record.h"

namespace peregrine::abi {

// Bytes of `record` up to the end of its trailer, which has `trailer_size` bytes.
std::size_t trailer_end(const RecordView& record, std::size_t trailer_size);

}  // namespace peregrine::abi
