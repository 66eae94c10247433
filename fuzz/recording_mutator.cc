#include "recording_mutator.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {

namespace {

constexpr std::string_view kMagic = "PERFILE2";

using Piece = RecordingParts::Piece;

u64 load_width(const Piece& bytes, std::size_t at, std::size_t width) {
  u64 value = 0;
  std::memcpy(&value, bytes.data() + at, std::min<std::size_t>(width, 8));
  return value;
}

void store_width(Piece& bytes, std::size_t at, std::size_t width, u64 value) {
  std::memcpy(bytes.data() + at, &value, std::min<std::size_t>(width, 8));
}

// Kernel and synthesized record types that tools write.
constexpr u32 kTypes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                          64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83};

// Bits of sample_type with an 8-byte field at the front of the sample, in sample order.
constexpr unsigned kWordBits[] = {16, 0, 1, 2, 3, 6, 9, 7, 8};

bool is_digit(std::byte b) { return b >= std::byte{'0'} && b <= std::byte{'9'}; }

}  // namespace

std::vector<std::byte> RecordingMutator::mutate_as_bytes(Bytes bytes, std::size_t limit) {
  std::vector<std::byte> out(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), limit)));
  const std::size_t size = out.size();
  out.resize(limit);
  out.resize(std::min(mutate_bytes_(out, size), limit));
  return out;
}

std::vector<std::byte> RecordingMutator::mutate(Bytes bytes, std::size_t limit) {
  std::optional<RecordingParts> parts = RecordingParts::parse(bytes);
  if (!parts || chance(16)) return mutate_as_bytes(bytes, limit);
  for (std::size_t steps = 1 + below(6); steps > 0; --steps) change(*parts);
  std::vector<std::byte> out = parts->bytes();
  return out.size() <= limit ? out : mutate_as_bytes(bytes, limit);
}

std::vector<std::byte> RecordingMutator::mutate_input(Bytes input, std::size_t lines, std::size_t limit) {
  std::vector<std::byte> out{input[0]};
  if (chance(4)) out[0] = static_cast<std::byte>(below(lines));
  const Bytes recordings = input.subspan(1);
  const auto text = std::as_bytes(std::span(kMagic));
  const auto found = std::search(recordings.begin() + 1, recordings.end(), text.begin(), text.end());
  const auto first = static_cast<std::size_t>(found - recordings.begin());
  const bool two = first < recordings.size(), change_second = two && chance(2);
  const Bytes kept = change_second ? recordings.first(first) : recordings.subspan(first);
  if (kept.size() + 2 >= limit) return mutate_as_bytes(input, limit);
  const std::vector<std::byte> changed =
      mutate(change_second ? recordings.subspan(first) : recordings.first(first), limit - 1 - kept.size());
  if (change_second) out.insert(out.end(), kept.begin(), kept.end());
  out.insert(out.end(), changed.begin(), changed.end());
  if (!change_second) out.insert(out.end(), kept.begin(), kept.end());
  return out;
}

std::vector<std::byte> RecordingMutator::splice(Bytes one, Bytes other, std::size_t limit) {
  auto parts = RecordingParts::parse(one), more = RecordingParts::parse(other);
  if (!parts || !more) return mutate(one, limit);
  if (parts->attrs.size() != more->attrs.size() && chance(2)) parts->attrs = more->attrs;
  if (chance(4))
    for (const auto& [bit, content] : more->features) parts->features[bit] = content;
  std::vector<Piece> mixed;
  auto mine = parts->records.begin();
  auto theirs = more->records.begin();
  while (mine != parts->records.end() || theirs != more->records.end()) {
    const bool take_mine = theirs == more->records.end() || (mine != parts->records.end() && chance(2));
    Piece& record = take_mine ? *mine++ : *theirs++;
    if (!chance(8)) mixed.push_back(std::move(record));
  }
  parts->records = std::move(mixed);
  std::vector<std::byte> out = parts->bytes();
  return out.size() <= limit ? out : mutate(one, limit);
}

void RecordingMutator::change(RecordingParts& parts) {
  const std::size_t choice = below(20);
  if (choice < 10) return change_fields(parts);
  if (choice < 14) return change_order(parts);
  if (choice < 16) return change_feature(parts);
  if (choice < 17) return change_attr(parts);
  if (choice < 18) return drop_sample_field(parts);
  if (choice < 19 || !chance(4)) return insert_record(parts);
  parts = parts.as_pipe();
}

void RecordingMutator::change_order(RecordingParts& parts) {
  std::vector<Piece>& records = parts.records;
  if (records.empty()) return;
  const auto at = [&](std::size_t n) { return records.begin() + static_cast<std::ptrdiff_t>(n); };
  const std::size_t from = below(records.size());
  const std::size_t count = std::min(records.size() - from, 1 + (chance(3) ? below(16) : 0));
  switch (below(4)) {
    case 0:
      if (records.size() > count) records.erase(at(from), at(from + count));
      return;
    case 1: {
      const std::vector<Piece> copies(at(from), at(from + count));
      const std::size_t place = below(records.size() + 1);
      const std::size_t times = chance(8) ? 1 + below(64) : 1;
      for (std::size_t n = 0; n < times; ++n) records.insert(at(place), copies.begin(), copies.end());
      return;
    }
    case 2:
      std::swap(records[from], records[below(records.size())]);
      return;
    default: {
      std::vector<Piece> taken(at(from), at(from + count));
      records.erase(at(from), at(from + count));
      records.insert(at(below(records.size() + 1)), taken.begin(), taken.end());
    }
  }
}

u64 RecordingMutator::other_value(const RecordingParts& parts, const RecordField& field, u64 old) {
  const unsigned bits = static_cast<unsigned>(std::min<std::size_t>(field.width, 8) * 8);
  switch (below(9)) {
    case 0:
      return below(3) == 0 ? ~u64{0} : below(4);
    case 1:
      return old + 1;
    case 2:
      return old - 1;
    case 3:
      return old ^ u64 { 1 } << below(bits);
    case 4:
      return u64{1} << below(bits);
    case 5:
      return (u64{1} << below(bits)) - 1;
    case 6:
      return below(256);
    case 7:
      return old + (below(2000) << below(20)) - (chance(2) ? u64{1} << 24 : 0);
    default:
      break;
  }
  // Another value of the same field, or of any field of the same width.
  for (unsigned tries = 0; tries < 8; ++tries) {
    const Piece& other = parts.records[below(parts.records.size())];
    std::vector<RecordField> fields = parts.fields(other);
    if (tries < 6)
      std::erase_if(fields, [&](const RecordField& each) { return each.kind != field.kind || each.key != field.key; });
    if (fields.empty()) continue;
    const RecordField& from = fields[below(fields.size())];
    return load_width(other, from.offset, from.width);
  }
  return random_();
}

void RecordingMutator::change_field(const RecordingParts& parts, Piece& record) {
  const std::vector<RecordField> fields = parts.fields(record);
  if (fields.empty()) return;
  const RecordField& field = fields[below(fields.size())];
  if (field.kind == MutableKind::Text ||
      (field.width != 1 && field.width != 2 && field.width != 4 && field.width != 8)) {
    const std::span<std::byte> text = std::span(record).subspan(field.offset, field.width);
    if (chance(2)) {
      mutate_bytes_(text, text.size());
    } else {
      constexpr std::string_view kNasty = "<\">&'\\,;\n\t\x1b\xff\x80%s:[]{}/|";
      text[below(text.size())] = static_cast<std::byte>(kNasty[below(kNasty.size())]);
    }
    return;
  }
  const u64 old = load_width(record, field.offset, field.width);
  store_width(record, field.offset, field.width, other_value(parts, field, old));
}

void RecordingMutator::change_fields(RecordingParts& parts) {
  if (parts.records.empty()) return;
  for (std::size_t n = 1 + below(4); n > 0; --n) {
    const std::size_t at = below(parts.records.size());
    Piece record = parts.records[at];
    if (chance(12) && record.size() > 8) {  // text often follows a field
      const std::size_t from = 8 + below(record.size() - 8);
      mutate_bytes_(std::span(record).subspan(from), record.size() - from);
    } else {
      change_field(parts, record);
    }
    if (chance(40) && record.size() >= 8) store_width(record, 4, 2, load_width(record, 4, 2) ^ u64{1} << below(16));
    parts.records[at] = std::move(record);
  }
}

void RecordingMutator::change_attr(RecordingParts& parts) {
  if (parts.attrs.empty()) return;
  RecordingParts::Attr& attr = parts.attrs[below(parts.attrs.size())];
  const RecordingParts::Attr& other = parts.attrs[below(parts.attrs.size())];
  const auto put = [&](std::size_t at, std::size_t width, u64 value) {
    if (at + width <= attr.bytes.size()) store_width(attr.bytes, at, width, value);
  };
  switch (below(7)) {
    case 0:
      put(0, 4, below(8));
      return;  // type
    case 1:
      put(8, 8, chance(2) ? other.value(8) : below(16));
      return;  // config
    case 2:
      put(16, 8, chance(2) ? u64{1} << below(64) : 0);
      return;  // period or frequency
    case 3:
      put(40, 8, attr.value(40) ^ u64{1} << below(40));
      return;  // flags
    case 4:
      put(32, 8, attr.value(32) ^ u64{1} << below(5));
      return;  // read format
    case 5:
      put(24, 8, attr.value(24) ^ u64{1} << below(25));
      return;  // sample type
    default:
      if (chance(3)) {
        attr.ids.push_back(below(16));
      } else if (!attr.ids.empty()) {
        attr.ids[below(attr.ids.size())] = chance(2) ? below(16) : ~u64{0};
      } else if (parts.attrs.size() < 64) {
        parts.attrs.push_back(RecordingParts::Attr(other));
      }
  }
}

// Removes a field from all samples of an event, or adds one to them.
void RecordingMutator::drop_sample_field(RecordingParts& parts) {
  if (parts.attrs.empty() || parts.pipe) return;
  const std::size_t event = below(parts.attrs.size());
  const u64 type = parts.attrs[event].sample_type();
  const std::size_t which = 1 + below(std::size(kWordBits) - 1);  // never the identifier, which distinguishes events
  const bool had = (type >> kWordBits[which] & 1) != 0;
  if (kWordBits[which] == 6 && (type >> 16 & 1) == 0) return;
  std::size_t at = 8;
  for (std::size_t n = 0; n < which; ++n) at += (type >> kWordBits[n] & 1) != 0 ? 8 : 0;
  const RecordingParts::Attr* const chosen = &parts.attrs[event];
  for (Piece& record : parts.records) {
    if (record_type(record) != kSampleRecord || parts.attr_of(record) != chosen || record.size() < at + (had ? 8 : 0))
      continue;
    const auto place = record.begin() + static_cast<std::ptrdiff_t>(at);
    if (had)
      record.erase(place, place + 8);
    else
      record.insert(place, 8, std::byte{static_cast<unsigned char>(below(3))});
    store_width(record, 6, 2, record.size());
  }
  store_width(parts.attrs[event].bytes, 24, 8, type ^ u64{1} << kWordBits[which]);
}

void RecordingMutator::change_number_in_text(Piece& text) {
  if (text.empty()) return;
  const auto digits =
      std::find_if(text.begin() + static_cast<std::ptrdiff_t>(below(text.size())), text.end(), is_digit);
  if (digits == text.end()) return;
  const auto end = std::find_if_not(digits, text.end(), is_digit);
  constexpr std::string_view kNumbers[] = {
      "0", "1", "2", "4", "7", "8", "16", "255", "65535", "65536", "4294967295", "-1", "18446744073709551615"};
  const Bytes number = std::as_bytes(std::span(kNumbers[below(std::size(kNumbers))]));
  const auto place = text.erase(digits, end);
  text.insert(place, number.begin(), number.end());
}

void RecordingMutator::change_feature(RecordingParts& parts) {
  if (parts.features.empty()) return;
  auto chosen = parts.features.begin();
  std::advance(chosen, static_cast<std::ptrdiff_t>(below(parts.features.size())));
  Piece& content = chosen->second;
  if (chance(20)) {
    parts.features.erase(chosen);
  } else if (chosen->first == 1 && chance(2)) {
    change_number_in_text(content);
  } else if (content.size() >= 4 && chance(2)) {
    const std::size_t at = below(content.size() / 4) * 4;
    const RecordField word{.offset = at, .width = 4};
    store_width(content, at, 4,
                parts.records.empty() ? random_() : other_value(parts, word, load_width(content, at, 4)));
  } else {
    content = mutate_as_bytes(content, std::max<std::size_t>(content.size() + below(64), 1));
  }
}

void RecordingMutator::insert_record(RecordingParts& parts) {
  Piece record;
  if (!parts.records.empty() && !chance(4)) {
    record = parts.records[below(parts.records.size())];
    if (record.size() >= 8) store_width(record, 0, 4, kTypes[below(std::size(kTypes))]);
  } else {
    std::vector<std::byte> body(below(12) * 8);
    for (std::size_t at = 0; at < body.size(); at += 8) store_width(body, at, 8, chance(2) ? below(16) : random_());
    record = make_record(kTypes[below(std::size(kTypes))], static_cast<u16>(chance(2) ? 0 : below(8)), body);
  }
  parts.records.insert(parts.records.begin() + static_cast<std::ptrdiff_t>(below(parts.records.size() + 1)),
                       std::move(record));
}

}  // namespace peregrine
