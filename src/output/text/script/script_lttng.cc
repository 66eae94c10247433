#include "output/text/script/script_lttng.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iterator>
#include <string_view>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/field/trace_value.h"
#include "event/print/print_format.h"
#include "event/print/print_names.h"
#include "machine/resolver/resolver.h"
#include "output/text/field/script_plan.h"
#include "output/text/format/printable.h"
#include "output/text/format/script_text.h"
#include "output/text/format/seconds_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {
namespace {

// Quotes the text, and escapes quotes, backslashes and control characters.
std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return printable(result) + '"';
}

std::string number_text(const TraceField& field, u64 value) {
  const bool hex = field.is_pointer || (!field.is_signed && field.type.find("long") != std::string::npos);
  if (field.is_signed) return fmt::to_string(static_cast<i64>(value));
  return hex ? fmt::format("0x{:X}", value) : fmt::to_string(value);
}

}  // namespace

void LttngWriter::add_time(u64 time) {
  const auto add = std::back_inserter(text_);
  if (clock_) {
    const u64 wall = clock_->wall_clock_ns + time - clock_->clock_ns;
    const auto second = static_cast<std::time_t>(wall / kSecondInNs);
    std::tm parts{};
    ::localtime_r(&second, &parts);
    fmt::format_to(add, "[{:02}:{:02}:{:02}.{:09}] ", parts.tm_hour, parts.tm_min, parts.tm_sec, wall % kSecondInNs);
  } else {
    fmt::format_to(add, "[{}.{:09}] ", time / kSecondInNs, time % kSecondInNs);
  }
  if (before_) {
    const u64 passed = time - std::min(time, *before_);
    fmt::format_to(add, "(+{}.{:09}) ", passed / kSecondInNs, passed % kSecondInNs);
  } else {
    text_ += fmt::format("(+?.{}) ", std::string(9, '?'));
  }
  before_ = time;
}

void LttngWriter::add_context(const ReplaySample& replayed, Resolver& resolver) {
  const abi::Sample& sample = replayed.sample;
  const auto add = std::back_inserter(text_);
  if ((sample.fields & abi::sample_bit::Cpu) != 0) fmt::format_to(add, "{{ cpu_id = {} }}, ", sample.cpu);
  if ((sample.fields & abi::sample_bit::Tid) != 0)
    fmt::format_to(add, "{{ pid = {}, tid = {}, procname = {} }}, ", static_cast<i32>(sample.pid),
                   static_cast<i32>(sample.tid), in_quotes(resolver.comm(replayed.context)));
}

void LttngWriter::add_field(const TraceField& field, const PrintFormat& print, Bytes record) {
  const auto add = std::back_inserter(text_);
  fmt::format_to(add, "{} = ", printable(field.name));
  const ByteOrder order = print.order();
  if (is_unavailable(field, record, order)) {
    text_ += kUnavailable;
  } else if (field.is_string && field.is_array) {
    text_ += in_quotes(text_of(field, record, order));
  } else if (field.is_array) {
    const Bytes bytes = bytes_of(field, record, order);
    const u32 element = field.element_size();
    const u32 size = element == 2 || element == 4 || element == 8 ? element : 1;
    text_ += '[';
    for (std::size_t at = 0; at + size <= bytes.size() && text_.size() < PrintFormat::kMostText; at += size) {
      const u64 value = load_number(bytes, at, size, order);
      fmt::format_to(add, "{} [{}] = {}", at == 0 ? "" : ",", at / size,
                     number_text(field, field.is_signed ? extend_sign(value, size) : value));
    }
    text_ += " ]";
  } else {
    const std::string number = number_text(field, number_of(field, record, order));
    const PrintNames* const names = print.names_of(field.name);
    const u64 value = load_number(record, field.offset, field.size, order);
    const std::string words = names == nullptr ? std::string() : names->text(value);
    if (words.empty() || words == PrintNames::number_text(value))
      text_ += number;
    else
      fmt::format_to(add, "( {} : container = {} )", in_quotes(words), number);
  }
}

void LttngWriter::add_fields(const ScriptEvent& event, Bytes record) {
  bool first = true;
  for (const TraceField& field : event.traced->fields) {
    if (text_.size() > PrintFormat::kMostText) break;  // formats are untrusted
    text_ += first ? " " : ", ";
    first = false;
    add_field(field, *event.format, record);
  }
}

void LttngWriter::add_code(const ReplaySample& replayed, Resolver& resolver) {
  const abi::Sample& sample = replayed.sample;
  const auto add = std::back_inserter(text_);
  if ((sample.fields & abi::sample_bit::Ip) != 0) {
    const Frame& frame = resolver.at(resolver.frame(replayed.context, sample.ip, sample.cpumode()));
    fmt::format_to(add, " perf_ip = 0x{:X},", sample.ip);
    if (frame.symbol) fmt::format_to(add, " perf_symbol = {},", in_quotes(resolver.symbol_name(frame)));
  }
  fmt::format_to(add, " perf_period = {}", replayed.period);
}

void LttngWriter::put(ScriptText& out, const ScriptEvent& event, const ReplaySample& replayed, Resolver& resolver) {
  text_.clear();
  add_time(replayed.sample.time);
  fmt::format_to(std::back_inserter(text_), "{} {}: ", printable(host_), printable(event.bare_name));
  add_context(replayed, resolver);
  text_ += '{';
  if (event.traced != nullptr && event.format != nullptr && !replayed.sample.raw.empty())
    add_fields(event, replayed.sample.raw);
  else
    add_code(replayed, resolver);
  text_ += " }\n";
  out.room(text_.size());
  out.put(text_);
}

}  // namespace peregrine
