#include "support/perf_data_builder.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "support/records.h"

namespace peregrine::support {
namespace {

constexpr std::size_t kHeaderSize = 104;
constexpr std::size_t kAttrSize = 128;
constexpr std::uint32_t kHeaderAttr = 64, kHeaderBuildId = 67, kHeaderFeature = 80,
                        kHeaderAuxtrace = 71;  // record types of the perf tool

unsigned feature_bit(std::string_view name) {
  constexpr std::array kNames = {
      "reserved",      "tracing_data", "build_id",        "hostname",   "osrelease",     "version",    "arch",
      "nrcpus",        "cpudesc",      "cpuid",           "total_mem",  "cmdline",       "event_desc", "cpu_topology",
      "numa_topology", "branch_stack", "pmu_mappings",    "group_desc", "auxtrace",      "stat",       "cache",
      "sample_time",   "mem_topology", "clockid",         "dir_format", "bpf_prog_info", "bpf_btf",    "compressed",
      "cpu_pmu_caps",  "clock_data",   "hybrid_topology", "pmu_caps"};
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found != kNames.end()) return static_cast<unsigned>(found - kNames.begin());
  return static_cast<unsigned>(Value(std::string(name)).number());
}

const Value* find(const Fields& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? nullptr : &found->second;
}

std::uint64_t number(const Fields& fields, std::string_view name, std::uint64_t otherwise = 0) {
  const Value* value = find(fields, name);
  return value ? value->number() : otherwise;
}

void must_know(const Fields& fields, std::string_view known, std::string_view what) {
  for (const auto& [name, value] : fields) {
    if ((" " + std::string(known) + " ").find(" " + name + " ") == std::string::npos)
      throw std::invalid_argument(std::string(what) + " has no field '" + name + "'");
  }
}

// The header's counted string: length, text, NUL, padded to 64 bytes.
void put_header_text(ByteBuffer& out, std::string_view text) {
  ByteBuffer padded;
  padded.ended_text(text, 64);
  out.put32(padded.size()).append(padded.bytes());
}

}  // namespace

PerfDataBuilder& PerfDataBuilder::attr(const Fields& fields) {
  must_know(
      fields,
      "name type config size period freq sample read flags precise ids wakeup bp_type config1 config2 config3 branch "
      "regs_user stack_user clockid regs_intr aux_watermark max_stack aux_sample_size sig_data",
      "attr");
  Attr attr;
  attr.name = find(fields, "name") ? find(fields, "name")->text() : "event";
  attr.sample_type = find(fields, "sample") ? sample_type_of(*find(fields, "sample")) : std::uint64_t{PERF_SAMPLE_IP};
  attr.read_format = find(fields, "read") ? read_format_of(*find(fields, "read")) : 0;
  attr.branch_sample_type = number(fields, "branch");
  std::uint64_t flags = find(fields, "flags") ? attr_flags_of(*find(fields, "flags")) : 0;
  if (find(fields, "freq")) flags |= attr_flags_of("freq");
  flags |= (number(fields, "precise") & 3) << 15;
  attr.sample_id_all = (flags & attr_flags_of("sample_id_all")) != 0;
  if (const Value* ids = find(fields, "ids")) attr.ids = ids->list();

  const std::uint64_t size = number(fields, "size", kAttrSize);
  ByteBuffer out(endian_);
  out.put32(number(fields, "type", PERF_TYPE_SOFTWARE)).put32(size).put64(number(fields, "config"));
  out.put64(number(fields, "freq", number(fields, "period"))).put64(attr.sample_type).put64(attr.read_format);
  put_bit_fields(out, flags);
  out.put32(number(fields, "wakeup")).put32(number(fields, "bp_type"));
  out.put64(number(fields, "config1")).put64(number(fields, "config2")).put64(attr.branch_sample_type);
  out.put64(number(fields, "regs_user")).put32(number(fields, "stack_user")).put32(number(fields, "clockid"));
  out.put64(number(fields, "regs_intr")).put32(number(fields, "aux_watermark")).put16(number(fields, "max_stack"));
  out.put16(0).put32(number(fields, "aux_sample_size")).put32(0).put64(number(fields, "sig_data"));
  out.put64(number(fields, "config3"));
  attr.bytes = out.bytes();
  attr.bytes.resize(size);
  attrs_.push_back(std::move(attr));
  return *this;
}

void PerfDataBuilder::put_record(ByteBuffer& out, std::uint32_t type, std::uint16_t misc,
                                 const std::vector<std::byte>& body) const {
  out.put32(type).put16(misc).put16(body.size() + 8).append(body);
}

PerfDataBuilder& PerfDataBuilder::raw_record(std::uint32_t type, std::uint16_t misc,
                                             const std::vector<std::byte>& body) {
  put_record(records_, type, misc, body);
  return *this;
}

PerfDataBuilder& PerfDataBuilder::raw_bytes(const std::vector<std::byte>& bytes) {
  records_.append(bytes);
  return *this;
}

PerfDataBuilder& PerfDataBuilder::record(std::string_view name, const Fields& fields, std::size_t event) {
  if (event >= attrs_.size()) throw std::invalid_argument("a record before its attr");
  const Attr& attr = attrs_[event];
  const RecordShape& shape = record_shape(name);
  const auto misc = static_cast<std::uint16_t>(number(fields, "misc", shape.misc));
  Fields rest = fields;
  rest.erase("misc");
  if (shape.type == PERF_RECORD_SAMPLE) {
    const SampleContext context{attr.sample_type, attr.read_format, attr.branch_sample_type, endian_};
    return raw_record(shape.type, misc, encode_sample(context, rest));
  }
  std::vector<std::byte> payload;  // for AUXTRACE records: follows the record and is not part of its size
  if (const Value* hex = shape.type == kHeaderAuxtrace ? find(rest, "payload") : nullptr) {
    std::string digits = hex->text();
    std::erase(digits, ' ');
    payload = from_hex(digits);
    payload.resize((payload.size() + 7) / 8 * 8);
    rest.erase("payload");
    rest.try_emplace("size", payload.size());
  }
  std::vector<std::byte> surplus;
  if (const Value* hex = find(rest, "surplus")) surplus = from_hex(hex->text());
  rest.erase("surplus");
  ByteBuffer body(endian_);
  encode_body(shape, rest, body);
  if (shape.type < 64 && attr.sample_id_all) encode_trailer(attr.sample_type, rest, body);
  body.append(surplus);
  return raw_record(shape.type, misc, body.bytes()).raw_bytes(payload);
}

PerfDataBuilder& PerfDataBuilder::feature(std::string_view name, const Fields& fields) {
  const unsigned bit = feature_bit(name);
  ByteBuffer out(endian_);
  if (const Value* hex = find(fields, "hex")) {
    out.append(from_hex(hex->text()));
  } else if (const Value* text = find(fields, "text")) {
    put_header_text(out, text->text());
  } else if (name == "cmdline") {
    const std::string words = find(fields, "words") ? find(fields, "words")->text() : "perf record";
    out.put32(static_cast<std::uint64_t>(std::count(words.begin(), words.end(), ' ') + 1));
    for (std::size_t at = 0; at <= words.size();) {
      const std::size_t end = std::min(words.find(' ', at), words.size());
      put_header_text(out, std::string_view(words).substr(at, end - at));
      at = end + 1;
    }
  } else if (name == "nrcpus") {
    out.put32(number(fields, "available")).put32(number(fields, "online"));
  } else if (name == "total_mem") {
    out.put64(number(fields, "kb"));
  } else if (name == "sample_time") {
    out.put64(number(fields, "first")).put64(number(fields, "last"));
  } else if (name == "event_desc") {
    out.append(event_desc());
  } else {
    throw std::invalid_argument("feature " + std::string(name) + " wants hex=");
  }
  features_[bit] = out.bytes();
  return *this;
}

std::vector<std::byte> PerfDataBuilder::event_desc() const {
  ByteBuffer out(endian_);
  out.put32(attrs_.size()).put32(attrs_.empty() ? kAttrSize : attrs_[0].bytes.size());
  for (const Attr& attr : attrs_) {
    out.append(attr.bytes).put32(attr.ids.size());
    put_header_text(out, attr.name);
    for (const std::uint64_t id : attr.ids) out.put64(id);
  }
  return out.bytes();
}

// struct build_id_event: header, pid, 20 bytes of id (a misc bit says that its length follows), file name.
PerfDataBuilder& PerfDataBuilder::build_id(const Fields& fields) {
  must_know(fields, "pid misc id file", "build_id");
  std::vector<std::byte> id = find(fields, "id") ? from_hex(find(fields, "id")->text()) : std::vector<std::byte>(20);
  const std::size_t length = id.size();
  id.resize(20);
  ByteBuffer body(endian_);
  body.put32(number(fields, "pid", ~0ull)).append(id).put(length, 1).zeros(3);
  body.ended_text(find(fields, "file") ? find(fields, "file")->text() : "", 64);
  ByteBuffer out(endian_);
  put_record(out, kHeaderBuildId, static_cast<std::uint16_t>(number(fields, "misc", 2) | 1u << 15), body.bytes());
  build_ids_.insert(build_ids_.end(), out.bytes().begin(), out.bytes().end());
  features_[feature_bit("build_id")] = build_ids_;
  return *this;
}

PerfDataBuilder& PerfDataBuilder::declared_data_size(std::uint64_t size) {
  declared_data_size_ = size;
  return *this;
}

std::vector<std::byte> PerfDataBuilder::bytes() const { return layout_ == Layout::File ? file(nullptr) : pipe(); }

std::vector<Section> PerfDataBuilder::sections() const {
  std::vector<Section> sections;
  file(&sections);
  return sections;
}

// Header, ids of each attr, attrs, data, feature table, features: linux-perf's order.
std::vector<std::byte> PerfDataBuilder::file(std::vector<Section>* sections) const {
  std::size_t ids_size = 0;
  for (const Attr& attr : attrs_) ids_size += attr.ids.size() * 8;
  const std::size_t entry_size = (attrs_.empty() ? kAttrSize : attrs_[0].bytes.size()) + 16;
  const std::size_t attrs_at = kHeaderSize + ids_size;
  const std::size_t data_at = attrs_at + entry_size * attrs_.size();

  ByteBuffer out(endian_);
  out.put64(0x32454c4946524550).put64(kHeaderSize).put64(entry_size);
  out.put64(attrs_at).put64(entry_size * attrs_.size());
  out.put64(data_at).put64(declared_data_size_ == ~0ull ? records_.size() : declared_data_size_);
  out.put64(0).put64(0);
  std::array<std::uint64_t, 4> bitmap{};
  for (const auto& [bit, body] : features_) bitmap.at(bit / 64) |= 1ull << (bit % 64);
  for (const std::uint64_t word : bitmap) out.put64(word);

  for (const Attr& attr : attrs_)
    for (const std::uint64_t id : attr.ids) out.put64(id);
  std::size_t ids_at = kHeaderSize;
  for (const Attr& attr : attrs_) {
    out.append(attr.bytes).put64(ids_at).put64(attr.ids.size() * 8);
    ids_at += attr.ids.size() * 8;
  }
  out.append(records_.bytes());

  std::size_t body_at = data_at + records_.size() + features_.size() * 16;
  if (sections) {
    *sections = {{"header", 0, kHeaderSize},
                 {"ids", kHeaderSize, ids_size},
                 {"attrs", attrs_at, entry_size * attrs_.size()},
                 {"data", data_at, records_.size()},
                 {"feature table", data_at + records_.size(), features_.size() * 16}};
  }
  for (const auto& [bit, body] : features_) {
    out.put64(body_at).put64(body.size());
    if (sections) sections->push_back({"feature " + std::to_string(bit), body_at, body.size()});
    body_at += body.size();
  }
  for (const auto& [bit, body] : features_) out.append(body);
  return out.bytes();
}

// A pipe: 16 bytes of header, then only records.
std::vector<std::byte> PerfDataBuilder::pipe() const {
  ByteBuffer out(endian_);
  out.put64(0x32454c4946524550).put64(16);
  for (const Attr& attr : attrs_) {
    ByteBuffer body(endian_);
    body.append(attr.bytes);
    for (const std::uint64_t id : attr.ids) body.put64(id);
    put_record(out, kHeaderAttr, 0, body.bytes());
  }
  for (const auto& [bit, feature] : features_) {
    ByteBuffer body(endian_);
    body.put64(bit).append(feature).align(8);
    put_record(out, kHeaderFeature, 0, body.bytes());
  }
  out.append(records_.bytes());
  return out.bytes();
}

std::vector<std::byte> cut(std::vector<std::byte> bytes, std::size_t size) {
  bytes.resize(std::min(size, bytes.size()));
  return bytes;
}

std::vector<std::byte> flip(std::vector<std::byte> bytes, std::size_t offset, unsigned bit) {
  if (offset < bytes.size()) bytes[offset] ^= static_cast<std::byte>(1u << (bit & 7));
  return bytes;
}

std::vector<std::byte> stretch(std::vector<std::byte> bytes, std::size_t offset, std::size_t count) {
  if (offset <= bytes.size()) bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(offset), count, std::byte{0});
  return bytes;
}

std::vector<std::byte> overwrite(std::vector<std::byte> bytes, std::size_t offset, std::uint64_t value,
                                 unsigned width) {
  if (offset > bytes.size() || width > bytes.size() - offset) return bytes;
  for (unsigned i = 0; i < width; ++i) bytes[offset + i] = static_cast<std::byte>(value >> (8 * i));
  return bytes;
}

}  // namespace peregrine::support
