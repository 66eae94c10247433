// An Intel PT trace with arbitrary code. Input: mode (1: compressed returns; 2: 32-bit code; from bit 2 on: the
// size of the parts in which the trace arrives), length of the code, code, trace.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

#include "auxtrace/intel_pt/block.h"
#include "auxtrace/intel_pt/flow.h"
#include "auxtrace/intel_pt/packet.h"
#include "base/bytes.h"
#include "base/types.h"
#include "input.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"

namespace peregrine {
namespace {

using namespace auxtrace;

constexpr u64 kCode = 0x401000;

class AnyBlocks : public CodeSource {
 public:
  AnyBlocks(Bytes code, Isa isa) : code_(code) {
    if (auto opened = open_disassembler(isa)) disassembler_ = std::move(*opened);
  }
  const Block* block(u64 ip, unsigned) override {
    if (!disassembler_ || ip < kCode || ip - kCode >= code_.size()) return nullptr;
    const auto [at, fresh] = blocks_.try_emplace(ip);
    if (fresh) at->second = make_block(*disassembler_, code_.subspan(ip - kCode), ip);
    return &at->second;
  }

 private:
  Bytes code_;
  std::unique_ptr<Disassembler> disassembler_;
  std::unordered_map<u64, Block> blocks_;
};

// A hash of all reported events.
class Tally : public FlowSink {
 public:
  void executed(u64 ip, const Block& block, u32 first, u32 last, u32) override {
    if (first >= last || last > block.instructions()) __builtin_trap();
    add(ip + block.starts[first]);
    add(last - first);
  }
  void branch(const Branch& branch) override {
    add(branch.from);
    add(branch.to);
    add(branch.flags | u64{branch.length} << 32);
  }
  void event(const Packet& packet, u64 ip) override {
    add(packet.payload);
    add(ip);
  }
  void error(FlowError error, u64 ip) override {
    if (flow_error_text(error).empty()) __builtin_trap();
    add(ip);
  }
  u64 sum() const { return sum_; }

 private:
  void add(u64 value) { sum_ = (sum_ ^ value) * 0x9e3779b97f4a7c15ull; }
  u64 sum_ = 1;
};

u64 tally(Bytes trace, std::size_t part, const FlowFacts& facts, AnyBlocks& code) {
  Tally sink;
  FlowDecoder flow(facts, code, sink);
  for (std::size_t at = 0; at < trace.size(); at += part) {
    flow.feed(trace.subspan(at, std::min(part, trace.size() - at)), 1000, false);
    u64 last = 0;
    while (flow.run(last)) {
      if (flow.clock().ticks() <= last) __builtin_trap();  // it continued up to that time without reporting it
      last = flow.clock().ticks();
    }
  }
  if (flow.offset() > trace.size()) __builtin_trap();
  return sink.sum();
}

}  // namespace

// However the trace is split, the result is the same.
void fuzz_intel_pt(Bytes bytes) {
  ByteReader reader(bytes, ByteOrder::Little);
  const u8 how = reader.get8();
  AnyBlocks code(reader.take(std::min<std::size_t>(reader.get16(), reader.left())),
                 (how & 2) != 0 ? Isa::I386 : Isa::X86_64);
  const Bytes trace = reader.rest();
  const FlowFacts facts = {.clock = {3, 160, 2, 20}, .compressed_returns = (how & 1) != 0};
  if (tally(trace, (how >> 2) + 1u, facts, code) != tally(trace, trace.size() + 1, facts, code)) __builtin_trap();
}

}  // namespace peregrine
