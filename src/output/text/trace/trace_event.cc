#include "output/text/trace/trace_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/types.h"
#include "event/field/trace_value.h"
#include "event/print/print_fields.h"
#include "event/print/print_names.h"
#include "output/text/format/printable.h"
#include "output/text/format/script_text.h"

namespace peregrine {
namespace {

constexpr std::size_t kChainIndent = 39;

u64 integer(Bytes raw, const TraceField& field, ByteOrder order) {
  const std::byte* at = raw.data() + field.offset;
  switch (field.size) {
    case 1:
      return load<u8>(at, order);
    case 2:
      return load<u16>(at, order);
    case 4:
      return load<u32>(at, order);
    default:
      return load<u64>(at, order);
  }
}

bool is_integer(const TraceField& field) {
  return !field.is_array && !field.is_data_loc && !field.is_rel_loc &&
         (field.size == 1 || field.size == 2 || field.size == 4 || field.size == 8);
}

// Returns "" if the field is not an enum, or has no enumerator with this value.
std::string_view enumerator_of(std::span<const PrintNames> enums, const TraceField& field, u64 value) {
  const auto names = std::ranges::find(enums, field.name, &PrintNames::field);
  if (names == enums.end()) return {};
  const auto word = std::ranges::find(names->words, std::optional(value), &PrintNames::Word::value);
  return word == names->words.end() ? std::string_view() : std::string_view(word->text);
}

// Sets of CPUs are shown on request only, as bits.
bool is_shown_list(const TraceField& field, Bytes bytes) {
  return field.is_array && field.type != "cpumask_t" &&
         std::ranges::any_of(bytes, [](std::byte byte) { return byte != std::byte{0}; });
}

void put_integer(ScriptText& out, TraceNames& names, const TraceField& field, u64 value) {
  const unsigned unused = 64 - field.size * 8;
  const i64 number = field.is_signed ? static_cast<i64>(value << unused) >> unused : static_cast<i64>(value);
  if (field.type == "pid_t") return put_pid(out, names, number);
  if (field.is_pointer) return out.put_hex_prefixed(value);
  if (field.is_signed) return out.put_signed(number);
  out.put_decimal(value);
}

}  // namespace

void put_fields(ScriptText& out, TraceNames& names, const TraceFormat& format, const PrintFormat* print,
                std::span<const PrintNames> enums, Bytes raw, ByteOrder order) {
  bool first = true;
  for (const TraceField& field : format.fields) {
    if (field.offset > raw.size() || field.size > raw.size() - field.offset) continue;
    const bool missing = is_unavailable(field, raw, order);
    const bool number = is_integer(field);
    const u64 value = number ? integer(raw, field, order) : 0;
    const bool bits = print != nullptr && print->is_bit_list(field.name);
    const std::string_view enumerator = number ? enumerator_of(enums, field, value) : std::string_view();
    if (number && value == 0 && !missing && enumerator.empty()) continue;
    const Bytes bytes = number ? Bytes() : bytes_of(field, raw, order);
    const bool list = !number && !field.is_string && !bits;
    if (list && !missing && !is_shown_list(field, bytes)) continue;
    out.room(field.name.size() + 160);
    if (!first) out.put(", ");
    first = false;
    out.put(field.name);
    out.put(": ");
    if (missing) {
      out.put(kUnavailable);
      continue;
    }
    if (!enumerator.empty()) {
      const std::string text = printable(enumerator);
      out.room(text.size());
      out.put(text);
      continue;
    }
    const PrintNames* const names_of = number && print != nullptr ? print->names_of(field.name) : nullptr;
    const std::string words = names_of == nullptr ? std::string() : names_of->text(value);
    // A value without a name is printed as if the field had no names.
    if (names_of != nullptr && words != PrintNames::number_text(value)) {
      const std::string text = printable(words);
      out.room(text.size());
      out.put(text);
    } else if (bits) {
      print->put_bits(out, field.name, raw);
    } else if (number) {
      put_integer(out, names, field, value);
    } else if (list) {
      put_plain_value(out, field, raw, order);
    } else {
      const auto end = std::ranges::find(bytes, std::byte{0});
      put_quoted(out, bytes.first(static_cast<std::size_t>(end - bytes.begin())), false);
    }
  }
}

void put_fault(ScriptText& out, Resolver& resolver, const Resolver::Context& context, const abi::Sample& sample) {
  const Frame at = resolver.at(resolver.frame(context, sample.ip, sample.cpumode()));
  const Frame where = resolver.at(resolver.frame(context, sample.addr, sample.cpumode()));
  const std::string symbol = at.symbol ? printable(resolver.symbol_name(at)) : std::string();
  const std::string dso = where.dso ? printable(resolver.machine().dsos().at(where.dso).name) : std::string();
  out.room(symbol.size() + dso.size() + 128);
  out.put('[');
  if (at.symbol) {
    out.put(symbol);
    out.put("+0x");
    out.put_hex(resolver.symbol_offset(at));
  } else {
    out.put("0x");
    out.put_hex(at.dso ? at.address : sample.ip);
  }
  out.put("] => ");
  if (where.dso) {
    out.put(dso);
    out.put('@');
  }
  out.put("0x");
  out.put_hex(where.dso ? where.address : sample.addr);
  out.put(" (");
  out.put(where.dso ? 'd' : '?');
  const bool kernel = at.kind == FrameKind::Kernel && !where.dso;
  out.put(kernel ? 'k' : '.');
  out.put(')');
}

void put_chain(ScriptText& out, Resolver& resolver, std::span<const FrameId> frames, std::span<const u64> ips) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Frame frame = resolver.at(frames[i]);
    const std::string name = frame.symbol ? printable(resolver.symbol_name(frame))
                                          : fmt::format("[{:#x}]", frame.dso ? frame.address : ips[i]);
    const std::string dso = frame.dso ? printable(resolver.machine().dsos().at(frame.dso).name) : "[unknown]";
    out.room(name.size() + dso.size() + kChainIndent + 16);
    out.fill(' ', kChainIndent);
    out.put(name);
    out.put(" (");
    out.put(dso);
    out.put(")\n");
  }
}

}  // namespace peregrine
