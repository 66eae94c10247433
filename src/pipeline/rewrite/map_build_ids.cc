#include "pipeline/rewrite/map_build_ids.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <variant>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/build_id.h"
#include "base/bytes.h"
#include "base/types.h"
#include "pipeline/build_id/build_id_store.h"
#include "pipeline/build_id/hit_dsos.h"

namespace peregrine {
namespace {

// Offsets in an MMAP2 record: header.misc, and the 24 bytes that hold either inode data or a build-id.
constexpr std::size_t kMisc = 4, kFile = 40, kFileSize = 24;

}  // namespace

const BuildId& MapBuildIds::id_of(const abi::MmapRecord& map) {
  const auto known = ids_.find(map.filename);
  if (known != ids_.end()) return known->second;
  BuildId& id = ids_[std::string(map.filename)];
  const auto named = std::ranges::find(known_, map.filename, &KnownBuildId::path);
  if (named != known_.end()) return id = named->id;
  HitDso dso{.name = std::string(map.filename), .id = {}};
  dso.major = map.major;
  dso.minor = map.minor;
  dso.inode = map.inode;
  for (const FoundBuildId& found : read_build_ids(root_, {std::move(dso)})) id = found.entry.id;
  return id;
}

Bytes MapBuildIds::edit(const abi::RecordView& record) {
  if (record.type != abi::RecordType::Mmap2 || record.bytes.size() < kFile + kFileSize) return record.bytes;
  const auto decoded = abi::decode_side_band(record, reader_.evlist().attr_of(record), scratch_);
  if (!decoded || !*decoded) return record.bytes;
  const auto* const map = std::get_if<abi::MmapRecord>(&(*decoded)->body);
  if (map == nullptr || map->has_build_id || !map->filename.starts_with('/')) return record.bytes;
  const BuildId& id = id_of(*map);
  if (id.empty()) return record.bytes;
  ++edited_;
  ByteWriter copy(record.order);
  // The build-id takes the place of the inode data, which has the same size: the offsets of all other fields stay.
  copy.append(record.bytes.first(kFile)).put8(id.size).zeros(3).append(std::as_bytes(std::span(id.bytes)));
  copy.append(record.bytes.subspan(kFile + kFileSize));
  copy.patch(kMisc, static_cast<u16>(record.misc | abi::misc_bit::MmapBuildId));
  bytes_ = copy.take();
  return bytes_;
}

}  // namespace peregrine
