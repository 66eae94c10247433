#include "symbol/kallsyms_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <type_traits>

#include "base/bytes.h"
#include "base/fd.h"

namespace peregrine {

namespace {

// Layout, all in host order: magic, checksum of all behind it, key, references, kernel table, modules.
constexpr u64 kMagic = 0x3130736b67657270;  // "pregks01"
constexpr std::size_t kLimit = std::size_t{1} << 28;

// Mixes eight bytes a step; guards against cut and damaged files, not against forgery.
u64 checksum(std::string_view bytes) {
  u64 value = 0x9e3779b97f4a7c15 ^ bytes.size();
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    u64 word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    value = (value ^ word) * 0xff51afd7ed558ccd;
    value ^= value >> 32;
  }
  for (; at < bytes.size(); ++at) value = (value ^ static_cast<u8>(bytes[at])) * 0x100000001b3;
  return value;
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
  static void encode(Sink& sink, const SymbolTable& table) {
    sink.put(static_cast<u64>(table.starts_.size()));
    sink.put_all(table.starts_);
    sink.put_all(table.ends_);
    sink.put_all(table.names_);
    sink.put_all(table.kinds_);
    sink.put_text(table.text_);
  }

  static std::optional<SymbolTable> decode(Source& source) {
    const u64 count = source.get64();
    SymbolTable table;
    table.starts_ = source.get_all<u64>(count);
    table.ends_ = source.get_all<u64>(count);
    table.names_ = source.get_all<u32>(count);
    table.kinds_ = source.get_all<u8>(count);
    table.text_ = source.get_text();
    if (!source.ok() || !is_sound(table)) return std::nullopt;
    table.build_index();
    return table;
  }

 private:
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
  auto file = read_file(path, kLimit);
  if (!file) return std::unexpected(std::move(file.error()));
  return decode(*file, key);
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
