#include "output/ctf/tsdl.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <set>
#include <string_view>

#include "base/text/ascii.h"

namespace peregrine {

namespace {

// clang-format off
constexpr std::array kReservedWords = std::to_array<std::string_view>(
    {"align", "callsite", "char", "clock", "const", "double", "enum", "env", "event", "float", "floating_point", "int",
     "integer", "long", "short", "signed", "stream", "string", "struct", "trace", "typealias", "typedef", "unsigned",
     "variant", "void", "_Bool", "_Complex", "_Imaginary"});
// clang-format on

// The start of the metadata. Integers take the byte order that the trace declares.
constexpr std::string_view kTsdlTypes = R"(/* CTF 1.8 */

typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = true; } := int64_t;
typealias integer { size = 32; align = 8; signed = false; base = hexadecimal; } := xint32_t;
typealias integer { size = 64; align = 8; signed = false; base = hexadecimal; } := xint64_t;
)";

constexpr std::string_view kPacketHeader = R"(
	packet.header := struct {
		uint32_t magic;
		uint8_t uuid[16];
		uint32_t stream_id;
	};
};
)";

constexpr std::string_view kStream = R"(
typealias integer { size = 64; align = 8; signed = false; map = clock.perf_clock.value; } := perf_clock_t;

stream {
	id = 0;

	event.header := struct {
		uint32_t id;
		perf_clock_t timestamp;
	};

	packet.context := struct {
		perf_clock_t timestamp_begin;
		perf_clock_t timestamp_end;
		uint64_t content_size;
		uint64_t packet_size;
		uint64_t events_discarded;
		uint32_t cpu_id;
	};
};
)";

std::string identifier(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    if (!is_word_character(c)) c = '_';
  const bool needs_prefix =
      text.empty() || is_digit(text.front()) || std::ranges::find(kReservedWords, text) != kReservedWords.end();
  return needs_prefix ? "_" + text : text;
}

// Returns `name`, or the first "NAME_dupl_N" that is not in use.
std::string unused(const std::string& name, std::set<std::string>& used) {
  std::string text = name;
  for (unsigned n = 1; !used.insert(text).second; ++n) text = fmt::format("{}_dupl_{}", name, n);
  return text;
}

// Quotes the text as a C string.
std::string c_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\{:03o}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out += '"';
}

std::string_view type_of(const CtfField& field) {
  if (field.kind == CtfField::Kind::Text) return "string";
  if (field.is_signed) return field.wide ? "int64_t" : "int32_t";
  if (field.hexadecimal) return field.wide ? "xint64_t" : "xint32_t";
  return field.wide ? "uint64_t" : "uint32_t";
}

void append_field(std::string& out, const CtfField& field) {
  if (field.kind == CtfField::Kind::Sequence) out += fmt::format("\t\tuint32_t {};\n", field.count_name);
  out += fmt::format("\t\t{} {}", type_of(field), field.name);
  if (field.kind == CtfField::Kind::Array) out += fmt::format("[{}]", field.length);
  if (field.kind == CtfField::Kind::Sequence) out += fmt::format("[{}]", field.count_name);
  out += ";\n";
}

void append_event(std::string& out, const CtfEventClass& event) {
  out += fmt::format("\nevent {{\n\tid = {};\n\tname = {};\n\tstream_id = 0;\n\tfields := struct {{\n", event.id,
                     c_string(event.name));
  for (const CtfField& field : event.fields) append_field(out, field);
  out += "\t};\n};\n";
}

std::string clock_text(const CtfTrace& trace) {
  constexpr u64 kSecond = 1'000'000'000;
  const u64 offset = trace.clock.offset_ns;
  std::string out = "\nclock {\n\tname = perf_clock;\n";
  out += fmt::format("\tuuid = \"{}\";\n", uuid_text(trace.clock_uuid));
  out += fmt::format("\tdescription = {};\n", c_string(trace.clock.description));
  out += fmt::format("\tfreq = {};\n\tprecision = 10;\n", kSecond);
  out += fmt::format("\toffset_s = {};\n\toffset = {};\n", offset / kSecond, offset % kSecond);
  return out += fmt::format("\tabsolute = {};\n}};\n", trace.clock.absolute ? "TRUE" : "FALSE");
}

}  // namespace

void name_fields(CtfEventClass& event) {
  std::set<std::string> used;
  for (CtfField& field : event.fields) {
    field.name = unused(identifier(field.name), used);
    if (field.kind == CtfField::Kind::Sequence) field.count_name = unused(identifier(field.count_name), used);
  }
}

std::string uuid_text(const CtfUuid& uuid) {
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    fmt::format_to(std::back_inserter(text), "{:02x}", uuid[i]);
  }
  return text;
}

std::string tsdl_text(const CtfTrace& trace) {
  std::string out(kTsdlTypes);
  out += fmt::format("\ntrace {{\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"{}\";\n\tbyte_order = {};",
                     uuid_text(trace.uuid), std::endian::native == std::endian::little ? "le" : "be");
  out += kPacketHeader;
  out += "\nenv {\n";
  for (const auto& [name, value] : trace.environment) out += fmt::format("\t{} = {};\n", name, c_string(value));
  out += "};\n";
  out += clock_text(trace);
  out += kStream;
  for (const CtfEventClass& event : trace.events) append_event(out, event);
  return out;
}

}  // namespace peregrine
