// RecordTable: the rows of record_rows.h with their decoders.
//
// The functions take rows, so that a test can pass a table with a record that no kernel writes.
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/session_record.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine::abi {

// The body of a side-band record while it is decoded.
struct SideBandInput {
  const RecordView& record;
  const EventAttr& attr;  // of its event
  SideBandScratch& scratch;
  ByteReader in;
  const char* fault = nullptr;  // a decoder sets it if the body is malformed in a way that `in` does not notice

  bool misc(u16 bit) const { return (record.misc & bit) != 0; }
  // Takes a string that must end within the record. Padding to 8 bytes follows, so the next field's offset is unknown.
  std::string_view text();
};

struct RecordRow {
  RecordType type{};
  std::string_view name;
  // At most one of the two. An empty result: a count exceeds the body.
  SideBandBody (*side_band)(SideBandInput& input) = nullptr;
  std::optional<SessionRecord> (*session)(ByteReader& in) = nullptr;
  unsigned traits = 0;
};

// The real types, ascending by number.
std::span<const RecordRow> record_table();
// nullptr if the type has no row. `rows` must be ascending by number.
const RecordRow* find_record(RecordType type, std::span<const RecordRow> rows = record_table());
// False for types without a row.
bool record_has(RecordType type, unsigned trait);

// decode_side_band() and decode_session_record() for other rows than the real ones.
Result<std::optional<SideBand>> decode_side_band(const RecordView& record, const EventAttr& attr,
                                                 SideBandScratch& scratch, std::span<const RecordRow> rows);
Result<std::optional<SessionRecord>> decode_session_record(const RecordView& record, std::span<const RecordRow> rows);

// Declares the decoders that the rows name.
#define PEREGRINE_DECLARE_SIDE_BAND(decoder) SideBandBody side_band_##decoder(SideBandInput& b);
#define PEREGRINE_DECLARE_SESSION(decoder) std::optional<SessionRecord> session_##decoder(ByteReader& in);
#define PEREGRINE_DECLARE_PLAIN(decoder)
#define PEREGRINE_DECLARE(type, number, name, kind, decoder, traits) PEREGRINE_DECLARE_##kind(decoder)
PEREGRINE_RECORD_ROWS(PEREGRINE_DECLARE)
#undef PEREGRINE_DECLARE
#undef PEREGRINE_DECLARE_SIDE_BAND
#undef PEREGRINE_DECLARE_SESSION
#undef PEREGRINE_DECLARE_PLAIN

}  // namespace peregrine::abi
