#include "symbol/jit/jitdump.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <expected>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "base/judged_file.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/jit/run_time_file.h"
#include "symbol/table/symbol_table_builder.h"

namespace peregrine {
namespace {

constexpr u32 kJitdumpMagic = 0x4a695444;  // "JiTD"
constexpr std::size_t kJitdumpHeaderSize = 40, kPrefixSize = 16, kLoadSize = 40, kMoveSize = 48;
constexpr u64 kFlagCycles = 1, kElfHeaderSize = 64;
constexpr std::size_t kWindow = std::size_t{1} << 18;
// Limits for hostile dumps; at these limits, the index takes about 400 MB.
constexpr std::size_t kMostLoads = std::size_t{1} << 21, kMostNames = std::size_t{1} << 28, kLongestName = 65536;
constexpr u64 kMostLineBytes = u64{1} << 26;

enum class Kind : u32 { Load = 0, Move = 1, Lines = 2, Close = 3, Unwinding = 4 };

}  // namespace

// Reads the records once and fills the dump's tables, through a sliding window of the file. Lines and unwind tables
// precede the LOAD record that they belong to, so they are kept until it arrives. An invalid record is skipped; one
// with an impossible size ends the walk, because the next one cannot be found.
class JitDump::Index {
 public:
  explicit Index(JitDump& dump) : dump_(dump) {}

  Result<> run() {
    PEREGRINE_TRY(read_header());
    while (next_record()) {
    }
    if (line_distance_ != ~u64{0} && line_distance_ >= kElfHeaderSize) dump_.line_shift_ = kElfHeaderSize;
    // Several threads may write: each one in order, but their records are interleaved.
    std::ranges::stable_sort(dump_.placements_, {}, &JitPlacement::time);
    return {};
  }

 private:
  // Up to `size` bytes at `place`; valid until the next call.
  Bytes at(u64 place, std::size_t size) {
    if (place < window_at_ || place - window_at_ > window_.size() || window_.size() - (place - window_at_) < size) {
      window_.resize(std::max(size, kWindow));
      window_at_ = place;
      window_.resize(dump_.read(place, window_));
    }
    const std::size_t skipped = place - window_at_;
    return Bytes(window_).subspan(skipped, std::min(size, window_.size() - skipped));
  }

  Result<> read_header() {
    const Bytes bytes = at(0, kJitdumpHeaderSize);
    const auto malformed = [&](std::string_view why) { return fail(ErrorKind::Malformed, "{}: {}", dump_.path_, why); };
    if (bytes.size() < kJitdumpHeaderSize) return malformed("too short for a jitdump");
    const u32 magic = load<u32>(bytes.data());
    if (magic != kJitdumpMagic && swap_bytes(magic) != kJitdumpMagic) return malformed("not a jitdump");
    constexpr auto kOther = kHostOrder == ByteOrder::Little ? ByteOrder::Big : ByteOrder::Little;
    dump_.order_ = magic == kJitdumpMagic ? kHostOrder : kOther;
    ByteReader reader(bytes.subspan(4), dump_.order_);
    if (const u32 version = reader.get32(); version != 1) return malformed("unsupported jitdump version: must be 1");
    place_ = reader.get32();
    dump_.machine_ = static_cast<u16>(reader.get32());
    reader.skip(4);
    dump_.pid_ = reader.get32();
    reader.skip(8);
    const u64 flags = reader.get64();
    if (place_ < kJitdumpHeaderSize) return malformed("the header is too short");
    if ((flags & ~kFlagCycles) != 0) return malformed("unknown flags");
    dump_.cycles_ = (flags & kFlagCycles) != 0;
    return {};
  }

  // False at the end of the file, or where the next record cannot be found.
  bool next_record() {
    if (place_ >= dump_.file_size_) return false;
    ByteReader prefix(at(place_, kPrefixSize), dump_.order_);
    const u32 kind = prefix.get32();
    const u32 size = prefix.get32();
    const u64 time = prefix.get64();
    dump_.cut_ = !prefix.ok() || size > dump_.file_size_ - place_;
    if (dump_.cut_) return false;
    if (size < kPrefixSize || dump_.loads_.size() >= kMostLoads) {  // the next record cannot be found
      ++dump_.bad_records_;
      return false;
    }
    const u64 body = place_ + kPrefixSize;
    place_ += size;
    if (!take(static_cast<Kind>(kind), time, body, size - kPrefixSize)) ++dump_.bad_records_;
    return true;
  }

  bool take(Kind kind, u64 time, u64 body, u64 size) {
    switch (kind) {
      case Kind::Load:
        return take_load(time, body, size);
      case Kind::Move:
        return take_move(time, body, size);
      case Kind::Lines:
        return take_lines(body, size);
      case Kind::Unwinding:
        return take_unwinding(body, size);
      case Kind::Close:
        break;
    }
    return true;
  }

  bool take_load(u64 time, u64 body, u64 size) {
    ByteReader reader(at(body, kLoadSize), dump_.order_);
    reader.skip(8 + 8);
    JitLoad load{.time = time, .address = reader.get64(), .size = reader.get64(), .index = reader.get64()};
    const JitLoad about = std::exchange(unwinding_, {});
    if (!reader.ok() || size < kLoadSize || load.size > size - kLoadSize) return false;
    if (load.size > ~u64{0} - load.address) return false;
    const u64 name_size = size - kLoadSize - load.size;
    const Bytes name = at(body + kLoadSize, std::min<u64>(name_size, kLongestName));
    const std::string_view text(reinterpret_cast<const char*>(name.data()), name.size());
    load.code_at = body + kLoadSize + name_size;
    load.name_at = dump_.names_.size();
    dump_.names_ += text.substr(0, dump_.names_.size() < kMostNames ? text.find('\0') : 0);
    dump_.names_ += '\0';
    load.unwinding_at = about.unwinding_at;
    load.unwinding_size = about.unwinding_size;
    load.header_size = about.header_size;
    load.mapped_size = about.mapped_size;
    if (const auto lines = lines_.find(load.address); lines != lines_.end()) {
      load.lines_at = lines->second.lines_at;
      load.lines_size = lines->second.lines_size;
      load.line_count = lines->second.line_count;
      lines_.erase(lines);
    }
    const auto number = static_cast<u32>(dump_.loads_.size());
    by_index_[load.index] = number;
    dump_.placements_.push_back({time, load.address, load.size, number});
    dump_.loads_.push_back(load);
    return true;
  }

  bool take_move(u64 time, u64 body, u64 size) {
    ByteReader reader(at(body, kMoveSize), dump_.order_);
    reader.skip(8 + 8 + 8);
    const u64 address = reader.get64();
    const u64 moved_size = reader.get64();
    const auto found = by_index_.find(reader.get64());
    if (!reader.ok() || size < kMoveSize || found == by_index_.end() || moved_size > ~u64{0} - address) return false;
    const u64 most = dump_.loads_[found->second].size;
    dump_.placements_.push_back({time, address, std::min(moved_size, most), found->second, true});
    return true;
  }

  // Precedes its LOAD; records of another thread may come between.
  bool take_lines(u64 body, u64 size) {
    ByteReader reader(at(body, 24), dump_.order_);
    const u64 address = reader.get64();
    const u64 count = reader.get64();
    if (const u64 first = reader.get64(); reader.ok() && first >= address)
      line_distance_ = std::min(line_distance_, first - address);
    if (size < 16 || size > kMostLineBytes) return false;
    if (lines_.size() >= kMostLoads) lines_.clear();
    lines_[address] = JitLoad{.lines_at = body + 16, .lines_size = size - 16, .line_count = count};
    return true;
  }

  // Has no code address: it belongs to the next LOAD.
  bool take_unwinding(u64 body, u64 size) {
    ByteReader reader(at(body, 24), dump_.order_);
    JitLoad about{.unwinding_at = body + 24};
    about.unwinding_size = reader.get64();
    about.header_size = reader.get64();
    about.mapped_size = reader.get64();
    const bool good = reader.ok() && size >= 24 && about.unwinding_size <= size - 24 &&
                      about.header_size <= about.unwinding_size && about.mapped_size <= about.unwinding_size;
    unwinding_ = good ? about : JitLoad{};
    return good;
  }

  JitDump& dump_;
  std::vector<std::byte> window_;
  u64 window_at_ = 0;
  u64 place_ = 0;
  std::unordered_map<u64, u32> by_index_;
  std::unordered_map<u64, JitLoad> lines_;  // by code address, until the LOAD arrives
  JitLoad unwinding_;
  u64 line_distance_ = ~u64{0};  // smallest distance from a function's start to its first line
};

Result<JitDump> JitDump::open(const std::string& path, const FileOwners& owners) {
  auto fd = open_run_time_file(path, owners);
  if (!fd) return std::unexpected(std::move(fd.error()));
  return from_fd(std::move(*fd), path);
}

Result<JitDump> JitDump::from_fd(Fd fd, const std::string& path) {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return fail_errno(path);
  JitDump dump;
  dump.path_ = path;
  dump.fd_ = std::move(fd);
  dump.file_size_ = static_cast<u64>(status.st_size);
  return index(std::move(dump));
}

Result<JitDump> JitDump::from_bytes(std::vector<std::byte> bytes, std::string name) {
  JitDump dump;
  dump.path_ = std::move(name);
  dump.file_size_ = bytes.size();
  dump.image_ = std::move(bytes);
  return index(std::move(dump));
}

Result<JitDump> JitDump::index(JitDump dump) {
  PEREGRINE_TRY(Index(dump).run());
  return dump;
}

std::size_t JitDump::read(u64 place, std::span<std::byte> out) const {
  if (place >= file_size_) return 0;
  out = out.first(std::min<u64>(out.size(), file_size_ - place));
  if (out.empty()) return 0;
  if (fd_) return pread_full(fd_.get(), out.data(), out.size(), place).value_or(0);
  std::memcpy(out.data(), image_.data() + place, out.size());
  return out.size();
}

std::vector<std::byte> JitDump::bytes(u64 place, u64 size) const {
  std::vector<std::byte> result(place < file_size_ ? std::min(size, file_size_ - place) : 0);
  result.resize(read(place, result));
  return result;
}

const JitLoad* JitDump::find(u64 dso_address) const {
  const auto behind = std::ranges::upper_bound(loads_, dso_address, {}, &JitLoad::code_at);
  if (behind == loads_.begin()) return nullptr;
  const JitLoad& load = *std::prev(behind);
  return dso_address - load.code_at < load.size ? &load : nullptr;
}

JitLines JitDump::lines(const JitLoad& load) const {
  constexpr std::string_view kSameFile = "\xff";
  const std::vector<std::byte> raw = bytes(load.lines_at, load.lines_size);
  ByteReader reader(raw, order_);
  JitLines result;
  for (u64 i = 0; i < load.line_count && reader.left() > 16; ++i) {
    JitLine line;
    line.address = reader.get64() - line_shift_;
    line.line = reader.get32();
    line.discriminator = reader.get32();
    const std::string_view text = ByteReader(reader.rest()).text(reader.left());
    reader.skip(std::min(text.size() + 1, reader.left()));
    if (result.files.empty() || (text != kSameFile && text != result.files.back())) result.files.emplace_back(text);
    line.file = static_cast<u32>(result.files.size() - 1);
    result.lines.push_back(line);
  }
  return result;
}

SymbolTable JitDump::symbols() const {
  SymbolTableBuilder builder(NameStyle::Plain);
  builder.reserve(loads_.size());
  for (const JitLoad& load : loads_) {
    if (load.size == 0 || name(load).empty()) continue;
    builder.add({.start = load.code_at,
                 .end = load.code_at + load.size,
                 .name = name(load),
                 .binding = SymbolBinding::Global,
                 .type = SymbolType::Function});
  }
  return builder.build();
}

std::optional<u32> jitdump_pid(std::string_view path) {
  constexpr std::string_view kPrefix = "jit-", kSuffix = ".dump";
  path.remove_prefix(std::min(path.rfind('/') + 1, path.size()));
  if (!path.starts_with(kPrefix) || !path.ends_with(kSuffix)) return std::nullopt;
  path.remove_prefix(kPrefix.size());
  const auto pid = take_number<u32>(path);
  return path == kSuffix ? pid : std::nullopt;
}

}  // namespace peregrine
