#include "data/feature/feature_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "data/feature/codec.h"

namespace peregrine::data {
namespace {

constexpr std::size_t kNameAlign = 64;

template <std::optional<std::string> Features::* kMember>
bool decode_text(ByteReader& in, Features& features) {
  std::string text = get_string(in);
  if (!in.ok()) return false;
  features.*kMember = std::move(text);
  return true;
}
template <std::optional<std::string> Features::* kMember>
bool encode_text(const Features& features, ByteWriter& out) {
  if (!(features.*kMember)) return false;
  put_string(out, *(features.*kMember));
  return true;
}

template <class Word, std::optional<Word> Features::* kMember>
bool decode_word(ByteReader& in, Features& features) {
  const Word value = in.get<Word>();
  if (in.ok()) features.*kMember = value;
  return in.ok();
}
template <class Word, std::optional<Word> Features::* kMember>
bool encode_word(const Features& features, ByteWriter& out) {
  if (!(features.*kMember)) return false;
  out.put<Word>(*(features.*kMember));
  return true;
}

template <bool Features::* kMember>
bool decode_flag(ByteReader&, Features& features) {
  return features.*kMember = true;
}
template <bool Features::* kMember>
bool encode_flag(const Features& features, ByteWriter&) {
  return features.*kMember;
}

#define PEREGRINE_WORD_OF(value) decltype(Features::value)::value_type, &Features::value
#define PEREGRINE_CODEC_TEXT(value) decode_text<&Features::value>, encode_text<&Features::value>
#define PEREGRINE_CODEC_WORD(value) decode_word<PEREGRINE_WORD_OF(value)>, encode_word<PEREGRINE_WORD_OF(value)>
#define PEREGRINE_CODEC_FLAG(value) decode_flag<&Features::value>, encode_flag<&Features::value>
#define PEREGRINE_CODEC_OWN(value) decode_##value, encode_##value
#define PEREGRINE_ROW(id, number, name, kind, value, source, traits) \
  FeatureRow{FeatureId::id, name, PEREGRINE_CODEC_##kind(value), FeatureSource::source, traits},
constexpr std::array kTable = [] {
  using namespace feature_trait;
  return std::array{PEREGRINE_FEATURE_ROWS(PEREGRINE_ROW)};
}();
#undef PEREGRINE_ROW
#undef PEREGRINE_CODEC_OWN
#undef PEREGRINE_CODEC_FLAG
#undef PEREGRINE_CODEC_WORD
#undef PEREGRINE_CODEC_TEXT
#undef PEREGRINE_WORD_OF

static_assert(std::ranges::is_sorted(kTable, std::ranges::less(), &FeatureRow::id) &&
                  std::ranges::adjacent_find(kTable, std::ranges::equal_to(), &FeatureRow::id) == kTable.end(),
              "feature_rows.h: sort the rows by number, and give each feature a number that no other has");

}  // namespace

std::span<const FeatureRow> feature_table() { return kTable; }

std::string get_string(ByteReader& in) {
  const u32 size = in.get32();
  return std::string(in.text(size));
}

void put_string(ByteWriter& out, std::string_view text) {
  const std::size_t size = (text.size() + 1 + kNameAlign - 1) / kNameAlign * kNameAlign;
  out.put32(static_cast<u32>(size)).append(text).zeros(size - text.size());
}

u32 get_count(ByteReader& in, std::size_t least) {
  const u32 count = in.get32();
  if (least != 0 && count > in.left() / least) in.skip(in.left() + 1);
  return in.ok() ? count : 0;
}

const FeatureRow* find_feature(u32 id, std::span<const FeatureRow> rows) {
  const auto found = std::ranges::find(rows, static_cast<FeatureId>(id), &FeatureRow::id);
  return found == rows.end() ? nullptr : &*found;
}

std::string_view feature_name(u32 id, std::span<const FeatureRow> rows) {
  const FeatureRow* row = find_feature(id, rows);
  return row != nullptr ? row->name : std::string_view();
}

bool feature_has(u32 id, unsigned trait, std::span<const FeatureRow> rows) {
  const FeatureRow* row = find_feature(id, rows);
  return row != nullptr && row->has(trait);
}

bool decode_feature(u32 id, Bytes bytes, ByteOrder order, Features& features, std::span<const FeatureRow> rows) {
  const FeatureRow* row = find_feature(id, rows);
  ByteReader in(bytes, order);
  return row != nullptr && row->decode(in, features);
}

std::optional<std::vector<std::byte>> encode_feature(u32 id, const Features& features, ByteOrder order,
                                                     std::span<const FeatureRow> rows) {
  const FeatureRow* row = find_feature(id, rows);
  ByteWriter out(order);
  if (row == nullptr || !row->encode(features, out)) return std::nullopt;
  return out.take();
}

}  // namespace peregrine::data
