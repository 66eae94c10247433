// RecordEncoder: writes records into a buffer: header, body, padding, and a zeroed sample-id trailer.
//
// linux-perf also zeroes the trailer of synthesized side-band: time 0 sorts before all recorded samples, id 0 means the
// first event.
#pragma once
#include <cstddef>
#include <string_view>

#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {

class RecordEncoder {
 public:
  RecordEncoder(ByteWriter& out, abi::RecordType type, u16 misc) : out_(out), start_(out.size()) {
    out_.put32(static_cast<u32>(type)).put16(misc).put16(0);
  }
  RecordEncoder(const RecordEncoder&) = delete;
  RecordEncoder& operator=(const RecordEncoder&) = delete;

  ByteWriter& body() { return out_; }
  // A string with its NUL, padded to 8 bytes.
  void text(std::string_view value) { out_.append(value).zeros(8 - value.size() % 8); }
  // Ends the record. Returns false, and drops it, if it exceeds the maximum record size.
  bool end(std::size_t trailer_size = 0) {
    out_.zeros((8 - (out_.size() - start_) % 8) % 8 + trailer_size);
    const std::size_t size = out_.size() - start_;
    if (size > 0xffff) {
      out_.truncate(start_);
      return false;
    }
    out_.patch(start_ + 6, static_cast<u16>(size));
    return true;
  }

 private:
  ByteWriter& out_;
  std::size_t start_;
};

}  // namespace peregrine
