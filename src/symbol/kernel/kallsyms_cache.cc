#include "symbol/kernel/kallsyms_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstddef>
#include <expected>
#include <optional>
#include <utility>
#include <vector>

#include "base/build_id.h"
#include "base/digest/checksum.h"
#include "base/fd.h"
#include "base/file/piece_file.h"
#include "base/file/replace_file.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/table/name_text.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

namespace {

// Layout, all in host byte order: magic, key, references, kernel table, modules.
constexpr u64 kCacheMagic = 0x3430736b67657270;  // "pregks04"
constexpr u64 kCacheLimit = u64{1} << 28;

// Verifies the names' text and, if possible, leaves it in the file.
NameText leave_text(PieceReader& source) {
  if (source.fd() < 0) return NameText(source.get_text());
  const PieceReader::TextPlace place = source.pass_text();
  NameText left = NameText::in_file(source.fd(), place.offset, place.size);
  return left.valid() ? std::move(left) : NameText(source.text_at(place));
}

Result<Kallsyms> stale() {
  return fail(ErrorKind::NotFound, "kallsyms cache: does not match this kernel and its modules");
}

}  // namespace

// Accesses the private members of SymbolTable, as its only friend other than the builder.
class SymbolTableImage {
 public:
  // Starts are stored relative to the first if 32 bits suffice, and ends only if some differ from the next start. Names
  // are stored as lengths; their text is in order of starts.
  static void encode(PieceWriter& sink, const SymbolTable& table) {
    const std::size_t count = table.starts_.size();
    sink.put(static_cast<u64>(count));
    if (count == 0) return;
    const u64 base = table.starts_.front();
    const bool narrow = table.starts_.back() - base <= 0xffffffffu;
    bool filled = true;
    for (u32 i = 0; i + 1 < count && filled; ++i) filled = table.end(SymbolIndex(i)) == table.starts_[i + 1];
    sink.put(static_cast<u64>((narrow ? kNarrow : 0) | (filled ? kFilled : 0)));
    sink.put(base);
    sink.put(table.end(SymbolIndex(static_cast<u32>(count) - 1)));
    std::vector<u32> distances;
    std::vector<u64> starts, ends;
    for (u32 i = 0; i < count; ++i) {
      starts.push_back(table.starts_[i]);
      ends.push_back(table.end(SymbolIndex(i)));
      distances.push_back(static_cast<u32>(starts.back() - base));
    }
    narrow ? sink.put_all(distances) : sink.put_all(starts);
    if (!filled) sink.put_all(ends);
    std::vector<u16> lengths;
    std::string text;
    for (u32 i = 0; i < count; ++i) {
      const std::string name = table.name(SymbolIndex(i)).substr(0, 0xffff);
      lengths.push_back(static_cast<u16>(name.size()));
      text.append(name).push_back('\0');
    }
    sink.put_all(lengths);
    sink.put_all(table.kinds_);
    sink.put_text(text);
  }

  static std::optional<SymbolTable> decode(PieceReader& source) {
    SymbolTable table;
    const u64 count = source.get64();
    if (count == 0) return source.ok() ? std::optional(std::move(table)) : std::nullopt;
    const u64 flags = source.get64();
    const u64 base = source.get64();
    const u64 last_end = source.get64();
    if ((flags & kNarrow) != 0) {
      const auto distances = source.get_all<u32>(count);
      table.starts_.reserve(distances.size());
      for (const u32 distance : distances) table.starts_.push_back(base + distance);
    } else {
      for (const u64 start : source.get_all<u64>(count)) table.starts_.push_back(start);
    }
    if (table.starts_.size() != count) return std::nullopt;
    if ((flags & kFilled) == 0) {
      for (const u64 end : source.get_all<u64>(count)) table.ends_.push_back(end);
      if (table.ends_.size() != count) return std::nullopt;
    }
    table.last_end_ = last_end;
    const auto lengths = source.get_all<u16>(count);
    table.kinds_ = source.get_all<u8>(count);
    table.text_ = leave_text(source);
    if (!source.ok()) return std::nullopt;
    u64 name = 0;
    table.names_.reserve(count);
    for (const u16 length : lengths) {
      table.names_.push_back(static_cast<u32>(name));
      name += length + 1u;
    }
    if (name != table.text_.size() || !is_sound(table)) return std::nullopt;
    table.build_index();
    return table;
  }

 private:
  static constexpr u64 kNarrow = 1;
  static constexpr u64 kFilled = 2;

  static bool is_sound(const SymbolTable& table) {
    for (u32 i = 0; i < table.starts_.size(); ++i) {
      if (i > 0 && table.starts_[i] <= table.starts_[i - 1]) return false;
      if (table.end(SymbolIndex(i)) < table.starts_[i]) return false;
      if ((table.kinds_[i] & 15) > 2 || table.kinds_[i] >> 4 > 3) return false;
    }
    return true;
  }
};

u64 hash_modules(std::string_view proc_modules_text) {
  std::string text;
  for (const ModuleRange& module : parse_modules(proc_modules_text))
    text.append(fmt::format("{} {:x} {:x}\n", module.name, module.start, module.size));
  return checksum(text);
}

std::string KallsymsCache::encode(const KallsymsKey& key, const Kallsyms& kallsyms) {
  PieceWriter sink;
  sink.put(kCacheMagic);
  sink.put(key.kernel);
  for (const u64 word : {key.text, key.modules, kallsyms.text, kallsyms.stext, kallsyms.etext}) sink.put(word);
  SymbolTableImage::encode(sink, kallsyms.kernel);
  sink.put(static_cast<u64>(kallsyms.modules.size()));
  for (const ModuleSymbols& module : kallsyms.modules) {
    sink.put_text(module.name);
    sink.put(module.start);
    sink.put(module.end);
    SymbolTableImage::encode(sink, module.table);
  }
  return sink.finish();
}

namespace {

Result<Kallsyms> decode_from(PieceReader& source, const KallsymsKey& key) {
  const u64 magic = source.get64();
  KallsymsKey written;
  written.kernel = source.get<BuildId>();
  written.text = source.get64();
  written.modules = source.get64();
  if (!source.ok() || magic != kCacheMagic || written != key) return stale();
  Kallsyms result;
  result.text = source.get64();
  result.stext = source.get64();
  result.etext = source.get64();
  auto kernel = SymbolTableImage::decode(source);
  if (!kernel) return stale();
  result.kernel = std::move(*kernel);
  const u64 count = source.get64();
  for (u64 i = 0; i < count && source.ok(); ++i) {
    ModuleSymbols module{.name = source.get_text(), .start = source.get64(), .end = source.get64()};
    auto table = SymbolTableImage::decode(source);
    if (!table) return stale();
    module.table = std::move(*table);
    result.modules.push_back(std::move(module));
  }
  if (!source.ends_well()) return stale();
  return result;
}

}  // namespace

Result<Kallsyms> KallsymsCache::decode(std::string_view file, const KallsymsKey& key) {
  PieceReader source(file);
  return decode_from(source, key);
}

Result<Kallsyms> KallsymsCache::load(const std::string& path, const KallsymsKey& key) {
  auto fd = open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!fd) return std::unexpected(std::move(fd.error()));
  struct stat status{};
  if (::fstat(fd->get(), &status) != 0) return fail_errno(path);
  const auto size = static_cast<u64>(status.st_size);
  if (!S_ISREG(status.st_mode) || size > kCacheLimit) return fail(ErrorKind::NotFound, "{}: no kallsyms cache", path);
  PieceReader source(fd->get(), size);
  return decode_from(source, key);
}

Result<> KallsymsCache::save(const std::string& path, const KallsymsKey& key, const Kallsyms& kallsyms) {
  return replace_file(path, encode(key, kallsyms), 0600);
}

}  // namespace peregrine
