#include "data/stream/boundary.h"

#include <cstddef>

#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::data {
namespace {

using abi::RecordType;

constexpr unsigned kRun = 3;              // garbage does not show this many records in a row by chance
constexpr u16 kUnusedMisc = 0x0ff8;       // undefined bits of misc in kernel records
constexpr u16 kHighestCpumode = 5;        // guest user
constexpr std::size_t kLeastSample = 16;  // a sample with a single field

bool is_kernel(u32 type) { return type < static_cast<u32>(RecordType::UserTypeStart); }

}  // namespace

bool is_record_header(const std::byte* at, ByteOrder order) {
  const u32 type = load<u32>(at, order);
  if (!is_record_type(type)) return false;
  const u16 misc = load<u16>(at + 4, order), size = load<u16>(at + 6, order);
  if (size < abi::kRecordHeaderSize) return false;
  if (!is_kernel(type)) return true;  // sizes need not be multiples of 8 here, and some recorders leave misc unset
  if (size % 8 != 0 || (misc & kUnusedMisc) != 0 || (misc & abi::misc_bit::CpumodeMask) > kHighestCpumode) return false;
  return type != static_cast<u32>(RecordType::Sample) || size >= kLeastSample;
}

bool is_record_run(Bytes bytes, bool ended, ByteOrder order) {
  std::size_t at = 0;
  for (unsigned found = 0; found < kRun; ++found) {
    if (ended && found != 0 && at == bytes.size()) return true;
    if (at > bytes.size() || bytes.size() - at < abi::kRecordHeaderSize) return false;
    if (!is_record_header(bytes.data() + at, order)) return false;
    at += load<u16>(bytes.data() + at + 6, order);
  }
  return at <= bytes.size();
}

}  // namespace peregrine::data
