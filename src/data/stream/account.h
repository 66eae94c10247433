// ReadAccount: bytes and records that reading a recording skipped, by cause. Filled by RecordStream and Reader, shown
// by cmd. The sum of `bytes`, `zeroes`, `garbage` and `cut` is the size of the data.
#pragma once
#include <array>

#include "base/types.h"

namespace peregrine::data {

struct SkippedBytes {
  u64 count = 0;  // occurrences
  u64 bytes = 0;
  u64 first_offset = 0;  // in the file
  void add(u64 offset, u64 size) {
    if (count++ == 0 || offset < first_offset) first_offset = offset;
    bytes += size;
  }
  void merge(const SkippedBytes& other) {
    if (other.count == 0) return;
    if (count == 0 || other.first_offset < first_offset) first_offset = other.first_offset;
    count += other.count;
    bytes += other.bytes;
  }
};

struct ReadAccount {
  u64 records = 0;                 // delivered, those out of COMPRESSED records included
  u64 bytes = 0;                   // of records delivered or decompressed, headers and payloads included
  std::array<u64, 128> by_type{};  // records met by type; those above 127 count under 127
  u64 compressed_bytes = 0, decompressed_bytes = 0;
  SkippedBytes zeroes;             // holes of zeroes where a record should start
  SkippedBytes garbage;            // no record starts there; passed over up to the next run of records
  SkippedBytes cut;                // the last record, or its payload, reaches beyond the end
  SkippedBytes bad_compressed;     // COMPRESSED records that do not decompress
  SkippedBytes bad_header_record;  // HEADER_ATTR, EVENT_UPDATE, … that are not what their format says
  bool unfinished = false;         // the recorder was killed
  u64 missing_bytes = 0;           // the file is that much shorter than its header says
  bool clean() const {
    return zeroes.count + garbage.count + cut.count + bad_compressed.count + bad_header_record.count == 0 &&
           !unfinished && missing_bytes == 0;
  }
};

}  // namespace peregrine::data
