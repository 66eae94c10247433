#include <algorithm>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {

// EVENT_DESC: u32 count, u32 attr size, each: attr, u32 ids, name string, u64 × ids.
bool decode_event_desc(ByteReader& in, Features& features) {
  std::vector<EventDescription> events;
  const u32 count = in.get32(), attr_size = in.get32();
  if (!in.ok() || attr_size < abi::kAttrSizeMin || count > in.left() / attr_size) return false;
  for (u32 i = 0; i < count; ++i) {
    EventDescription event;
    auto attr = abi::decode_attr(in.take(attr_size), in.order());
    if (!attr) return false;
    event.attr = std::move(*attr);
    const u32 ids = in.get32();
    event.name = get_string(in);
    if (ids > in.left() / 8) return false;
    for (u32 n = 0; n < ids; ++n) event.ids.push_back(in.get64());
    events.push_back(std::move(event));
  }
  if (in.ok()) features.event_desc = std::move(events);
  return in.ok();
}

bool encode_event_desc(const Features& features, ByteWriter& out) {
  if (!features.event_desc) return false;
  u32 attr_size = abi::kAttrSizeWritten;
  for (const EventDescription& event : *features.event_desc)
    attr_size = std::max(attr_size, abi::written_size(event.attr));
  out.put32(static_cast<u32>(features.event_desc->size())).put32(attr_size);
  for (const EventDescription& event : *features.event_desc) {
    abi::EventAttr attr = event.attr;
    attr.size = attr_size;
    abi::encode_attr(attr, out, out.order());
    out.put32(static_cast<u32>(event.ids.size()));
    put_string(out, event.name);
    for (const u64 id : event.ids) out.put64(id);
  }
  return true;
}

}  // namespace peregrine::data
