// Codecs of the feature sections: bytes ↔ values, one file per format in the folders below. Their rows are in
// feature_rows.h.
//
// A decoder gets the section and adds its value to Features; it returns false and adds nothing if the section is
// invalid. An encoder appends the section; it returns false if there is no such value. Strings: u32 length, padded
// with NULs to a multiple of 64. Formats: docs/perf-data.md, "Features".
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/feature/features.h"

namespace peregrine::data {

std::string get_string(ByteReader& in);
void put_string(ByteWriter& out, std::string_view text);
// Takes a u32 count. Sets ok() to false if the section is too short for that many elements of at least `least` bytes.
u32 get_count(ByteReader& in, std::size_t least);

// Declares the two functions of each feature with a custom format.
#define PEREGRINE_DECLARE_OWN(value)                       \
  bool decode_##value(ByteReader& in, Features& features); \
  bool encode_##value(const Features& features, ByteWriter& out);
#define PEREGRINE_DECLARE_TEXT(value)
#define PEREGRINE_DECLARE_WORD(value)
#define PEREGRINE_DECLARE_FLAG(value)
#define PEREGRINE_DECLARE(id, number, name, kind, value, source, traits) PEREGRINE_DECLARE_##kind(value)
PEREGRINE_FEATURE_ROWS(PEREGRINE_DECLARE)
#undef PEREGRINE_DECLARE
#undef PEREGRINE_DECLARE_OWN
#undef PEREGRINE_DECLARE_TEXT
#undef PEREGRINE_DECLARE_WORD
#undef PEREGRINE_DECLARE_FLAG

}  // namespace peregrine::data
