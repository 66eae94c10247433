#include "machine/source_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/replace_file.h"

namespace peregrine {
namespace {

constexpr std::string_view kMagic = "PGLINES1", kSuffix = ".lines";
constexpr u64 kMostBytes = u64{64} << 20;
constexpr std::size_t kMostFrames = 255;

std::string path_of(const std::string& folder, const BuildId& id) {
  return folder + "/" + id.hex() + std::string(kSuffix);
}

u64 checksum(std::string_view bytes) {
  u64 sum = 0xcbf29ce484222325u;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    sum = (sum ^ load<u64>(reinterpret_cast<const std::byte*>(bytes.data() + at), ByteOrder::Little)) *
          0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
  }
  for (; at < bytes.size(); ++at) sum = (sum ^ static_cast<u8>(bytes[at])) * 0x9e3779b97f4a7c15u;
  return sum;
}

// Each text once, numbered by first use.
class TextList {
 public:
  u32 number(std::string_view text) {
    const auto [at, added] = numbers_.try_emplace(text, static_cast<u32>(texts_.size()));
    if (added) texts_.push_back(text);
    return at->second;
  }
  const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string_view, u32> numbers_;
  std::vector<std::string_view> texts_;
};

}  // namespace

std::string SourceCache::encode() const {
  std::vector<Place> places;
  for (const Place& place : loaded_)
    if (!added_.contains(place.address)) places.push_back(place);
  for (const auto& [address, place] : added_) places.push_back(place);
  std::ranges::sort(places, {}, &Place::address);
  TextList texts;
  ByteWriter frames(ByteOrder::Little), list(ByteOrder::Little);
  u32 count = 0;
  for (const Place& place : places) {
    list.put64(place.address).put32(count).put16(place.count).put16(place.functions);
    count += place.count;
    for (u32 i = 0; i < place.count; ++i) {
      const Frame& frame = frames_[place.first + i];
      frames.put32(texts.number(frame.function)).put32(texts.number(frame.path)).put32(frame.line);
    }
  }
  ByteWriter out(ByteOrder::Little);
  out.append(kMagic).put32(static_cast<u32>(texts.texts().size())).put32(count).put32(static_cast<u32>(places.size()));
  for (const std::string_view text : texts.texts()) out.put32(static_cast<u32>(text.size()));
  out.append(frames.bytes()).append(list.bytes());
  for (const std::string_view text : texts.texts()) out.append(text);
  const std::string_view body(reinterpret_cast<const char*>(out.bytes().data()), out.size());
  const u64 sum = checksum(body);
  out.put64(sum);
  return {reinterpret_cast<const char*>(out.bytes().data()), out.size()};
}

std::optional<SourceCache> SourceCache::decode(std::string file) {
  SourceCache cache;
  cache.file_ = std::move(file);
  if (cache.file_.size() < kMagic.size() + 8) return std::nullopt;
  const std::string_view body = std::string_view(cache.file_).substr(0, cache.file_.size() - 8);
  ByteReader reader(std::as_bytes(std::span(cache.file_)), ByteOrder::Little);
  if (reader.text(kMagic.size()) != kMagic) return std::nullopt;
  const u64 texts = reader.get32(), frames = reader.get32(), places = reader.get32();
  if (reader.left() < texts * 4 + frames * 12 + places * 16 + 8) return std::nullopt;
  if (peregrine::load<u64>(reinterpret_cast<const std::byte*>(body.data() + body.size()), ByteOrder::Little) !=
      checksum(body))
    return std::nullopt;
  std::vector<std::string_view> text(texts);
  u64 at = reader.offset() + texts * 4 + frames * 12 + places * 16;
  for (std::string_view& one : text) {
    const u32 size = reader.get32();
    if (size > body.size() - at) return std::nullopt;
    one = body.substr(at, size);
    at += size;
  }
  cache.frames_.resize(frames);
  for (Frame& frame : cache.frames_) {
    const u32 function = reader.get32(), path = reader.get32();
    frame.line = reader.get32();
    if (function >= texts || path >= texts) return std::nullopt;
    frame.function = text[function];
    frame.path = text[path];
  }
  cache.loaded_.resize(places);
  for (Place& place : cache.loaded_) {
    place = {.address = reader.get64(), .first = reader.get32(), .count = reader.get16(), .functions = reader.get16()};
    if (place.first > frames || place.count > frames - place.first) return std::nullopt;
  }
  if (!std::ranges::is_sorted(cache.loaded_, {}, &Place::address)) return std::nullopt;
  return cache;
}

std::optional<std::span<const SourceCache::Frame>> SourceCache::frames_of(const Place& place, bool functions) const {
  if (functions && place.functions == 0) return std::nullopt;
  return std::span(frames_).subspan(place.first, place.count);
}

std::optional<std::span<const SourceCache::Frame>> SourceCache::find(u64 address, bool functions) const {
  const auto added = added_.find(address);
  if (added != added_.end()) return frames_of(added->second, functions);
  const auto place = std::ranges::lower_bound(loaded_, address, {}, &Place::address);
  if (place == loaded_.end() || place->address != address) return std::nullopt;
  return frames_of(*place, functions);
}

void SourceCache::add(u64 address, bool functions, std::span<const Frame> frames) {
  if (frames.size() > kMostFrames) return;
  added_[address] = {.address = address,
                     .first = static_cast<u32>(frames_.size()),
                     .count = static_cast<u16>(frames.size()),
                     .functions = static_cast<u16>(functions ? 1 : 0)};
  frames_.insert(frames_.end(), frames.begin(), frames.end());
  changed_ = true;
}

SourceCache SourceCache::load(const std::string& folder, const BuildId& id) {
  const auto fd = open_file(path_of(folder, id), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat status{};
  if (!fd || ::fstat(fd->get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  auto file = read_all(fd->get(), "lines", kMostBytes);
  if (!file) return {};
  auto cache = decode(std::move(*file));
  if (!cache) return {};
  ::futimens(fd->get(), nullptr);  // it was of use
  return std::move(*cache);
}

Result<> SourceCache::save(const std::string& folder, const BuildId& id, u64 quota) const {
  const std::string bytes = encode();
  if (bytes.size() > std::min(kMostBytes, quota)) return {};
  ::mkdir(folder.substr(0, folder.rfind('/')).c_str(), 0700);
  ::mkdir(folder.c_str(), 0700);
  PEREGRINE_TRY(replace_file(path_of(folder, id), bytes, 0600));
  u64 sum = 0;
  const std::vector<SourceCacheFile> files = source_cache_files(folder);
  for (const SourceCacheFile& file : files) sum += file.size;
  for (const SourceCacheFile& file : files) {
    if (sum <= quota) break;
    if (::unlink(file.path.c_str()) == 0) sum -= file.size;
  }
  return {};
}

std::vector<SourceCacheFile> source_cache_files(const std::string& folder) {
  std::vector<SourceCacheFile> files;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(folder.c_str()), ::closedir);
  if (dir == nullptr) return files;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string_view name = entry->d_name;
    if (!name.ends_with(kSuffix)) continue;
    const auto id = BuildId::parse(name.substr(0, name.size() - kSuffix.size()));
    struct stat status{};
    const std::string path = folder + "/" + std::string(name);
    if (!id || ::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    files.push_back({path, *id, static_cast<u64>(status.st_size), status.st_mtim.tv_sec});
  }
  std::ranges::sort(files, [](const SourceCacheFile& a, const SourceCacheFile& b) {
    return a.used != b.used ? a.used < b.used : a.path < b.path;
  });
  return files;
}

}  // namespace peregrine
