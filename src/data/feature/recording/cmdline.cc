#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {

// CMDLINE: u32 count, strings.
bool decode_cmdline(ByteReader& in, Features& features) {
  std::vector<std::string> words;
  for (u32 left = get_count(in, 4); left > 0; --left) words.push_back(get_string(in));
  if (in.ok()) features.cmdline = std::move(words);
  return in.ok();
}

bool encode_cmdline(const Features& features, ByteWriter& out) {
  if (!features.cmdline) return false;
  out.put32(static_cast<u32>(features.cmdline->size()));
  for (const std::string& word : *features.cmdline) put_string(out, word);
  return true;
}

}  // namespace peregrine::data
