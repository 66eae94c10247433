#include "data/header/pipe_records.h"

#include <bit>
#include <cstddef>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"

namespace peregrine::data {
namespace {

// HEADER_LAST_FEATURE of linux-perf 6.1, which ends the features of a pipe.
constexpr u32 kEndOfFeatures = static_cast<u32>(kLastFeatureOf61) + 1;

// Appends a record with `body`, padded to 8 bytes.
void put_record(abi::RecordType type, const ByteWriter& body, ByteWriter& out) {
  const std::size_t size = (abi::kRecordHeaderSize + body.size() + 7) / 8 * 8;
  if (size > 0xffff) return;
  out.put32(static_cast<u32>(type)).put16(0).put16(static_cast<u16>(size)).append(body.bytes());
  out.zeros(size - abi::kRecordHeaderSize - body.size());
}

// An event without ids must be the only one.
void put_update(const Event& event, u64 what, const ByteWriter& value, ByteWriter& out) {
  ByteWriter body(out.order());
  body.put64(what).put64(event.ids.empty() ? 0 : event.ids.front()).append(value.bytes());
  put_record(abi::RecordType::EventUpdate, body, out);
}

}  // namespace

void put_header_attr(const Event& event, u32 attr_size, ByteWriter& out) {
  abi::EventAttr attr = event.attr;
  attr.size = attr_size;
  ByteWriter body(out.order());
  abi::encode_attr(attr, body, out.order());
  for (const u64 id : event.ids) body.put64(id);
  put_record(abi::RecordType::HeaderAttr, body, out);
}

void put_event_updates(const Event& event, bool with_name, ByteWriter& out) {
  if (event.ids.empty()) return;
  ByteWriter value(out.order());
  if (!event.unit.empty()) {
    value.append(event.unit).put8(0);
    put_update(event, 0, value, out);
  }
  if (event.scale != 1.0) {
    value.clear();
    value.put64(std::bit_cast<u64>(event.scale));
    put_update(event, 1, value, out);
  }
  if (!event.cpus.empty()) {
    value.clear();
    value.put16(0).put16(static_cast<u16>(event.cpus.size()));
    for (const u32 cpu : event.cpus) value.put16(static_cast<u16>(cpu));
    put_update(event, 3, value, out);
  }
  if (with_name) put_event_name(event, out);
}

void put_event_name(const Event& event, ByteWriter& out) {
  if (event.name.empty()) return;
  ByteWriter value(out.order());
  value.append(event.name).put8(0);
  put_update(event, 2, value, out);
}

// The only record without padding: the feature extends to the end of the record.
void put_header_feature(u32 id, Bytes bytes, ByteWriter& out) {
  const std::size_t size = abi::kRecordHeaderSize + 8 + bytes.size();
  if (size > 0xffff) return;
  out.put32(static_cast<u32>(abi::RecordType::HeaderFeature)).put16(0).put16(static_cast<u16>(size)).put64(id);
  out.append(bytes);
}

void put_last_feature(ByteWriter& out) { put_header_feature(kEndOfFeatures, {}, out); }

// The record contains the size of the padded payload, which follows it.
void put_tracing_data(Bytes blob, ByteWriter& out) {
  const std::size_t padded = (blob.size() + 7) / 8 * 8;
  out.put32(static_cast<u32>(abi::RecordType::HeaderTracingData)).put16(0).put16(12).put32(static_cast<u32>(padded));
  out.append(blob).zeros(padded - blob.size());
}

// An entry of the feature has a record's layout with a different type.
void put_build_ids(Bytes feature, ByteWriter& out) {
  while (feature.size() >= abi::kRecordHeaderSize) {
    const std::size_t size = load<u16>(feature.data() + 6, out.order());
    if (size < abi::kRecordHeaderSize || size > feature.size()) break;
    out.put32(static_cast<u32>(abi::RecordType::HeaderBuildId)).append(feature.subspan(4, size - 4));
    feature = feature.subspan(size);
  }
}

}  // namespace peregrine::data
