#include "data/header/header_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "abi/attr.h"
#include "abi/record_rows.h"
#include "abi/session_record.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/feature/feature_table.h"
#include "data/feature/features.h"

namespace peregrine::data {
namespace {

using abi::RecordType;
using abi::RecordView;

// HEADER_ATTR: the attr, followed by ids up to the end of the record.
Applied apply_attr(const RecordView& record, Evlist& evlist) {
  auto attr = abi::decode_attr(record.body(), record.order);
  if (!attr) return Applied::Malformed;
  ByteReader in(record.body().subspan(attr->size), record.order);
  Event event;
  event.attr = std::move(*attr);
  while (in.left() >= 8) event.ids.push_back(in.get64());
  evlist.add(std::move(event));
  return Applied::Done;
}

// Applies EVENT_UPDATE to the event with its id.
Applied apply_update(const RecordView& record, Evlist& evlist) {
  const auto decoded = abi::decode_session_record(record);
  if (!decoded || evlist.empty()) return Applied::Malformed;
  const auto& update = std::get<abi::EventUpdateRecord>(**decoded);
  // A recorder that requested no ids has none to match, so a single event is assumed to be meant.
  const u32 index = evlist.size() == 1 ? 0 : evlist.find_id(update.id);
  if (index == kNoEvent) return Applied::Malformed;
  Event& event = evlist[index];
  // clang-format off
  switch (update.what) {
    case abi::EventUpdateRecord::What::Unit: event.unit = update.text; break;
    case abi::EventUpdateRecord::What::Scale: event.scale = update.scale; break;
    case abi::EventUpdateRecord::What::Name: event.name = update.text; break;
    case abi::EventUpdateRecord::What::Cpus: event.cpus = update.cpus; break;
  }
  // clang-format on
  return Applied::Done;
}

// HEADER_EVENT_TYPE (before Linux 3.12): u64 config, char name[64]. It identifies events by config alone, which is
// only unambiguous for tracepoints; other types share config values and have known names.
Applied apply_event_type(const RecordView& record, Evlist& evlist) {
  ByteReader in(record.body(), record.order);
  const u64 config = in.get64();
  const std::string_view name = in.text(in.left());
  if (!in.ok()) return Applied::Malformed;
  evlist.name_tracepoint(config, name);
  return Applied::Done;
}

Applied apply_feature(const RecordView& record, Header& header, Evlist& evlist) {
  ByteReader in(record.body(), record.order);
  const u64 id = in.get64();
  if (!in.ok() || id >= kFeatureBits) return Applied::Malformed;
  const u32 bit = static_cast<u32>(id);
  // HEADER_LAST_FEATURE marks the end of the features. Its number grows with each release.
  if (bit > static_cast<u32>(kLastFeatureOf61) && in.left() == 0) return Applied::Done;
  add_feature(bit, in.rest(), header);
  if (bit == static_cast<u32>(FeatureId::EventDesc) || bit == static_cast<u32>(FeatureId::GroupDesc)) {
    complete_evlist(header.features, evlist);
  }
  return Applied::Done;
}

// simpleperf's TRACING_DATA: u32 size, formats. Formats that exceed the maximum record size follow as a payload.
Applied apply_simpleperf_formats(const RecordView& record, Header& header) {
  ByteReader in(record.payload.empty() ? record.body() : record.payload, record.order);
  const Bytes formats = in.take(in.get32());
  if (in.ok()) add_feature(static_cast<u32>(FeatureId::TracingData), formats, header);
  return in.ok() ? Applied::Done : Applied::Malformed;
}

void note_present(u32 id, Header& header) {
  const auto at = std::ranges::lower_bound(header.present, id);
  if (at == header.present.end() || *at != id) header.present.insert(at, id);
}

}  // namespace

void add_feature(u32 id, Bytes bytes, Header& header) {
  note_present(id, header);
  if (!decode_feature(id, bytes, header.order, header.features)) header.kept[id].assign(bytes.begin(), bytes.end());
}

void complete_evlist(const Features& features, Evlist& evlist) {
  if (features.event_desc) {
    const std::size_t count = std::min(features.event_desc->size(), evlist.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (evlist[i].name.empty()) evlist[i].name = (*features.event_desc)[i].name;
    }
  }
  if (!features.groups) return;
  for (const GroupDescription& group : *features.groups) {
    evlist.set_group(group.leader, group.members, group.name == "{anon_group}" ? "" : group.name);
  }
}

// META_INFO: key NUL value NUL … The value of event_type_info has one line "name,type,config" per event.
void name_by_simpleperf(const Header& header, Evlist& evlist) {
  constexpr u32 kMetadata = 129;
  const auto kept = header.kept.find(kMetadata);
  if (kept == header.kept.end()) return;
  ByteReader in(kept->second, header.order);
  const auto word = [&] {
    const std::string_view text = ByteReader(in.rest()).text(in.left());
    in.skip(std::min(in.left(), text.size() + 1));
    return text;
  };
  std::map<std::string, std::string, std::less<>> names;  // key: ",type,config"
  while (in.left() != 0) {
    const std::string_view key = word();
    std::string_view lines = word();
    while (key == "event_type_info" && !lines.empty()) {
      const std::string_view line = lines.substr(0, lines.find('\n'));
      lines.remove_prefix(std::min(line.size() + 1, lines.size()));
      const std::size_t config = line.rfind(','), type = line.substr(0, config).rfind(',');
      if (config != line.npos && type != line.npos) names.emplace(line.substr(type), line.substr(0, type));
    }
  }
  for (std::size_t i = 0; i < evlist.size(); ++i) {
    const abi::EventAttr& attr = evlist[i].attr;
    if (!evlist[i].is_nameless_tracepoint()) continue;
    if (const auto found = names.find(fmt::format(",{},{}", attr.type, attr.config)); found != names.end()) {
      evlist[i].name = found->second;
    }
  }
}

Applied apply_header_record(const RecordView& record, Header& header, Evlist& evlist) {
  // clang-format off
  switch (record.type) {
    case RecordType::HeaderAttr: return apply_attr(record, evlist);
    case RecordType::EventUpdate: return apply_update(record, evlist);
    case RecordType::HeaderEventType: return apply_event_type(record, evlist);
    case RecordType::HeaderFeature: return apply_feature(record, header, evlist);
    case RecordType::HeaderTracingData:
      add_feature(static_cast<u32>(FeatureId::TracingData), record.payload, header);
      return Applied::Done;
    case RecordType::HeaderBuildId:
      note_present(static_cast<u32>(FeatureId::BuildId), header);
      return decode_feature(static_cast<u32>(FeatureId::BuildId), record.bytes, record.order, header.features)
                 ? Applied::Done
                 : Applied::Malformed;
    default: break;
  }
  // clang-format on
  return static_cast<u32>(record.type) == abi::kSimpleperfTracingData ? apply_simpleperf_formats(record, header)
                                                                      : Applied::NotOurs;
}

}  // namespace peregrine::data
