#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {

// GROUP_DESC: u32 count, each: string name, u32 index of the leader, u32 members.
bool decode_group_desc(ByteReader& in, Features& features) {
  std::vector<GroupDescription> groups;
  for (u32 left = get_count(in, 12); left > 0; --left) {
    GroupDescription group;
    group.name = get_string(in);
    group.leader = in.get32();
    group.members = in.get32();
    groups.push_back(std::move(group));
  }
  if (in.ok()) features.groups = std::move(groups);
  return in.ok();
}

bool encode_group_desc(const Features& features, ByteWriter& out) {
  if (!features.groups) return false;
  out.put32(static_cast<u32>(features.groups->size()));
  for (const GroupDescription& group : *features.groups) {
    put_string(out, group.name);
    out.put32(group.leader).put32(group.members);
  }
  return true;
}

}  // namespace peregrine::data
