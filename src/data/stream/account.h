// ReadAccount: bytes and records that reading a recording skipped, by cause. Filled by RecordStream and Reader, shown
// by cmd. The sum of `bytes`, `zeroes`, `garbage` and `cut` is the size of the data.
#pragma once
#include <array>

#include "base/types.h"

namespace peregrine::data {

struct SkippedBytes {
  u64 count = 0;  // occurrences
  u64 bytes = 0;
  u64 first_offset = 0;  // offset in the file
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
  u64 records = 0;                 // delivered, including those from COMPRESSED records
  u64 bytes = 0;                   // of records delivered or decompressed, including headers and payloads
  std::array<u64, 128> by_type{};  // records read by type; types above 127 count as 127
  u64 compressed_bytes = 0, decompressed_bytes = 0;
  SkippedBytes zeroes;             // holes of zeroes where a record should start
  SkippedBytes garbage;            // not records; skipped up to the next run of records
  SkippedBytes cut;                // the last record or its payload extends beyond the end
  SkippedBytes bad_compressed;     // COMPRESSED records that do not decompress
  SkippedBytes bad_header_record;  // HEADER_ATTR, EVENT_UPDATE, … with invalid contents
  bool unfinished = false;         // the recorder was killed
  u64 missing_bytes = 0;           // bytes missing from the size that the header promised
  bool clean() const {
    return zeroes.count + garbage.count + cut.count + bad_compressed.count + bad_header_record.count == 0 &&
           !unfinished && missing_bytes == 0;
  }
};

}  // namespace peregrine::data
