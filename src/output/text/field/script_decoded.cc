#include "output/text/field/script_decoded.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "abi/attr.h"
#include "abi/branch_flag.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {
namespace {

namespace flag = abi::branch_flag;

struct FlagsWord {
  u32 flags;
  std::string_view word;
};
constexpr auto kFlagsWords = std::to_array<FlagsWord>({
    {flag::IsBranch | flag::Call, "call"},
    {flag::IsBranch | flag::Return, "return"},
    {flag::IsBranch | flag::Conditional, "jcc"},
    {flag::IsBranch, "jmp"},
    {flag::IsBranch | flag::Call | flag::Interrupt, "int"},
    {flag::IsBranch | flag::Return | flag::Interrupt, "iret"},
    {flag::IsBranch | flag::Call | flag::Syscall, "syscall"},
    {flag::IsBranch | flag::Return | flag::Syscall, "sysret"},
    {flag::IsBranch | flag::Async, "async"},
    {flag::IsBranch | flag::Call | flag::Async | flag::Interrupt, "hw int"},
    {flag::IsBranch | flag::Abort, "tx abrt"},
    {flag::IsBranch | flag::TraceBegin, "tr strt"},
    {flag::IsBranch | flag::TraceEnd, "tr end"},
});

std::string_view word_of(u32 flags) {
  const auto* const found = std::ranges::find(kFlagsWords, flags, &FlagsWord::flags);
  return found == kFlagsWords.end() ? std::string_view() : found->word;
}

// The payload as text, or empty if any byte is not printable ASCII.
std::string readable(u64 payload) {
  std::string text;
  for (; payload != 0; payload >>= 8) {
    const auto c = static_cast<char>(payload & 0xff);
    if (c < ' ' || c > '~') return {};
    text += c;
  }
  return text;
}

std::string text_of(abi::DecodedEvent event, Bytes raw) {
  ByteReader in(raw, ByteOrder::Little);
  const u32 first = in.get32();
  const u64 payload = event == abi::DecodedEvent::ExStop ? 0 : in.get64();
  if (!in.ok()) return {};
  const auto bits = [&](unsigned at, unsigned width) { return payload >> at & ((u64{1} << width) - 1); };
  switch (event) {
    case abi::DecodedEvent::Ptwrite:
      return fmt::format(" IP: {} payload: {:#x} {}", first & 1, payload, readable(payload));
    case abi::DecodedEvent::Mwait:
      return fmt::format(" hints: {:#x} extensions: {:#x} ", bits(0, 8), bits(32, 2));
    case abi::DecodedEvent::PowerEntry:
      return fmt::format(" hw: {} cstate: {} sub-cstate: {} ", bits(7, 1), bits(12, 4), bits(8, 4));
    case abi::DecodedEvent::ExStop:
      return fmt::format(" IP: {} ", first & 1);
    case abi::DecodedEvent::PowerExit:
      return fmt::format(" deepest cstate: {} last cstate: {} wake reason: {:#x} ", bits(0, 4), bits(4, 4), bits(8, 4));
    case abi::DecodedEvent::CoreBusRatio: {
      const u32 ratio = first & 0xff, base = first >> 16 & 0xff;
      const u64 khz = payload & 0xffffffff;
      std::string text = fmt::format(" cbr: {:2} freq: {:4} MHz ", ratio, (khz + 500) / 1000);
      if (base != 0) text += fmt::format("({:3}%) ", (5 + 1000 * ratio / base) / 10);
      return text;
    }
    case abi::DecodedEvent::Synchronisation:
      return payload == 0 ? " psb offs: 0 " : fmt::format(" psb offs: {:#x} ", payload);
  }
  return {};
}

}  // namespace

void put_branch_flags(ScriptText& out, u32 flags) {
  constexpr std::size_t kRoom = 40;
  const std::string_view inside = (flags & flag::InTransaction) != 0 ? "(x)" : "";
  const u32 bare = flags & ~u32{flag::InTransaction}, ends = flag::TraceBegin | flag::TraceEnd;
  std::string text;
  if (const std::string_view word = word_of(bare); !word.empty()) {
    text = fmt::format("{:<15}{:>4}", word, inside);
  } else {
    text = fmt::format("{} {:<7}{:>4}", (bare & flag::TraceBegin) != 0 ? "tr strt" : "tr end ", word_of(bare & ~ends),
                       inside);
  }
  out.room(kRoom);
  out.put(fmt::format("  {:<21} ", text));
}

void put_decoded(ScriptText& out, abi::DecodedEvent event, Bytes raw) {
  constexpr std::size_t kWidth = 34;
  const std::string text = text_of(event, raw);
  if (text.empty()) return;
  out.room(text.size() + kWidth);
  out.put(text);
  if (text.size() < kWidth) out.fill(' ', kWidth - text.size());
}

}  // namespace peregrine
