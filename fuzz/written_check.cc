#include "written_check.h"

#include <expat.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/types.h"

namespace peregrine {

namespace {

// Also for gzip; nothing if the stream is invalid or truncated.
std::optional<std::string> inflate_all(std::string_view packed) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 32) != Z_OK) return std::nullopt;
  std::string text;
  std::array<char, 1 << 16> block;
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = block.size();
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(block.data(), block.size() - stream.avail_out);
  }
  const bool whole = state == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  return whole ? std::optional(std::move(text)) : std::nullopt;
}

std::optional<std::string> decode_base64(std::string_view text) {
  std::string out;
  u32 bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    if (c == '=') break;
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<u32>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xff);
  }
  return out;
}

std::string_view between(std::string_view text, std::string_view from, std::string_view to) {
  const std::size_t start = text.find(from);
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start + from.size());
  return text.substr(0, text.find(to));
}

bool is_utf8(std::string_view text) {
  return nlohmann::json::accept('"' + [&] {
    std::string escaped;
    for (const char c : text) {
      if (c == '"' || c == '\\') escaped += '\\';
      escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return escaped;
  }() + '"');
}

// One field of a protobuf message: its number, and a number or bytes.
struct ProtobufField {
  u64 number = 0, value = 0;
  std::string_view bytes;
};

class ProtobufWalk {
 public:
  explicit ProtobufWalk(std::string_view message) : rest_(message) {}

  bool broken() const { return broken_; }
  std::optional<ProtobufField> next() {
    if (rest_.empty() || broken_) return std::nullopt;
    const u64 key = varint();
    ProtobufField field{.number = key >> 3, .value = 0, .bytes = {}};
    if ((key & 7) == 0) {
      field.value = varint();
    } else if ((key & 7) == 2) {
      const u64 size = varint();
      broken_ |= size > rest_.size();
      field.bytes = rest_.substr(0, size);
      rest_.remove_prefix(field.bytes.size());
    } else {
      broken_ = true;
    }
    return broken_ || field.number == 0 ? (broken_ = true, std::nullopt) : std::optional(field);
  }
  u64 varint() {
    u64 value = 0;
    for (unsigned shift = 0; shift < 70 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_[0]);
      rest_.remove_prefix(1);
      value |= shift < 64 ? u64{byte & 0x7fu} << shift : 0;
      if (byte < 0x80) return value;
    }
    broken_ = true;
    return 0;
  }
  bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool broken_ = false;
};

// Ids and references of a profile, to be compared after reading all of it.
struct ProfileIds {
  std::set<u64> mappings{0}, locations, functions;
  std::vector<u64> of_mappings, of_locations, of_functions, texts;
  u64 text_count = 0, value_kinds = 0;
};

std::string check_profile_sample(std::string_view message, ProfileIds& ids) {
  ProtobufWalk walk(message);
  u64 values = 0;
  while (const auto field = walk.next()) {
    ProtobufWalk packed(field->bytes);
    while ((field->number == 1 || field->number == 2) && !packed.done() && !packed.broken()) {
      const u64 value = packed.varint();
      if (field->number == 1) ids.of_locations.push_back(value);
      if (field->number == 2) ++values;
    }
    if (packed.broken()) return "a packed number is cut";
    ProtobufWalk label(field->bytes);
    while (field->number == 3)
      if (const auto part = label.next(); !part)
        break;
      else if (part->number <= 2)
        ids.texts.push_back(part->value);
  }
  if (walk.broken()) return "a sample is cut";
  return values == ids.value_kinds ? "" : fmt::format("a sample has {} values, not {}", values, ids.value_kinds);
}

std::string check_profile_part(const ProtobufField& part, ProfileIds& ids) {
  ProtobufWalk walk(part.bytes);
  while (const auto field = walk.next()) {
    const bool id = field->number == 1;
    if (part.number == 1) ids.texts.push_back(field->value);
    if (part.number == 3 && id) ids.mappings.insert(field->value);
    if (part.number == 3 && (field->number == 5 || field->number == 6)) ids.texts.push_back(field->value);
    if (part.number == 4 && id) ids.locations.insert(field->value);
    if (part.number == 4 && field->number == 2) ids.of_mappings.push_back(field->value);
    if (part.number == 4 && field->number == 4) {
      ProtobufWalk line(field->bytes);
      while (const auto of_line = line.next())
        if (of_line->number == 1) ids.of_functions.push_back(of_line->value);
    }
    if (part.number == 5 && id) ids.functions.insert(field->value);
    if (part.number == 5 && field->number >= 2 && field->number <= 4) ids.texts.push_back(field->value);
  }
  return walk.broken() ? fmt::format("field {} is cut", part.number) : "";
}

bool all_in(const std::vector<u64>& references, const std::set<u64>& ids) {
  return std::ranges::all_of(references, [&](u64 id) { return ids.contains(id); });
}

// Packets as the metadata describes them: magic, uuid, stream; times, sizes in bits, events discarded, CPU.
std::string check_ctf_stream(std::string_view text) {
  constexpr std::size_t kHead = 68;
  const Bytes bytes = std::as_bytes(std::span(text));
  u64 last = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    if (bytes.size() - at < kHead) return "a packet is cut";
    const ByteOrder order = load<u8>(bytes.data() + at) == 0xc1 && load<u8>(bytes.data() + at + 3) == 0xc1
                                ? (load<u8>(bytes.data() + at + 1) == 0x1f ? ByteOrder::Little : ByteOrder::Big)
                                : kHostOrder;
    ByteReader head(bytes.subspan(at), order);
    if (head.get32() != 0xC1FC1FC1) return "a packet has no magic number";
    head.skip(20);
    const u64 begin = head.get64(), end = head.get64(), content = head.get64(), size = head.get64();
    if (size % 8 != 0 || size / 8 < kHead || size / 8 > bytes.size() - at || content > size)
      return fmt::format("a packet's size is wrong: {} of {} bits", content, size);
    if (begin < last || end < begin) return fmt::format("times go back: {}, then {} to {}", last, begin, end);
    last = end;
    at += size / 8;
  }
  return "";
}

}  // namespace

std::string check_json(std::string_view text) {
  if (nlohmann::json::accept(text)) return "";
  try {
    static_cast<void>(nlohmann::json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    return error.what();
  }
  return "not JSON";
}

std::string check_json_lines(std::string_view text) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (const std::string wrong = check_json(line); !line.empty() && !wrong.empty())
      return fmt::format("line {}: {}", number, wrong);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return "";
}

std::string check_csv(std::string_view text) {
  std::size_t wanted = 0, columns = 1, line = 1;
  bool quoted = false, anything = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool first = at == 0 || text[at - 1] == ',' || text[at - 1] == '\n';
    if (quoted) {
      if (c != '"') continue;
      if (at + 1 < text.size() && text[at + 1] == '"') {
        ++at;
        continue;
      }
      quoted = false;
      if (at + 1 < text.size() && text[at + 1] != ',' && text[at + 1] != '\n')
        return fmt::format("line {}: text behind a closing quote", line);
    } else if (c == '"') {
      if (!first) return fmt::format("line {}: a quote inside a field", line);
      quoted = true;
    } else if (c == ',') {
      ++columns;
    } else if (c == '\n') {
      if (wanted == 0) wanted = columns;
      if (columns != wanted) return fmt::format("line {}: {} columns, not {}", line, columns, wanted);
      columns = 1;
      ++line;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      return fmt::format("line {}: a control character", line);
    }
    anything = c != '\n';
  }
  if (quoted) return "a quote is open at the end";
  return anything ? "the last line has no end" : "";
}

std::string check_values(std::string_view text) {
  std::size_t number = 1;
  for (; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return "the last line has no end";
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (std::ranges::any_of(line, [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
      return fmt::format("line {}: a control character", number);
    if (!line.empty() && !line.starts_with('#') && line.find(',') == std::string_view::npos)
      return fmt::format("line {}: a single value", number);
  }
  return "";
}

std::string check_no_formulas(std::string_view text, bool quoted) {
  std::string cell;
  const auto is_formula = [&] {
    const std::size_t first = cell.find_first_not_of(" \"");
    if (first == std::string::npos || std::string_view("=+-@\t\r").find(cell[first]) == std::string_view::npos)
      return false;
    char* behind = nullptr;
    static_cast<void>(std::strtod(cell.c_str() + first, &behind));
    const bool is_number = behind != cell.c_str() + first;
    const std::string_view rest = behind + (*behind == '%' ? 1 : 0);
    return !is_number || rest.find_first_not_of(' ') != std::string_view::npos;
  };
  bool in_quotes = false;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : '\n';
    if (quoted && c == '"') {  // two of them count as one
      if (in_quotes && at + 1 < text.size() && text[at + 1] == '"')
        cell += text[at++];
      else
        in_quotes = !in_quotes;
    } else if ((c == ',' && !in_quotes) || (c == '\n' && !in_quotes)) {
      if (is_formula()) return "a formula: " + cell.substr(0, 200);
      cell.clear();
    } else {
      cell += c;
    }
  }
  return "";
}

std::string check_xml(std::string_view text) {
  XML_Parser parser = XML_ParserCreate(nullptr);
  std::string wrong;
  if (XML_Parse(parser, text.data(), static_cast<int>(text.size()), 1) != XML_STATUS_OK)
    wrong = fmt::format("line {}: {}", XML_GetCurrentLineNumber(parser), XML_ErrorString(XML_GetErrorCode(parser)));
  XML_ParserFree(parser);
  return wrong;
}

std::string check_page(std::string_view text) {
  if (const std::string wrong = check_xml(fmt::format("<t>{}</t>", between(text, "<title>", "</title>")));
      !wrong.empty())
    return "title: " + wrong;
  const std::string_view data = between(text, "<script id=\"data\" type=\"text/plain\">", "</script>");
  const auto packed = decode_base64(data);
  if (!packed || packed->empty()) return "its data is not base64";
  const auto json = inflate_all(*packed);
  return json ? check_json(*json) : "its data cannot be unpacked";
}

std::string check_pprof(std::string_view text) {
  const auto profile = inflate_all(text);
  if (!profile) return "it is not gzipped whole";
  ProfileIds ids;
  ProtobufWalk walk(*profile);
  while (const auto field = walk.next()) {
    std::string wrong;
    if (field->number == 1) ++ids.value_kinds;
    if (field->number == 2) wrong = check_profile_sample(field->bytes, ids);
    if (field->number == 1 || (field->number >= 3 && field->number <= 5)) wrong = check_profile_part(*field, ids);
    if (field->number == 6 && ids.text_count++ == 0 && !field->bytes.empty()) wrong = "the first text is not empty";
    if (field->number == 6 && !is_utf8(field->bytes)) wrong = "a text is not UTF-8";
    if (!wrong.empty()) return wrong;
  }
  if (walk.broken()) return "it is cut";
  if (!all_in(ids.of_locations, ids.locations)) return "a sample names a location that is not there";
  if (!all_in(ids.of_mappings, ids.mappings)) return "a location names a mapping that is not there";
  if (!all_in(ids.of_functions, ids.functions)) return "a line names a function that is not there";
  const bool texts = std::ranges::all_of(ids.texts, [&](u64 index) { return index < ids.text_count; });
  return texts ? "" : "a text is not there";
}

std::string check_ctf(const std::string& folder) {
  bool metadata = false;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto text = read_file(entry.path().string());
    if (!text) return text.error().message;
    metadata |= entry.path().filename() == "metadata";
    const std::string wrong = entry.path().filename() == "metadata" ? check_text(*text) : check_ctf_stream(*text);
    if (!wrong.empty()) return entry.path().filename().string() + ": " + wrong;
  }
  return metadata ? "" : "there is no metadata";
}

std::string check_text(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) return fmt::format("byte {} at {}", c, at);
  }
  return "";
}

}  // namespace peregrine
