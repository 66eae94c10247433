#include "pipeline/rewrite/copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/record_table.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/feature/feature_table.h"
#include "data/feature/features.h"
#include "data/header.h"
#include "data/header/evlist.h"
#include "data/header/file_header.h"
#include "data/header/header_record.h"

namespace peregrine {
namespace {

using abi::RecordType;
using data::FeatureId;

constexpr u64 kMaxInRecord = 0xffff - 2 * abi::kRecordHeaderSize;  // the largest feature that fits into a record

constexpr u32 number(FeatureId id) { return static_cast<u32>(id); }

// simpleperf has records that are longer than a RecordView can be. For these the reader returns the header, with a size
// of 8, and the rest as the payload; misc holds the upper half of the size.
bool is_long(const abi::RecordView& record) {
  return abi::is_simpleperf(static_cast<u32>(record.type)) && record.misc != 0;
}

// Features that describe the on-disk layout of the original, which a copy does not share.
bool is_of_the_layout(u32 id) {
  return id == data::kReservedFeature || data::feature_has(id, data::feature_trait::OfTheLayout);
}

}  // namespace

Result<RecordingCopy> RecordingCopy::begin(data::Reader& reader, data::CopyWriter writer, Attrs attrs,
                                           FeatureEdits edits) {
  RecordingCopy copy(reader, std::move(writer), attrs, std::move(edits));
  PEREGRINE_TRY(copy.begin_output());
  return copy;
}

Result<> RecordingCopy::begin_output() {
  events_ = reader_->evlist().size();
  // The preamble may contain features too, so it is copied verbatim only if no feature is edited.
  const bool edited = !edits_.changed.empty() || !edits_.left_out.empty();
  if (from_pipe() == to_pipe() && attrs_ == Attrs::Original && (from_pipe() || !edited)) {
    const auto preamble = reader_->read_preamble();
    if (!preamble) return std::unexpected(preamble.error());
    same_preamble_ = !preamble->empty();
    if (same_preamble_) return writer_.begin(*preamble);
  }
  if (to_pipe()) return begin_pipe();
  return writer_.begin(reader_->evlist(), {});
}

bool RecordingCopy::leaves_out(u32 feature) const {
  if (is_of_the_layout(feature) || std::ranges::find(edits_.left_out, feature) != edits_.left_out.end()) return true;
  if (feature == number(FeatureId::EventDesc)) return attrs_ != Attrs::Original;
  return attrs_ == Attrs::Changed && feature == number(FeatureId::Auxtrace);
}

Result<> RecordingCopy::begin_pipe() {
  std::vector<data::FeatureBytes> features;
  for (const data::FeatureSection& section : reader_->header().sections) {
    if (leaves_out(section.id)) continue;
    if (const auto changed = edits_.changed.find(section.id); changed != edits_.changed.end()) {
      features.push_back({section.id, changed->second});
      continue;
    }
    const bool whole = section.id == number(FeatureId::TracingData) || section.id == number(FeatureId::BuildId);
    if (!whole && section.size > kMaxInRecord) {
      notes_.push_back(
          fmt::format("feature {} ({} bytes) is too large for a pipe", data::feature_name(section.id), section.size));
      continue;
    }
    auto bytes = reader_->read_feature(section.id);
    if (!bytes) return std::unexpected(bytes.error());
    features.push_back({section.id, std::move(*bytes)});
  }
  return writer_.begin(reader_->evlist(), features);
}

Result<> RecordingCopy::put(const abi::RecordView& record) {
  if (from_pipe() && abi::record_has(record.type, abi::record_trait::OfTheHeader) && !keep_header_record(record))
    return {};
  if (reader_->has_old_numbers() && !keep_old_feature(record)) return {};
  if (record.type == RecordType::Auxtrace || !record.payload.empty() || is_long(record)) return put_payload(record);
  // A tracing-data record without a payload was too large to read; the reader has counted and skipped it.
  if (record.type != RecordType::HeaderTracingData) add(record.bytes);
  return {};
}

// Old pipes sent features under record numbers that have a different meaning in files, so they become sections.
bool RecordingCopy::keep_old_feature(const abi::RecordView& record) {
  const auto feature = data::old_feature(record.type);
  if (to_pipe() || !feature) return true;
  received_[*feature] = {record.body().begin(), record.body().end()};
  return false;
}

// Returns true if a record that describes the recording stays a record. In a file it becomes a section instead.
bool RecordingCopy::keep_header_record(const abi::RecordView& record) {
  const bool feature = record.type == RecordType::HeaderFeature && record.body().size() >= 8;
  const u64 id = feature ? load<u64>(record.body().data(), record.order) : 0;
  if (to_pipe()) return !feature || id >= data::kFeatureBits || !is_of_the_layout(static_cast<u32>(id));
  const Bytes body = feature ? record.body().subspan(8) : Bytes();
  if (feature && id < data::kFeatureBits && !is_of_the_layout(static_cast<u32>(id))) {
    // HEADER_LAST_FEATURE ends the features; its number depends on the recorder's version.
    if (!body.empty() || id < number(FeatureId::EMachine)) received_[static_cast<u32>(id)] = {body.begin(), body.end()};
  } else if (record.type == RecordType::HeaderTracingData) {
    received_[number(FeatureId::TracingData)] = {record.payload.begin(), record.payload.end()};
  } else if (record.type == RecordType::HeaderBuildId) {
    auto& table = received_[number(FeatureId::BuildId)];
    ByteWriter type(record.order);
    type.put32(0);
    table.insert(table.end(), type.bytes().begin(), type.bytes().end());
    table.insert(table.end(), record.bytes.begin() + 4, record.bytes.end());
  }
  return false;
}

// Writes the record and then its payload.
Result<> RecordingCopy::put_payload(const abi::RecordView& record) {
  PEREGRINE_TRY(flush());
  if (record.type == RecordType::Auxtrace) traces_.push_back({record.offset, writer_.place(), record.bytes.size()});
  if (is_long(record)) {
    const u64 whole =
        abi::kRecordHeaderSize + (record.payload.empty() ? reader_->payload_size() : record.payload.size());
    if (whole >> 16 != record.misc) {
      notes_.push_back(fmt::format("skipped simpleperf record at offset {}", record.offset));
      return {};
    }
    ByteWriter header(record.order);
    header.put32(static_cast<u32>(record.type)).put16(record.misc).put16(static_cast<u16>(whole));
    PEREGRINE_TRY(writer_.append(header.bytes()));
  } else {
    PEREGRINE_TRY(writer_.append(record.bytes));
  }
  if (!record.payload.empty()) return writer_.append(record.payload);
  for (Bytes piece = reader_->next_payload(); !piece.empty(); piece = reader_->next_payload())
    PEREGRINE_TRY(writer_.append(piece));
  return {};
}

void RecordingCopy::add_round() {
  ByteWriter record(reader_->header().order);
  record.put32(static_cast<u32>(RecordType::FinishedRound)).put16(0).put16(abi::kRecordHeaderSize);
  add(record.bytes());
}

Result<> RecordingCopy::flush(Bytes first) {
  PEREGRINE_TRY(writer_.append(first));
  PEREGRINE_TRY(writer_.append(waiting_));
  waiting_.clear();
  return {};
}

Result<> RecordingCopy::finish(const FeatureMap& changed) {
  PEREGRINE_TRY(flush());
  if (to_pipe()) return {};
  if (reader_->evlist().size() != events_) {
    return fail(ErrorKind::Unsupported, "{}: cannot write a file: an event is defined after the first record",
                reader_->path());
  }
  return write_features(changed);
}

// The AUX trace index holds file offsets, which change when the traces move. Empty if none moved.
std::vector<std::byte> RecordingCopy::moved_index() const {
  const auto& index = reader_->header().features.auxtrace;
  const auto moved = [](const Moved& trace) { return trace.from != trace.to; };
  if (!index || std::ranges::none_of(traces_, moved)) return {};
  data::Features features;
  features.auxtrace.emplace();
  for (data::AuxtraceIndexEntry entry : *index) {
    const auto found = std::ranges::find(traces_, entry.offset, &Moved::from);
    if (found == traces_.end()) continue;
    entry.offset = found->to;
    features.auxtrace->push_back(entry);
  }
  return data::encode_feature(number(FeatureId::Auxtrace), features, reader_->header().order)
      .value_or(std::vector<std::byte>());
}

// A pipe has no AUX trace index, but readers of a file require one. Empty without traces.
std::vector<std::byte> RecordingCopy::index_of_pipe() const {
  if (!from_pipe() || traces_.empty() || attrs_ == Attrs::Changed) return {};
  data::Features features;
  features.auxtrace.emplace();
  for (const Moved& trace : traces_) features.auxtrace->push_back({trace.to, trace.size});
  return data::encode_feature(number(FeatureId::Auxtrace), features, reader_->header().order)
      .value_or(std::vector<std::byte>());
}

// Features that replace the original's because the copy was made in another way.
Result<RecordingCopy::FeatureMap> RecordingCopy::features_made_here() const {
  FeatureMap made = received_;
  if (auto index = moved_index(); !index.empty()) made[number(FeatureId::Auxtrace)] = std::move(index);
  if (auto index = index_of_pipe(); !index.empty()) made[number(FeatureId::Auxtrace)] = std::move(index);
  const data::Header& header = reader_->header();
  const auto named = [](const data::Event& event) { return !event.name.empty(); };
  // The event names arrived as records, or in a table that only old files have.
  const bool described = header.features.event_desc && attrs_ == Attrs::Original;
  if (same_preamble_ || described || std::ranges::none_of(reader_->evlist(), named)) return made;
  data::Features features;
  features.event_desc.emplace();
  for (const data::Event& event : reader_->evlist())
    features.event_desc->push_back({event.attr, event.name, event.ids});
  if (auto bytes = data::encode_feature(number(FeatureId::EventDesc), features, header.order))
    made[number(FeatureId::EventDesc)] = std::move(*bytes);
  return made;
}

Result<> RecordingCopy::write_features(const FeatureMap& changed) {
  auto made = features_made_here();
  if (!made) return std::unexpected(made.error());
  for (const FeatureMap& edited : {edits_.changed, changed}) {
    for (const auto& [id, bytes] : edited)
      if (!leaves_out(id)) (*made)[id] = bytes;
  }
  std::map<u32, u64> sizes;
  u64 copied = 0, end = 0;
  for (const data::FeatureSection& section : reader_->header().sections) {
    if (leaves_out(section.id) || made->contains(section.id)) continue;
    sizes[section.id] = section.size;
    copied += section.size;
    end = std::max(end, section.offset + section.size);
  }
  if (copied > end) return fail(ErrorKind::Malformed, "{}: the feature sections overlap", reader_->path());
  for (const auto& [id, bytes] : *made) sizes[id] = bytes.size();
  std::vector<data::FeatureSize> table;
  for (const auto& [id, size] : sizes) table.push_back({id, size});
  PEREGRINE_TRY(writer_.begin_features(table));
  for (const data::FeatureSize& feature : table) {
    if (const auto found = made->find(feature.id); found != made->end()) {
      PEREGRINE_TRY(writer_.append_feature(found->second));
    } else {
      PEREGRINE_TRY(reader_->stream_feature(feature.id, [&](Bytes piece) { return writer_.append_feature(piece); }));
    }
  }
  return writer_.end();
}

}  // namespace peregrine
