// Files in our own cache folder, where others may write: kernel symbols and source lines. The checksum at their end
// is corrected, so that the code behind the check is reached.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/build_id.h"
#include "base/bytes.h"
#include "base/digest/checksum.h"
#include "base/file/piece_file.h"
#include "base/types.h"
#include "input.h"
#include "machine/source/source_cache.h"
#include "scratch_folder.h"
#include "symbol/kernel/kallsyms.h"
#include "symbol/kernel/kallsyms_cache.h"
#include "symbol/table/symbol_table.h"

namespace {

using namespace peregrine;

void look_up(const SymbolTable& table, u64 address) {
  for (const u64 each : {address, address + 1, u64{0}, ~u64{0}}) {
    const auto found = table.find(each);
    if (found && (each < found->start || each >= found->end || table.name(found->index).size() > 0xffff)) std::abort();
  }
}

void look_up(const Kallsyms& kallsyms) {
  look_up(kallsyms.kernel, kallsyms.text);
  for (const ModuleSymbols& module : kallsyms.modules) look_up(module.table, module.start);
}

// The key is taken from the file.
KallsymsKey key_in(Bytes bytes) {
  ByteReader reader(bytes);
  reader.skip(8);
  KallsymsKey key;
  const Bytes id = reader.take(sizeof key.kernel);
  if (!id.empty()) std::memcpy(&key.kernel, id.data(), id.size());
  key.text = reader.get64();
  key.modules = reader.get64();
  return key;
}

// Walks the pieces of a kallsyms cache and computes the checksum as its writer would have.
class PieceWalk {
 public:
  explicit PieceWalk(Bytes bytes) : bytes_(bytes) {}

  // The available pieces, followed by their checksum.
  std::string with_sum() {
    number();
    piece(sizeof(BuildId));
    for (unsigned word = 0; word < 5; ++word) number();
    table();
    for (u64 modules = number(); modules > 0 && at_ < bytes_.size(); --modules) {
      text();
      number();
      number();
      table();
    }
    std::string file(as_text(bytes_.first(at_)));
    const u64 sum = sum_.value();
    return file.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  }

 private:
  void piece(u64 size) {
    const u64 there = std::min<u64>(size, bytes_.size() - at_);
    sum_.add(bytes_.data() + at_, there);
    at_ += there;
  }
  u64 number() {
    const u64 value = at_ + 8 <= bytes_.size() ? load<u64>(bytes_.data() + at_) : 0;
    piece(8);
    return value;
  }
  void text() {
    for (u64 size = number(); size > 0 && at_ < bytes_.size(); size -= std::min<u64>(size, 65536))
      piece(std::min<u64>(size, 65536));
  }
  void table() {
    const u64 count = number();
    if (count == 0) return;
    const u64 flags = number();
    number();
    number();
    const u64 most = std::min<u64>(count, bytes_.size());
    piece(most * ((flags & 1) != 0 ? 4 : 8));
    if ((flags & 2) == 0) piece(most * 8);
    piece(most * 2);
    piece(most);
    text();
  }

  Bytes bytes_;
  std::size_t at_ = 0;
  PieceSum sum_;
};

void try_kallsyms(Bytes bytes) {
  static const ScratchFolder folder;
  const KallsymsKey key = key_in(bytes);
  const std::string file = PieceWalk(bytes).with_sum();
  const auto decoded = KallsymsCache::decode(file, key);
  const auto loaded = KallsymsCache::load(folder.put("kallsyms", file), key);
  if (decoded.has_value() != loaded.has_value()) std::abort();
  if (!decoded) return;
  look_up(*decoded);
  look_up(*loaded);
}

void try_lines(Bytes bytes) {
  std::string file(as_text(bytes));
  const u64 sum = checksum(file);
  file.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  auto cache = SourceCache::decode(file);
  if (!cache) return;
  for (u64 address = 0; address < 64; ++address)
    for (const bool functions : {false, true})
      if (const auto frames = cache->find(address, functions)) cache->add(address + 1, functions, *frames);
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 4) cache->find(load<u64>(bytes.data() + at), true);
  if (!SourceCache::decode(cache->encode())) std::abort();
}

}  // namespace

void peregrine::fuzz_kept_answers(Bytes bytes) {
  try_kallsyms(bytes);
  try_lines(bytes);
}
