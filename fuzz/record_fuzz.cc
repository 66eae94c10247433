// One attr, followed by records of its event: samples and side-band in both byte orders.
#include <algorithm>
#include <cstddef>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/sample.h"
#include "abi/session_record.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "base/result.h"
#include "input.h"

namespace peregrine {

namespace {

void decode_records(Bytes bytes, const abi::EventAttr& attr, ByteOrder order) {
  const abi::SampleDecoder decoder(attr, order);
  abi::SampleScratch scratch;
  abi::SideBandScratch side_band_scratch;
  while (bytes.size() >= abi::kRecordHeaderSize) {
    ByteReader in(bytes, order);
    abi::RecordView record{
        .type = static_cast<abi::RecordType>(in.get32()), .misc = in.get16(), .bytes = {}, .order = order};
    const std::size_t size = in.get16();
    if (size < abi::kRecordHeaderSize || size > bytes.size()) return;
    record.bytes = bytes.first(size);
    bytes = bytes.subspan(size);
    if (!abi::decode_session_record(record)) continue;
    abi::Sample sample;
    if (record.type == abi::RecordType::Sample) {
      decoder.decode(record, sample, scratch);
    } else if (!abi::decode_side_band(record, attr, side_band_scratch)) {
      continue;
    }
  }
}

}  // namespace

void fuzz_record(Bytes bytes) {
  for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
    const Result<abi::EventAttr> attr = abi::decode_attr(bytes, order);
    if (attr) decode_records(bytes.subspan(std::min<std::size_t>(bytes.size(), (attr->size + 7u) & ~7u)), *attr, order);
  }
}

}  // namespace peregrine
