#include "symbol/kallsyms_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <type_traits>

#include "base/bytes.h"
#include "base/fd.h"

namespace peregrine {

namespace {

// Layout, all in host order: magic, checksum of all behind it, key, references, kernel table, modules.
constexpr u64 kMagic = 0x3230736b67657270;  // "pregks02"
constexpr std::size_t kLimit = std::size_t{1} << 28;

// Four lanes of eight bytes a step; guards against cut and damaged files, not against forgery.
u64 checksum(std::string_view bytes) {
  constexpr u64 kFactor = 0xff51afd7ed558ccd;
  u64 lanes[4] = {1, 2, 3, bytes.size()};
  std::size_t at = 0;
  for (; at + sizeof lanes <= bytes.size(); at += sizeof lanes) {
    u64 words[4];
    std::memcpy(words, bytes.data() + at, sizeof words);
    for (int i = 0; i < 4; ++i) {
      lanes[i] = (lanes[i] ^ words[i]) * kFactor;
      lanes[i] ^= lanes[i] >> 29;
    }
  }
  u64 value = 0;
  for (const u64 lane : lanes) value = (value ^ lane) * kFactor;
  for (; at < bytes.size(); ++at) value = (value ^ static_cast<u8>(bytes[at])) * kFactor;
  return value ^ value >> 32;
}

class Sink {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class T>
  void put_all(const std::vector<T>& values) {
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  void put_text(std::string_view text) {
    put(static_cast<u64>(text.size()));
    bytes_.append(text);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Source {
 public:
  explicit Source(std::string_view bytes) : reader_(std::as_bytes(std::span(bytes))) {}

  u64 get64() { return reader_.get64(); }
  template <class T>
  std::vector<T> get_all(std::size_t count) {
    if (count > reader_.left() / sizeof(T)) {
      reader_.skip(reader_.left() + 1);
      return {};
    }
    std::vector<T> values(count);
    const Bytes raw = reader_.take(count * sizeof(T));
    if (count != 0) std::memcpy(values.data(), raw.data(), raw.size());
    return values;
  }
  std::string get_text() {
    const u64 size = reader_.get64();
    const Bytes raw = reader_.take(size);
    return {reinterpret_cast<const char*>(raw.data()), raw.size()};
  }
  BuildId get_build_id() {
    const Bytes raw = reader_.take(sizeof(BuildId));
    BuildId id;
    if (raw.size() == sizeof id) std::memcpy(&id, raw.data(), sizeof id);
    return id;
  }
  bool ok() const { return reader_.ok(); }
  bool at_end() const { return reader_.ok() && reader_.left() == 0; }

 private:
  ByteReader reader_;
};

void put_key(Sink& sink, const KallsymsKey& key) {
  sink.put(key.kernel);
  sink.put(key.text);
  sink.put(key.modules);
}

}  // namespace

// Reads and writes what SymbolTable keeps; nothing else may see that.
class SymbolTableImage {
 public:
  // Starts as distances from the first where 32 bits hold them; ends only where they are not the next start; lengths
  // of names, whose text lies in order of starts.
  static void encode(Sink& sink, const SymbolTable& table) {
    const std::size_t count = table.starts_.size();
    sink.put(static_cast<u64>(count));
    if (count == 0) return;
    const u64 base = table.starts_.front();
    const bool narrow = table.starts_.back() - base <= 0xffffffffu;
    bool filled = true;
    for (std::size_t i = 0; i + 1 < count && filled; ++i) filled = table.ends_[i] == table.starts_[i + 1];
    sink.put(static_cast<u64>((narrow ? kNarrow : 0) | (filled ? kFilled : 0)));
    sink.put(base);
    sink.put(table.ends_.back());
    std::vector<u32> distances;
    for (const u64 start : table.starts_) distances.push_back(static_cast<u32>(start - base));
    narrow ? sink.put_all(distances) : sink.put_all(table.starts_);
    if (!filled) sink.put_all(table.ends_);
    std::vector<u16> lengths;
    std::string text;
    for (u32 i = 0; i < count; ++i) {
      const std::string_view name = table.name(SymbolIndex(i)).substr(0, 0xffff);
      lengths.push_back(static_cast<u16>(name.size()));
      text.append(name).push_back('\0');
    }
    sink.put_all(lengths);
    sink.put_all(table.kinds_);
    sink.put_text(text);
  }

  static std::optional<SymbolTable> decode(Source& source) {
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
      table.starts_ = source.get_all<u64>(count);
    }
    if (table.starts_.size() != count) return std::nullopt;
    if ((flags & kFilled) != 0) {
      table.ends_.reserve(count);
      table.ends_.assign(table.starts_.begin() + 1, table.starts_.end());
      table.ends_.push_back(last_end);
    } else {
      table.ends_ = source.get_all<u64>(count);
    }
    const auto lengths = source.get_all<u16>(count);
    table.kinds_ = source.get_all<u8>(count);
    table.text_ = source.get_text();
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
    if (!table.text_.empty() && table.text_.back() != '\0') return false;
    for (std::size_t i = 0; i < table.starts_.size(); ++i) {
      if (i > 0 && table.starts_[i] <= table.starts_[i - 1]) return false;
      if (table.ends_[i] < table.starts_[i] || table.names_[i] >= table.text_.size()) return false;
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
  Sink sink;
  put_key(sink, key);
  sink.put(kallsyms.text);
  sink.put(kallsyms.stext);
  sink.put(kallsyms.etext);
  SymbolTableImage::encode(sink, kallsyms.kernel);
  sink.put(static_cast<u64>(kallsyms.modules.size()));
  for (const ModuleSymbols& module : kallsyms.modules) {
    sink.put_text(module.name);
    sink.put(module.start);
    sink.put(module.end);
    SymbolTableImage::encode(sink, module.table);
  }
  const std::string body = sink.take();
  sink.put(kMagic);
  sink.put(checksum(body));
  return sink.take() + body;
}

Result<Kallsyms> KallsymsCache::decode(std::string_view file, const KallsymsKey& key) {
  constexpr std::size_t kHead = 16;
  const auto stale = [] { return fail(ErrorKind::NotFound, "kallsyms cache: not of this kernel and its modules"); };
  if (file.size() < kHead) return stale();
  Source head(file.substr(0, kHead));
  const u64 magic = head.get64();
  const u64 sum = head.get64();
  file.remove_prefix(kHead);
  if (magic != kMagic) return stale();
  Source source(file);
  KallsymsKey written;
  written.kernel = source.get_build_id();
  written.text = source.get64();
  written.modules = source.get64();
  if (!source.ok() || written != key || checksum(file) != sum) return stale();
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
  if (!source.at_end()) return stale();
  return result;
}

Result<Kallsyms> KallsymsCache::load(const std::string& path, const KallsymsKey& key) {
  auto fd = open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!fd) return std::unexpected(std::move(fd.error()));
  struct stat status{};
  if (::fstat(fd->get(), &status) != 0) return fail_errno(path);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || size > kLimit) return fail(ErrorKind::NotFound, "{}: no kallsyms cache", path);
  const auto bytes = std::make_unique_for_overwrite<char[]>(size);
  auto count = pread_full(fd->get(), bytes.get(), size, 0);
  if (!count) return std::unexpected(std::move(count.error()));
  return decode({bytes.get(), *count}, key);
}

Result<> KallsymsCache::save(const std::string& path, const KallsymsKey& key, const Kallsyms& kallsyms) {
  const std::string temporary = fmt::format("{}.{}", path, ::getpid());
  auto fd = open_file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (!fd) return std::unexpected(std::move(fd.error()));
  const std::string bytes = encode(key, kallsyms);
  auto written = write_all(fd->get(), bytes.data(), bytes.size());
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0) written = fail_errno(path);
  if (!written) ::unlink(temporary.c_str());
  return written;
}

}  // namespace peregrine
