#include "recording_parts.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/types.h"

namespace peregrine {

namespace {

constexpr std::string_view kMagic = "PERFILE2";
constexpr std::size_t kHeaderSize = 104, kPipeHeaderSize = 16, kRecordHeader = 8;
constexpr u32 kFeatureBits = 256, kTracingDataFeature = 1;

u64 load64(Bytes bytes, std::size_t at) {
  return at + 8 <= bytes.size() ? load<u64>(bytes.data() + at, ByteOrder::Little) : 0;
}
u32 load32(Bytes bytes, std::size_t at) {
  return at + 4 <= bytes.size() ? load<u32>(bytes.data() + at, ByteOrder::Little) : 0;
}

// The available part of the bytes.
Bytes clipped(Bytes bytes, u64 offset, u64 size) {
  if (offset >= bytes.size()) return {};
  return bytes.subspan(offset, std::min<u64>(size, bytes.size() - offset));
}

RecordingParts::Piece piece(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

u64 padded(u64 size) { return (size + 7) & ~u64{7}; }

// A record's bytes, including those that follow header.size.
std::size_t whole_size(Bytes rest) {
  const std::size_t size = load<u16>(rest.data() + 6, ByteOrder::Little);
  const u32 type = load32(rest, 0);
  u64 payload = 0;
  if (type == kTracingDataRecord) payload = padded(load32(rest, kRecordHeader));
  if (type == kAuxtraceRecord) payload = load64(rest, kRecordHeader);
  return size + std::min<u64>(payload, rest.size() - std::min<u64>(size, rest.size()));
}

// Walks the parts of a sample.
class SampleWalk {
 public:
  SampleWalk(const RecordingParts::Piece& record, std::vector<RecordField>& out) : record_(record), out_(out) {}

  void field(MutableKind kind, std::size_t width = 8) {
    if (at_ + width <= record_.size()) out_.push_back({.offset = at_, .width = width, .kind = kind});
    at_ = std::min(at_ + width, record_.size());
  }
  void fields(MutableKind kind, u64 count) {
    for (u64 n = 0; n < std::min<u64>(count, 512); ++n) field(kind);
  }
  // A number of 8 bytes, and the field for it.
  u64 count(MutableKind kind = MutableKind::Count) {
    const u64 value = load64(record_, at_);
    field(kind);
    return value;
  }
  void skip(u64 size) { at_ += std::min<u64>(size, record_.size() - at_); }
  std::size_t at() const { return at_; }

 private:
  const RecordingParts::Piece& record_;
  std::vector<RecordField>& out_;
  std::size_t at_ = kRecordHeader;
};

void walk_read(SampleWalk& walk, u64 format) {
  const bool group = (format & 8) != 0;
  const u64 values = group ? std::min<u64>(walk.count(), 64) : 1;
  if (!group) walk.field(MutableKind::Value);
  for (const u64 time : {u64{1}, u64{2}})
    if ((format & time) != 0) walk.field(MutableKind::Time);
  for (u64 n = 0; n < values; ++n) {
    if (group) walk.field(MutableKind::Value);
    if ((format & 4) != 0) walk.field(MutableKind::Id);
    if ((format & 16) != 0) walk.field(MutableKind::Value);
  }
}

void walk_registers(SampleWalk& walk, u64 mask) {
  if (walk.count(MutableKind::Other) != 0) walk.fields(MutableKind::Register, static_cast<u64>(std::popcount(mask)));
}

std::optional<std::size_t> number_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t value = 0;
  const char* const from = text.data() + at + key.size();
  if (std::from_chars(from, text.data() + text.size(), value).ec != std::errc()) return std::nullopt;
  return value;
}

}  // namespace

u64 RecordingParts::Attr::value(std::size_t offset) const { return load64(bytes, offset); }

u32 record_type(const RecordingParts::Piece& record) { return load32(record, 0); }

RecordingParts::Piece make_record(u32 type, u16 misc, Bytes body) {
  ByteWriter out(ByteOrder::Little);
  out.put32(type).put16(misc).put16(static_cast<u16>(kRecordHeader + body.size())).append(body);
  return out.take();
}

void RecordingParts::take_records(Bytes bytes) {
  while (bytes.size() >= kRecordHeader) {
    const std::size_t size = whole_size(bytes);
    if (size < kRecordHeader || size > bytes.size()) break;
    records.push_back(piece(bytes.first(size)));
    bytes = bytes.subspan(size);
  }
  if (!bytes.empty()) records.push_back(piece(bytes));
}

std::optional<RecordingParts> RecordingParts::parse_file(Bytes bytes) {
  RecordingParts parts;
  const u64 attr_size = load64(bytes, 16);
  const Bytes attrs = clipped(bytes, load64(bytes, 24), load64(bytes, 32));
  const u64 data_start = load64(bytes, 40), data_size = load64(bytes, 48);
  if (attr_size < 64 + 16 || attr_size > 4096 || data_start < kHeaderSize || data_start > bytes.size())
    return std::nullopt;
  for (u64 at = 0; at + attr_size <= attrs.size(); at += attr_size) {
    const Bytes entry = attrs.subspan(at, attr_size);
    Attr attr{.bytes = piece(entry.first(attr_size - 16)), .ids = {}};
    const Bytes ids = clipped(bytes, load64(entry, attr_size - 16), load64(entry, attr_size - 8));
    for (u64 id = 0; id + 8 <= ids.size(); id += 8) attr.ids.push_back(load64(ids, id));
    parts.attrs.push_back(std::move(attr));
  }
  parts.take_records(clipped(bytes, data_start, data_size == 0 ? bytes.size() : data_size));
  u64 table = data_start + data_size;
  for (u32 bit = 0; bit < kFeatureBits; ++bit) {
    if ((load64(bytes, 72 + bit / 64 * 8) >> (bit % 64) & 1) == 0) continue;
    parts.features[bit] = piece(clipped(bytes, load64(bytes, table), load64(bytes, table + 8)));
    table += 16;
  }
  return parts;
}

std::optional<RecordingParts> RecordingParts::parse(Bytes bytes) {
  if (bytes.size() < kPipeHeaderSize || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    return std::nullopt;
  if (load64(bytes, 8) != kPipeHeaderSize) return bytes.size() < kHeaderSize ? std::nullopt : parse_file(bytes);
  RecordingParts parts;
  parts.pipe = true;
  parts.take_records(bytes.subspan(kPipeHeaderSize));
  for (const Piece& record : parts.records) {
    if (record_type(record) != kAttrRecord || record.size() < kRecordHeader + 64) continue;
    const Bytes body = Bytes(record).subspan(kRecordHeader);
    const std::size_t size = std::clamp<std::size_t>(load32(body, 4), 64, body.size());
    Attr attr{.bytes = piece(body.first(size)), .ids = {}};
    for (std::size_t at = size; at + 8 <= body.size(); at += 8) attr.ids.push_back(load64(body, at));
    parts.attrs.push_back(std::move(attr));
  }
  return parts;
}

RecordingParts::Piece RecordingParts::bytes() const {
  ByteWriter out(ByteOrder::Little);
  out.append(kMagic);
  if (pipe) {
    out.put64(kPipeHeaderSize);
    for (const Piece& record : records) out.append(record);
    return out.take();
  }
  const std::size_t attr_size = attrs.empty() ? 144 : attrs[0].bytes.size() + 16;
  u64 ids_at = kHeaderSize;
  ByteWriter ids(ByteOrder::Little), entries(ByteOrder::Little), data(ByteOrder::Little);
  for (const Attr& attr : attrs) {
    Piece same = attr.bytes;
    same.resize(attr_size - 16);
    entries.append(same).put64(ids_at + ids.size()).put64(attr.ids.size() * 8);
    for (const u64 id : attr.ids) ids.put64(id);
  }
  for (const Piece& record : records) data.append(record);
  const u64 attrs_at = ids_at + ids.size(), data_at = attrs_at + entries.size();
  out.put64(kHeaderSize).put64(attr_size).put64(attrs_at).put64(entries.size());
  out.put64(data_at).put64(data.size()).put64(0).put64(0);
  u64 bits[kFeatureBits / 64] = {};
  for (const auto& [bit, content] : features) bits[bit / 64] |= u64{1} << (bit % 64);
  for (const u64 word : bits) out.put64(word);
  out.append(ids.bytes()).append(entries.bytes()).append(data.bytes());
  u64 at = data_at + data.size() + features.size() * 16;
  for (const auto& [bit, content] : features) {
    out.put64(at).put64(content.size());
    at += content.size();
  }
  for (const auto& [bit, content] : features) out.append(content);
  return out.take();
}

RecordingParts RecordingParts::as_pipe() const {
  if (pipe) return *this;
  RecordingParts result;
  result.pipe = true;
  result.attrs = attrs;
  for (const Attr& attr : attrs) {
    ByteWriter body(ByteOrder::Little);
    body.append(attr.bytes);
    for (const u64 id : attr.ids) body.put64(id);
    if (body.size() < 0xfff0) result.records.push_back(make_record(kAttrRecord, 0, body.bytes()));
  }
  for (const auto& [bit, content] : features) {
    ByteWriter body(ByteOrder::Little);
    if (bit == kTracingDataFeature) {
      Piece record = make_record(kTracingDataRecord, 0, body.put32(static_cast<u32>(content.size())).bytes());
      record.insert(record.end(), content.begin(), content.end());
      record.resize(12 + padded(content.size()));
      result.records.push_back(std::move(record));
    } else if (content.size() < 0xff00) {
      body.put64(bit).append(content).align(8);
      result.records.push_back(make_record(kFeatureRecord, 0, body.bytes()));
    }
  }
  result.records.insert(result.records.end(), records.begin(), records.end());
  return result;
}

const RecordingParts::Attr* RecordingParts::attr_of(const Piece& record) const {
  if (attrs.empty()) return nullptr;
  const u64 type = attrs[0].sample_type();
  std::size_t at = kRecordHeader;
  if ((type & 1u << 16) == 0) {
    if ((type & 1u << 6) == 0) return &attrs[0];
    for (const u64 before : {u64{1}, u64{2}, u64{4}, u64{8}}) at += (type & before) != 0 ? 8 : 0;
  }
  const u64 id = load64(record, at);
  const auto found =
      std::ranges::find_if(attrs, [&](const Attr& attr) { return std::ranges::count(attr.ids, id) > 0; });
  return found == attrs.end() ? &attrs[0] : &*found;
}

std::map<u32, std::vector<TracepointField>> find_tracepoints(Bytes tracing_data) {
  std::map<u32, std::vector<TracepointField>> found;
  std::string_view text(reinterpret_cast<const char*>(tracing_data.data()), tracing_data.size());
  std::vector<TracepointField>* fields = nullptr;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("ID: ")) {
      fields = &found[static_cast<u32>(number_after(line, "ID: ").value_or(0))];
    } else if (fields != nullptr && line.find("field:") != std::string_view::npos) {
      const auto offset = number_after(line, "offset:"), size = number_after(line, "size:");
      const bool text_field = line.find("char ") != std::string_view::npos && line.find('[') != std::string_view::npos;
      if (offset && size) fields->push_back({.offset = *offset, .size = *size, .text = text_field && *size > 8});
    }
  }
  return found;
}

std::map<u32, std::vector<TracepointField>> RecordingParts::tracepoints() const {
  const auto stored = features.find(kTracingDataFeature);
  if (stored != features.end()) return find_tracepoints(stored->second);
  for (const Piece& record : records)
    if (record_type(record) == kTracingDataRecord) return find_tracepoints(record);
  return {};
}

void RecordingParts::add_sample_fields(const Piece& record, const Attr& attr, std::vector<RecordField>& out) const {
  const u64 type = attr.sample_type();
  const auto has = [&](unsigned bit) { return (type >> bit & 1) != 0; };
  SampleWalk walk(record, out);
  constexpr MutableKind kLeading[] = {MutableKind::Identifier, MutableKind::Ip,      MutableKind::Tid,
                                      MutableKind::Time,       MutableKind::Address, MutableKind::Id,
                                      MutableKind::StreamId,   MutableKind::Cpu,     MutableKind::Period};
  constexpr unsigned kLeadingBits[] = {16, 0, 1, 2, 3, 6, 9, 7, 8};
  for (std::size_t n = 0; n < std::size(kLeading); ++n) {
    if (!has(kLeadingBits[n])) continue;
    const bool halves = kLeading[n] == MutableKind::Tid || kLeading[n] == MutableKind::Cpu;
    if (kLeading[n] == MutableKind::Tid) walk.field(MutableKind::Pid, 4);
    walk.field(kLeading[n], halves ? 4 : 8);
    if (kLeading[n] == MutableKind::Cpu) walk.field(MutableKind::Other, 4);
  }
  if (has(4)) walk_read(walk, attr.value(32));
  if (has(5)) walk.fields(MutableKind::ChainEntry, walk.count());
  if (has(10)) {
    const std::size_t raw = walk.at() + 4;
    const u32 size = load32(record, walk.at());
    walk.field(MutableKind::RawSize, 4);
    const auto known = tracepoints();
    const auto format = known.find(raw + 2 <= record.size() ? load<u16>(record.data() + raw, ByteOrder::Little) : 0);
    if (format != known.end())
      for (const TracepointField& field : format->second)
        if (field.size != 0 && raw + field.offset + field.size <= record.size())
          out.push_back({.offset = raw + field.offset,
                         .width = field.size,
                         .kind = field.text ? MutableKind::Text : MutableKind::Raw,
                         .key = format->first * 256 + static_cast<u32>(field.offset)});
    walk.skip(size);
  }
  if (has(11)) {
    const u64 branches = walk.count();
    if ((attr.value(72) >> 17 & 1) != 0) walk.field(MutableKind::Other);
    for (u64 n = 0; n < std::min<u64>(branches, 64); ++n) {
      walk.fields(MutableKind::Branch, 2);
      walk.field(MutableKind::BranchFlags);
    }
  }
  if (has(12)) walk_registers(walk, attr.value(80));
  if (has(13)) {
    const u64 size = walk.count(MutableKind::StackSize);
    walk.skip(size);
    if (size != 0) walk.field(MutableKind::StackSize);
  }
  for (const auto& [bit, kind] : {std::pair(14u, MutableKind::Weight),
                                  {24u, MutableKind::Weight},
                                  {15u, MutableKind::DataSource},
                                  {17u, MutableKind::Other}})
    if (has(bit)) walk.field(kind);
  if (has(18)) walk_registers(walk, attr.value(96));
  for (const unsigned bit : {19u, 21u, 22u, 23u})
    if (has(bit)) walk.field(MutableKind::Address);
  if (has(20)) walk.count(MutableKind::StackSize);
}

std::vector<RecordField> RecordingParts::fields(const Piece& record) const {
  std::vector<RecordField> out;
  const Attr* const attr = record_type(record) == kSampleRecord ? attr_of(record) : nullptr;
  if (attr != nullptr) {
    add_sample_fields(record, *attr, out);
    return out;
  }
  for (std::size_t at = kRecordHeader; at + 4 <= record.size(); at += 4) {
    out.push_back({.offset = at, .width = 4, .kind = MutableKind::Other, .key = record_type(record)});
    if (at % 8 == 0 && at + 8 <= record.size())
      out.push_back({.offset = at, .width = 8, .kind = MutableKind::Other, .key = record_type(record)});
  }
  return out;
}

}  // namespace peregrine
