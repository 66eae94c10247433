#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "base/build_id.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {
namespace {

constexpr u16 kSizeGiven = 1u << 15;  // PERF_RECORD_MISC_BUILD_ID_SIZE
constexpr std::size_t kIdField = 24;  // 20 bytes of id, u8 size, 3 reserved

// Entry: u32 type, u16 misc, u16 size | i32 pid | id field | name, padded. Recorders before 2.6.35 wrote no pid.
bool decode_entry(ByteReader& in, bool has_pid, BuildIdEntry& entry) {
  in.skip(4);
  entry.misc = in.get16();
  const u16 size = in.get16();
  const std::size_t fixed = 8 + (has_pid ? 4 : 0) + kIdField;
  if (!in.ok() || size < fixed || size - 8u > in.left()) return false;
  if (has_pid) entry.pid = static_cast<i32>(in.get32());
  const Bytes id = in.take(kIdField);
  entry.sized = (entry.misc & kSizeGiven) != 0;
  entry.misc &= static_cast<u16>(~kSizeGiven);
  const std::size_t id_size = entry.sized ? std::min<std::size_t>(load<u8>(id.data() + 20), 20) : 20;
  entry.id = BuildId::from_bytes(id.first(id_size));
  entry.name = in.text(size - fixed);
  return in.ok();
}

// Decodes entries up to the end or the first invalid one.
std::vector<BuildIdEntry> decode_entries(ByteReader in, bool has_pid) {
  std::vector<BuildIdEntry> entries;
  while (in.left() >= 8) {
    BuildIdEntry entry;
    if (!decode_entry(in, has_pid, entry)) break;
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

bool decode_build_ids(ByteReader& in, Features& features) {
  std::vector<BuildIdEntry> entries = decode_entries(in, true);
  // If the entries have no pid, decoding one anyway removes the first four letters of the kernel's name.
  const auto lost_letters = [](const BuildIdEntry& entry) { return entry.name.starts_with("nel.kallsyms]"); };
  if (std::ranges::any_of(entries, lost_letters)) entries = decode_entries(in, false);
  if (entries.empty() && in.left() != 0) return false;
  auto& all = features.build_ids ? *features.build_ids : features.build_ids.emplace();
  all.insert(all.end(), std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
  return true;
}

bool encode_build_ids(const Features& features, ByteWriter& out) {
  if (!features.build_ids) return false;
  for (const BuildIdEntry& entry : *features.build_ids) {
    const std::size_t name_size = (entry.name.size() + 1 + 63) / 64 * 64;
    out.put32(0).put16(static_cast<u16>(entry.misc | (entry.sized ? kSizeGiven : 0)));
    out.put16(static_cast<u16>(8 + 4 + kIdField + name_size)).put32(static_cast<u32>(entry.pid));
    out.append(std::as_bytes(std::span(entry.id.bytes)));
    out.put8(entry.sized ? entry.id.size : 0).zeros(3);
    out.append(entry.name).zeros(name_size - entry.name.size());
  }
  return true;
}

}  // namespace peregrine::data
