#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {

// CACHE: u32 version 1, u32 count, each: u32 level, line size, sets, ways; strings type, size, CPUs.
bool decode_cache(ByteReader& in, Features& features) {
  std::vector<CacheLevel> levels;
  if (in.get32() != 1) return false;
  for (u32 left = get_count(in, 28); left > 0; --left) {
    CacheLevel level;
    level.level = in.get32();
    level.line_size = in.get32();
    level.sets = in.get32();
    level.ways = in.get32();
    level.type = get_string(in);
    level.size = get_string(in);
    level.cpus = get_string(in);
    levels.push_back(std::move(level));
  }
  if (in.ok()) features.caches = std::move(levels);
  return in.ok();
}

bool encode_cache(const Features& features, ByteWriter& out) {
  if (!features.caches) return false;
  out.put32(1).put32(static_cast<u32>(features.caches->size()));
  for (const CacheLevel& level : *features.caches) {
    out.put32(level.level).put32(level.line_size).put32(level.sets).put32(level.ways);
    put_string(out, level.type);
    put_string(out, level.size);
    put_string(out, level.cpus);
  }
  return true;
}

}  // namespace peregrine::data
