#include "abi/record_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>

#include "base/types.h"

namespace peregrine::abi {
namespace {

#define PEREGRINE_DECODERS_SIDE_BAND(decoder) side_band_##decoder, nullptr
#define PEREGRINE_DECODERS_SESSION(decoder) nullptr, session_##decoder
#define PEREGRINE_DECODERS_PLAIN(decoder) nullptr, nullptr
#define PEREGRINE_ROW(type, number, name, kind, decoder, traits) \
  RecordRow{RecordType::type, name, PEREGRINE_DECODERS_##kind(decoder), traits},
constexpr std::array kRecords = [] {
  using namespace record_trait;
  return std::array{PEREGRINE_RECORD_ROWS(PEREGRINE_ROW)};
}();
#undef PEREGRINE_ROW
#undef PEREGRINE_DECODERS_PLAIN
#undef PEREGRINE_DECODERS_SESSION
#undef PEREGRINE_DECODERS_SIDE_BAND

static_assert(std::ranges::is_sorted(kRecords, std::ranges::less(), &RecordRow::type) &&
                  std::ranges::adjacent_find(kRecords, std::ranges::equal_to(), &RecordRow::type) == kRecords.end(),
              "record_rows.h: sort the rows by number, and give each type a number that no other has");

}  // namespace

std::span<const RecordRow> record_table() { return kRecords; }

// The kernel's types have no gaps, so that the usual record costs one comparison instead of a search.
const RecordRow* find_record(RecordType type, std::span<const RecordRow> rows) {
  const std::size_t guess = static_cast<u32>(type) - std::size_t{1};
  if (guess < rows.size() && rows[guess].type == type) return &rows[guess];
  const auto found = std::ranges::lower_bound(rows, type, std::ranges::less(), &RecordRow::type);
  return found == rows.end() || found->type != type ? nullptr : &*found;
}

bool record_has(RecordType type, unsigned trait) {
  const RecordRow* row = find_record(type);
  return row != nullptr && (row->traits & trait) != 0;
}

std::string_view record_type_name(RecordType type) {
  const RecordRow* row = find_record(type);
  return row != nullptr ? row->name : "UNKNOWN";
}

bool is_unknown(RecordType type) { return !is_simpleperf(static_cast<u32>(type)) && find_record(type) == nullptr; }

}  // namespace peregrine::abi
