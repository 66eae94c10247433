#include "machine/source_cache.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/checksum.h"

namespace peregrine {
namespace {

constexpr std::string_view kMagic = "PGLINES2";
constexpr std::size_t kMostFrames = 255;

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

SourceCache SourceCache::load(const KeptFiles& kept, const BuildId& id) {
  const auto opened = kept.open(KeptKind::Lines, id);
  if (!opened) return {};
  auto file = read_all(opened->fd.get(), "lines", opened->size);
  if (!file) return {};
  auto cache = decode(std::move(*file));
  return cache ? std::move(*cache) : SourceCache();
}

Result<> SourceCache::save(const KeptFiles& kept, const BuildId& id) const {
  return kept.save(KeptKind::Lines, id, encode());
}

}  // namespace peregrine
