#include "data/header/file_header.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <expected>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"

namespace peregrine::data {
namespace {

constexpr u64 kMaxSection = u64{64} << 20;  // attrs, ids and names together are always far smaller
constexpr std::size_t kOldHeaderSize = 72;  // includes event types; from before there were 256 feature bits
constexpr std::size_t kEventTypeSize = 72;  // u64 config, char name[64]

bool begins_with(Bytes bytes, std::string_view magic) {
  return std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

// The bitmap is an array of unsigned long, so a 32-bit big-endian recorder swaps its halves. HOSTNAME is always
// present and shows which layout was used.
void settle_bitmap(FileHeader& header, Bytes raw) {
  constexpr u32 kHostname = static_cast<u32>(FeatureId::Hostname), kBuildId = static_cast<u32>(FeatureId::BuildId);
  for (std::size_t i = 0; i < header.features.size(); ++i)
    header.features[i] = load<u64>(raw.data() + 8 * i, header.order);
  if (header.order == kHostOrder || header.has(kHostname)) return;
  const auto as_64 = header.features;
  for (u64& word : header.features) word = std::rotl(word, 32);
  if (header.has(kHostname)) return;
  header.features = as_64;
  if (std::ranges::all_of(as_64, [](u64 word) { return word == 0; })) return;
  header.features = {};
  header.set(kBuildId);
}

Result<std::vector<std::byte>> read_section(int fd, const FileSection& section, std::string_view what) {
  if (section.size > kMaxSection)
    return fail(ErrorKind::Malformed, "{} section is too large ({} bytes)", what, section.size);
  std::vector<std::byte> bytes(static_cast<std::size_t>(section.size));
  const auto got = pread_full(fd, bytes.data(), bytes.size(), section.offset);
  if (!got) return std::unexpected(got.error());
  if (*got != bytes.size()) {
    return fail(ErrorKind::Malformed, "{} section at offset {:#x}, {} bytes, extends past the end of the file", what,
                section.offset, section.size);
  }
  return bytes;
}

Result<Event> read_event(int fd, ByteReader& in) {
  auto attr = abi::decode_attr(in.rest(), in.order());
  if (!attr) return std::unexpected(attr.error());
  in.skip(attr->size);
  FileSection ids;
  ids.offset = in.get64();
  ids.size = in.get64();
  if (!in.ok()) return fail(ErrorKind::Malformed, "truncated entry in the attr section");
  Event event;
  event.attr = std::move(*attr);
  const auto bytes = read_section(fd, ids, "ids");
  if (!bytes) return std::unexpected(bytes.error());
  ByteReader reader(*bytes, in.order());
  while (reader.left() >= 8) event.ids.push_back(reader.get64());
  return event;
}

// Before Linux 3.12, names were in a table keyed by config alone, which is only unambiguous for tracepoints.
void name_events(Evlist& evlist, Bytes table) {
  ByteReader in(table, evlist.order());
  while (in.left() >= kEventTypeSize) {
    const u64 config = in.get64();
    evlist.name_tracepoint(config, in.text(kEventTypeSize - 8));
  }
}

}  // namespace

Result<FileHeader> decode_file_header(Bytes bytes) {
  FileHeader header;
  if (bytes.size() < kPipeHeaderSize)
    return fail(ErrorKind::Malformed, "not a perf.data file: too short ({} bytes)", bytes.size());
  if (begins_with(bytes, kMagic2)) {
    header.order = ByteOrder::Little;
  } else if (begins_with(bytes, kMagic2Swapped)) {
    header.order = ByteOrder::Big;
  } else if (begins_with(bytes, kMagic1) || begins_with(bytes, kMagic1Swapped)) {
    // The first magic is text, which has no byte order. Infer the order from the sizes after it.
    header.version = 1;
    header.order = load<u64>(bytes.data() + 8, ByteOrder::Little) <= 0xffff ? ByteOrder::Little : ByteOrder::Big;
  } else {
    return fail(ErrorKind::Malformed, "not a perf.data file: missing PERFILE2 magic");
  }
  ByteReader in(bytes, header.order);
  in.skip(8);
  header.size = in.get64();
  header.pipe = header.size == kPipeHeaderSize;
  if (header.pipe) return header;
  if (header.size < kOldHeaderSize || bytes.size() < std::min<u64>(header.size, kFileHeaderSize)) {
    return fail(ErrorKind::Malformed, "invalid perf.data header size {} (file has {} bytes)", header.size,
                bytes.size());
  }
  header.attr_size = in.get64();
  for (FileSection* section : {&header.attrs, &header.data, &header.event_types}) {
    section->offset = in.get64();
    section->size = in.get64();
  }
  if (header.size >= kFileHeaderSize) settle_bitmap(header, in.take(32));
  if (header.attr_size < abi::kAttrSizeMin + 16) {
    return fail(ErrorKind::Malformed, "perf.data header: attr entries are too small ({} bytes)", header.attr_size);
  }
  return header;
}

std::vector<std::byte> encode_file_header(const FileHeader& header) {
  ByteWriter out(header.order);
  out.append(header.order == ByteOrder::Little ? kMagic2 : kMagic2Swapped);
  out.put64(header.pipe ? kPipeHeaderSize : kFileHeaderSize);
  if (header.pipe) return out.take();
  out.put64(header.attr_size);
  for (const FileSection& section : {header.attrs, header.data, header.event_types}) {
    out.put64(section.offset).put64(section.size);
  }
  for (const u64 word : header.features) out.put64(word);
  return out.take();
}

bool holds_events(Bytes beginning) {
  const auto header = decode_file_header(beginning);
  if (!header) return false;
  const auto inside = [&](const FileSection& section) {
    return section.size == 0 ||
           (section.offset <= beginning.size() && section.size <= beginning.size() - section.offset);
  };
  if (!inside(header->attrs) || !inside(header->event_types)) return false;
  if (header->attrs.size == 0) return true;
  ByteReader in(beginning.subspan(header->attrs.offset, header->attrs.size), header->order);
  while (in.left() >= header->attr_size) {
    in.skip(header->attr_size - 16);
    FileSection ids;
    ids.offset = in.get64();
    ids.size = in.get64();
    if (!inside(ids)) return false;
  }
  return true;
}

Result<Evlist> read_evlist(int fd, const FileHeader& header) {
  const auto entries = read_section(fd, header.attrs, "attr");
  if (!entries) return std::unexpected(entries.error());
  Evlist evlist(header.order);
  ByteReader in(*entries, header.order);
  for (u64 left = header.attrs.size / header.attr_size; left > 0; --left) {
    auto event = read_event(fd, in);
    if (!event) return std::unexpected(event.error());
    evlist.add(std::move(*event));
  }
  if (header.event_types.size >= kEventTypeSize) {
    const auto names = read_section(fd, header.event_types, "event type");
    if (names) name_events(evlist, *names);
  }
  return evlist;
}

Result<std::vector<FeatureSection>> read_feature_table(int fd, const FileHeader& header, u64 table_offset,
                                                       u64 file_size) {
  std::vector<FeatureSection> sections;
  for (u32 id = 0; id < kFeatureBits; ++id) {
    if (header.has(id)) sections.push_back({id, 0, 0});
  }
  std::vector<std::byte> table(16 * sections.size());
  const auto got = pread_full(fd, table.data(), table.size(), table_offset);
  if (!got) return std::unexpected(got.error());
  ByteReader in(Bytes(table).first(*got), header.order);
  for (FeatureSection& section : sections) {
    section.offset = in.get64();
    section.size = in.get64();
  }
  const bool whole = in.ok();
  std::erase_if(sections, [&](const FeatureSection& section) {
    return !whole || section.offset > file_size || section.size > file_size - section.offset;
  });
  return sections;
}

}  // namespace peregrine::data
