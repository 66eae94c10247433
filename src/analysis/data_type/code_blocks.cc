#include "analysis/data_type/code_blocks.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include "base/bytes.h"
#include "base/types.h"
#include "insn/data_flow.h"
#include "insn/instruction.h"

namespace peregrine {
namespace {

// In bytes. Anything longer is a table, or a broken file.
constexpr u64 kLongestFunction = 512u << 10;
constexpr u32 kNowhere = 0xffffffffu;

void read_range(const AddressRange& range, const ReadCode& read, Disassembler& disassembler,
                std::vector<CodeStep>& steps) {
  std::vector<std::byte> code(range.end - range.begin);
  const Bytes bytes(code.data(), read(range.begin, code));
  for (u64 at = 0; at < bytes.size();) {
    CodeStep step{.address = range.begin + at, .flow = {}};
    if (disassembler.data_flow(bytes.subspan(at), step.address, step.flow) && step.flow.size != 0) {
      at += step.flow.size;
      steps.push_back(step);
    } else {
      Instruction skipped;
      if (!disassembler.decode(bytes.subspan(at), step.address, skipped)) return;
      at += std::max<u32>(skipped.size, 1);
    }
  }
}

class Splitter {
 public:
  explicit Splitter(CodeBlocks& code) : code_(code) {}

  void split(const std::vector<AddressRange>& ranges) {
    std::set<u32> leaders;
    const u32 count = static_cast<u32>(code_.steps.size());
    for (const AddressRange& range : ranges) leaders.insert(first_from(range.begin));
    for (u32 i = 0; i < count; ++i) {
      const DataFlow& flow = code_.steps[i].flow;
      if (!leaves(flow)) continue;
      leaders.insert(i + 1);
      if (const u32 target = target_of(flow); target != kNowhere) leaders.insert(target);
    }
    leaders.erase(count);
    for (auto leader = leaders.begin(); leader != leaders.end();) {
      const u32 first = *leader++;
      code_.blocks.push_back({first, leader == leaders.end() ? count : *leader, {}});
    }
    for (CodeBlock& block : code_.blocks) connect(block);
  }

 private:
  static bool leaves(const DataFlow& flow) {
    return flow.flow == Flow::Jump || flow.flow == Flow::Branch || flow.flow == Flow::Return;
  }
  u32 first_from(u64 address) const {
    return static_cast<u32>(std::ranges::lower_bound(code_.steps, address, {}, &CodeStep::address) -
                            code_.steps.begin());
  }
  u32 target_of(const DataFlow& flow) const {
    if (!flow.jump || flow.flow == Flow::Call) return kNowhere;
    const u32 step = first_from(*flow.jump);
    return step < code_.steps.size() && code_.steps[step].address == *flow.jump ? step : kNowhere;
  }
  void connect(CodeBlock& block) const {
    const CodeStep& last = code_.steps[block.end - 1];
    const auto lead_to = [&](u32 step) {
      const auto found = std::ranges::lower_bound(code_.blocks, step, {}, &CodeBlock::first);
      if (found != code_.blocks.end() && found->first == step)
        block.next.push_back(static_cast<u32>(found - code_.blocks.begin()));
    };
    const bool goes_on = last.flow.flow != Flow::Jump && last.flow.flow != Flow::Return;
    if (goes_on && block.end < code_.steps.size() && code_.steps[block.end].address == last.address + last.flow.size)
      lead_to(block.end);
    if (const u32 target = target_of(last.flow); target != kNowhere) lead_to(target);
  }

  CodeBlocks& code_;
};

}  // namespace

CodeBlocks read_code_blocks(std::vector<AddressRange> ranges, const ReadCode& read, Disassembler& disassembler) {
  std::ranges::sort(ranges, {}, &AddressRange::begin);
  CodeBlocks code;
  u64 done = 0, left = kLongestFunction;
  for (AddressRange& range : ranges) {
    range.begin = std::max(range.begin, done);
    if (range.begin >= range.end) continue;
    done = range.end;
    const u64 size = std::min(range.end - range.begin, left);
    read_range({range.begin, range.begin + size}, read, disassembler, code.steps);
    left -= size;
  }
  Splitter(code).split(ranges);
  return code;
}

}  // namespace peregrine
