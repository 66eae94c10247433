#include "pipeline/replay/watchpoint.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <span>
#include <utility>

#include "base/result.h"
#include "base/types.h"
#include "insn/instruction.h"

namespace peregrine {

namespace {
constexpr u64 kMostCode = u64{1} << 16;        // most bytes of a function to decode up to the access
constexpr u32 kExecution = 4;                  // HW_BREAKPOINT_X
constexpr u64 kFirstContext = ~u64{0} - 4095;  // chain entries from here on are context markers
}  // namespace

bool is_watchpoint(const abi::EventAttr& attr) {
  return attr.type == static_cast<u32>(abi::EventType::Breakpoint) && (attr.bp_type & kExecution) == 0;
}

Result<> check_watchpoints(const data::Evlist& evlist) {
  if (std::ranges::none_of(evlist, [](const data::Event& event) { return is_watchpoint(event.attr); })) return {};
  auto opened = open_disassembler(Isa::X86_64);
  if (!opened) return std::unexpected(std::move(opened.error()));
  return {};
}

Disassembler* WatchpointMover::disassembler(Isa isa) {
  const auto [at, fresh] = disassemblers_.try_emplace(isa);
  if (fresh)
    if (auto opened = open_disassembler(isa)) at->second = std::move(*opened);
  return at->second.get();
}

u64 WatchpointMover::size_before(const Frame& frame, u64 offset) {
  if (!frame.dso || offset == 0 || offset > kMostCode) return 0;
  const Isa isa = reader_.isa(frame.dso);
  if (isa != Isa::X86_64 && isa != Isa::I386) return 0;  // others trap before the access, so the IP is right
  Disassembler* const reader = disassembler(isa);
  Frame start = frame;
  start.address -= offset;
  code_.resize(offset);
  if (reader == nullptr || reader_.read(start, code_) != offset) return 0;
  u64 at = 0, size = 0;
  Instruction instruction;
  while (at < offset) {
    if (!reader->decode(std::span(code_).subspan(at), start.address + at, instruction)) return 0;
    if (!instruction.valid || instruction.size == 0) return 0;
    size = instruction.size;
    at += size;
  }
  return at == offset ? size : 0;
}

void WatchpointMover::move(const Resolver::Context& context, Resolver& resolver, abi::Sample& sample) {
  const FrameId id = resolver.frame(context, sample.ip, sample.cpumode());
  const auto [known, fresh] = sizes_.try_emplace(id.value, 0);
  if (fresh) {
    const Frame frame = resolver.at(id);
    known->second = frame.symbol ? size_before(frame, resolver.symbol_offset(frame)) : 0;
  }
  if (known->second == 0) return;
  const u64 next = sample.ip;
  sample.ip -= known->second;
  const auto first = std::ranges::find_if(sample.callchain, [](u64 word) { return word < kFirstContext; });
  if (first == sample.callchain.end() || *first != next) return;
  chain_.assign(sample.callchain.begin(), sample.callchain.end());
  chain_[static_cast<std::size_t>(first - sample.callchain.begin())] = sample.ip;
  sample.callchain = chain_;
}

}  // namespace peregrine
