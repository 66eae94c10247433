#include "symbol/kallsyms_cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <type_traits>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/replace_file.h"

namespace peregrine {

namespace {

// Layout, all in host order: magic, key, references, kernel table, modules, checksum of all pieces before it. The file
// is read piece by piece into the place where each is kept.
constexpr u64 kMagic = 0x3330736b67657270;  // "pregks03"
constexpr u64 kLimit = u64{1} << 28;
constexpr std::size_t kTextPiece = std::size_t{1} << 16;

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

// The checksum of a sequence of pieces; both sides cut the file into the same ones.
class PieceSum {
 public:
  void add(const void* data, std::size_t size) {
    sum_ = (sum_ ^ checksum({static_cast<const char*>(data), size})) * 0x9e3779b97f4a7c15;
  }
  u64 value() const { return sum_; }

 private:
  u64 sum_ = kMagic;
};

class Sink {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_piece(&value, sizeof value);
  }
  template <class T>
  void put_all(const std::vector<T>& values) {
    put_piece(values.data(), values.size() * sizeof(T));
  }
  void put_text(std::string_view text) {
    put(static_cast<u64>(text.size()));
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), kTextPiece)))
      put_piece(text.data(), std::min(text.size(), kTextPiece));
  }
  std::string finish() {
    put(sum_.value());
    return std::move(bytes_);
  }

 private:
  void put_piece(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
    sum_.add(data, size);
  }

  std::string bytes_;
  PieceSum sum_;
};

// Pieces of a file, or of one in memory. After a piece that is not there all are zero or empty, and ok() is false.
class Source {
 public:
  explicit Source(std::string_view bytes) : bytes_(bytes), size_(bytes.size()) {}
  Source(int fd, u64 size) : fd_(fd), size_(size) {}

  template <class T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    get_piece(reinterpret_cast<char*>(&value), sizeof value);
    return ok_ ? value : T{};
  }
  u64 get64() { return get<u64>(); }
  template <class T>
  std::vector<T> get_all(std::size_t count) {
    if (count > left() / sizeof(T)) {
      ok_ = false;
      return {};
    }
    std::vector<T> values(count);
    get_piece(reinterpret_cast<char*>(values.data()), count * sizeof(T));
    return values;
  }
  std::string get_text() {
    std::string text;
    pass_text(text, [] {});
    return text;
  }
  // The text is checked, and stays in the file if it can.
  NameText leave_text() {
    const u64 start = at_ + sizeof(u64);
    if (fd_ < 0) return NameText(get_text());
    std::string piece;
    pass_text(piece, [&] { piece.clear(); });
    NameText left = NameText::in_file(fd_, start, at_ - start);
    if (left.valid()) return left;
    std::string text(at_ - start, 0);
    ok_ = ok_ && pread_full(fd_, text.data(), text.size(), start).has_value();
    return NameText(std::move(text));
  }
  bool ok() const { return ok_; }
  bool ends_well() {
    const u64 sum = sum_.value();
    return get64() == sum && ok_ && left() == 0;
  }

 private:
  u64 left() const { return size_ - at_; }
  // Appends a text to `to` piece by piece; `after` is called behind each.
  template <class F>
  void pass_text(std::string& to, F after) {
    u64 size = get64();
    if (size > left()) ok_ = false;
    while (ok_ && size != 0) {
      const std::size_t part = std::min<u64>(size, kTextPiece);
      const std::size_t had = to.size();
      to.resize(had + part);
      if (!get_piece(to.data() + had, part)) to.clear();
      size -= part;
      after();
    }
  }
  bool get_piece(char* to, std::size_t size) {
    if (!ok_ || size > left()) return ok_ = false;
    if (fd_ < 0) {
      if (size != 0) std::memcpy(to, bytes_.data() + at_, size);
    } else if (const auto count = pread_full(fd_, reinterpret_cast<std::byte*>(to), size, at_);
               !count || *count != size) {
      return ok_ = false;
    }
    at_ += size;
    sum_.add(to, size);
    return true;
  }

  std::string_view bytes_;
  int fd_ = -1;
  u64 size_ = 0;
  u64 at_ = 0;
  bool ok_ = true;
  PieceSum sum_;
};

Result<Kallsyms> stale() { return fail(ErrorKind::NotFound, "kallsyms cache: not of this kernel and its modules"); }

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
    table.text_ = source.leave_text();
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
  Sink sink;
  sink.put(kMagic);
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

Result<Kallsyms> decode_from(Source& source, const KallsymsKey& key) {
  const u64 magic = source.get64();
  KallsymsKey written;
  written.kernel = source.get<BuildId>();
  written.text = source.get64();
  written.modules = source.get64();
  if (!source.ok() || magic != kMagic || written != key) return stale();
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
  Source source(file);
  return decode_from(source, key);
}

Result<Kallsyms> KallsymsCache::load(const std::string& path, const KallsymsKey& key) {
  auto fd = open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!fd) return std::unexpected(std::move(fd.error()));
  struct stat status{};
  if (::fstat(fd->get(), &status) != 0) return fail_errno(path);
  const auto size = static_cast<u64>(status.st_size);
  if (!S_ISREG(status.st_mode) || size > kLimit) return fail(ErrorKind::NotFound, "{}: no kallsyms cache", path);
  Source source(fd->get(), size);
  return decode_from(source, key);
}

Result<> KallsymsCache::save(const std::string& path, const KallsymsKey& key, const Kallsyms& kallsyms) {
  return replace_file(path, encode(key, kallsyms), 0600);
}

}  // namespace peregrine
