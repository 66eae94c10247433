#include "machine/source/source_cache.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/build_id.h"
#include "base/bytes.h"
#include "base/digest/checksum.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {
namespace {

// The file:
//
//   magic · numbers of texts, frames, places · sizes of the texts
//   frames   function, path (numbers of texts), line          4 + 4 + 4 bytes
//   places   address, first frame, number of frames, flag     8 + 4 + 2 + 2 bytes, sorted by address
//   texts · checksum
//
// Frames and places have fixed sizes, so that decode() need not read them: find() searches the places in the file's
// bytes.
constexpr std::string_view kMagic = "PGLINES2";
constexpr std::size_t kMostFrames = 255;
constexpr std::size_t kFrameSize = 12, kPlaceSize = 16;  // bytes in the file

// Deduplicates texts and numbers them by first use.
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
  std::vector<Place> places;  // places in frames_, by address
  for (const auto& [address, place] : added_) places.push_back(place);
  std::ranges::sort(places, {}, &Place::address);
  TextList texts;
  ByteWriter frames(ByteOrder::Little), list(ByteOrder::Little);
  u32 count = 0, written = 0;
  const auto put = [&](const Place& place, std::span<const Frame> own) {
    list.put64(place.address).put32(count).put16(place.count).put16(place.functions);
    count += place.count;
    ++written;
    for (const Frame& frame : own)
      frames.put32(texts.number(frame.function)).put32(texts.number(frame.path)).put32(frame.line);
  };
  auto added = places.begin();
  const auto put_added = [&] {
    put(*added, std::span(frames_).subspan(added->first, added->count));
    ++added;
  };
  // Merges the places of the file with the new ones, both sorted by address. A new answer replaces an old one: it may
  // have functions as well.
  for (std::size_t at = 0; at < place_count_; ++at) {
    const Place place = loaded(at);
    while (added != places.end() && added->address < place.address) put_added();
    if (added_.contains(place.address)) continue;
    if (const auto own = loaded_frames(place)) put(place, *own);
  }
  while (added != places.end()) put_added();
  ByteWriter out(ByteOrder::Little);
  out.append(kMagic).put32(static_cast<u32>(texts.texts().size())).put32(count).put32(written);
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
  if (reader.left() < texts * 4 + frames * kFrameSize + places * kPlaceSize + 8) return std::nullopt;
  if (peregrine::load<u64>(reinterpret_cast<const std::byte*>(body.data() + body.size()), ByteOrder::Little) !=
      checksum(body))
    return std::nullopt;
  cache.frames_at_ = reader.offset() + texts * 4;
  cache.frame_count_ = frames;
  cache.place_count_ = places;
  cache.texts_.resize(texts);
  u64 at = cache.frames_at_ + frames * kFrameSize + places * kPlaceSize;
  for (std::string_view& one : cache.texts_) {
    const u32 size = reader.get32();
    if (size > body.size() - at) return std::nullopt;
    one = body.substr(at, size);
    at += size;
  }
  return cache;
}

SourceCache::Place SourceCache::loaded(std::size_t at) const {
  const std::size_t offset = frames_at_ + frame_count_ * kFrameSize + at * kPlaceSize;
  ByteReader reader(std::as_bytes(std::span(file_).subspan(offset, kPlaceSize)), ByteOrder::Little);
  return {.address = reader.get64(), .first = reader.get32(), .count = reader.get16(), .functions = reader.get16()};
}

// Binary search: places are sorted by address.
std::optional<SourceCache::Place> SourceCache::find_loaded(u64 address) const {
  std::size_t low = 0, high = place_count_;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const Place place = loaded(middle);
    if (place.address == address) return place;
    if (place.address < address)
      low = middle + 1;
    else
      high = middle;
  }
  return std::nullopt;
}

std::optional<std::vector<SourceCache::Frame>> SourceCache::loaded_frames(const Place& place) const {
  if (place.first > frame_count_ || place.count > frame_count_ - place.first) return std::nullopt;
  std::vector<Frame> frames(place.count);
  ByteReader reader(std::as_bytes(std::span(file_).subspan(frames_at_ + place.first * kFrameSize)), ByteOrder::Little);
  for (Frame& frame : frames) {
    const u32 function = reader.get32(), path = reader.get32();
    frame.line = reader.get32();
    if (function >= texts_.size() || path >= texts_.size()) return std::nullopt;
    frame.function = texts_[function];
    frame.path = texts_[path];
  }
  return frames;
}

std::optional<std::vector<SourceCache::Frame>> SourceCache::find(u64 address, bool functions) const {
  const auto added = added_.find(address);
  const std::optional<Place> place = added == added_.end() ? find_loaded(address) : added->second;
  if (!place || (functions && place->functions == 0)) return std::nullopt;
  if (added == added_.end()) return loaded_frames(*place);
  const auto first = frames_.begin() + place->first;
  return std::vector(first, first + place->count);
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
