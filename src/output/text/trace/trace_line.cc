#include "output/text/trace/trace_line.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/types.h"
#include "event/syscall/call.h"
#include "event/syscall/signature.h"
#include "output/text/format/script_text.h"

namespace peregrine {
namespace {

constexpr std::size_t kCommWidth = 14;
constexpr u64 kSlow = 1'000'000, kNoticeable = 10'000;  // ns
constexpr std::string_view kRed = "\033[31m", kYellow = "\033[33m", kLinePlain = "\033[m";

// Writes milliseconds as printf("%*.3f") does.
void put_milliseconds(ScriptText& out, u64 nanoseconds, unsigned width) {
  if (nanoseconds % 1000 == 500) {
    // C rounds a tie by the exact value of the binary fraction, so leave it to fmt.
    const std::string text = fmt::format("{:{}.3f}", static_cast<double>(nanoseconds) / 1e6, width);
    return out.put(text);
  }
  const u64 microseconds = (nanoseconds + 500) / 1000;
  out.put_decimal(microseconds / 1000, width - 4);
  out.put('.');
  out.put_decimal(microseconds % 1000, 3, '0');
}

}  // namespace

void TraceLine::put_duration(ScriptText& out, std::optional<u64> duration) {
  out.put('(');
  if (duration) {
    const bool colored = style_.color && *duration >= kNoticeable;
    if (colored) out.put(*duration >= kSlow ? kRed : kYellow);
    put_milliseconds(out, *duration, 6);
    out.put(" ms");
    if (colored) out.put(kLinePlain);
  } else {
    out.put("         ");
  }
  out.put("): ");
}

void TraceLine::put_time(ScriptText& out, u64 time) const { put_span(out, since_base(time)); }

void TraceLine::put_span(ScriptText& out, u64 ns) {
  out.room(32);
  put_milliseconds(out, ns, 4);
}

void TraceLine::put_head(ScriptText& out, std::optional<u64> start, std::optional<u64> duration, i32 tid,
                         bool durations) {
  out.room(160);
  if (style_.show_time) {
    if (start) {
      put_milliseconds(out, since_base(*start), 10);
    } else {
      out.put("         ?");
    }
    out.put(' ');
  }
  if (style_.show_duration && durations) put_duration(out, duration);
  if (!style_.show_thread) return;
  if (style_.show_comm) {
    const std::string_view comm = names_.comm(tid);
    if (comm.empty()) {
      out.put(':');
      out.put_signed(tid);
    } else {
      out.put(comm.substr(0, kCommWidth));
    }
    out.put('/');
  }
  out.put_signed(tid);
  out.put(' ');
}

void TraceLine::put_arguments(ScriptText& out, const TracedCall& call, const SyscallSignature& signature) {
  bool first = true;
  const auto separate = [&] {
    out.room(96);
    if (!first) out.put(", ");
    first = false;
  };
  if (!signature.known) {
    for (unsigned i = 0; i < kMostArguments; ++i) {
      if (call.arguments[i] == 0) continue;
      separate();
      out.put("arg");
      out.put_decimal(i);
      out.put(": ");
      out.put_hex_prefixed(call.arguments[i]);
    }
    return;
  }
  for (unsigned i = 0; i < signature.count; ++i) {
    if (!style_.show_zeros && is_left_out(call, signature, i)) continue;
    separate();
    if (style_.show_names) {
      out.put(signature.arguments[i].name);
      out.put(": ");
    }
    put_argument(out, names_, call, signature, i);
  }
}

void TraceLine::put_call(ScriptText& out, const TracedCall& call, const SyscallSignature& signature) {
  if (signature.name.empty()) {
    out.put("syscall_");
    out.put_decimal(call.number);
  } else {
    out.put(signature.name);
  }
  out.put('(');
  if (!call.continued && !call.resumed) put_arguments(out, call, signature);
  out.room(style_.alignment + 128);
  out.put(')');
}

void TraceLine::put(ScriptText& out, const TracedCall& call) {
  begin_at(call.continued ? call.end() : call.start);
  const SyscallSignature& signature = this->signature(call);
  const bool timed = !call.continued;
  put_head(out, timed ? std::optional(call.start) : std::nullopt,
           timed && !call.unended ? std::optional(call.duration) : std::nullopt, call.tid);
  out.room(128);
  const std::size_t begin = out.size();
  const bool goes_on = call.continued || call.resumed;
  if (goes_on) out.put(" ... [continued]: ");
  put_call(out, call, signature);
  // linux-perf prints a second closing parenthesis for continued calls.
  if (goes_on) out.put(')');
  const std::size_t width = out.size() - begin;
  out.fill(' ', width < style_.alignment ? style_.alignment - width : 1);
  out.put("= ");
  put_result(out, names_, call, signature);
  out.room(8);
  out.put('\n');
}

void TraceLine::put_interrupted(ScriptText& out, const TracedCall& call) {
  begin_at(call.start);
  put_head(out, call.start, std::nullopt, call.tid);
  const std::size_t begin = out.size();
  put_call(out, call, signature(call));
  const std::size_t width = out.size() - begin;
  if (width + 4 < style_.alignment) out.fill(' ', style_.alignment - 4 - width);
  out.put(" ...\n");
}

}  // namespace peregrine
