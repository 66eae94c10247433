#include "output/text/field/script_branch_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "abi/sample.h"
#include "base/types.h"
#include "insn/instruction.h"
#include "machine/resolver/resolver.h"
#include "output/text/field/script_field_rows.h"
#include "output/text/field/script_frames.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {
namespace {

namespace f = script_field;
constexpr u64 kMostBlock = 16384;  // bytes; a longer block means that branches were lost
constexpr u64 kReach = 128;        // bytes to search for the missing branch before the sample
constexpr std::size_t kInstructionWidth = 30;

bool is_kernel(u64 address) { return address >> 63 != 0; }

class BranchWalk {
 public:
  BranchWalk(ScriptText& out, const ReplaySample& sample, Resolver& resolver, u64 fields,
             const BranchCounters& counters, ScriptCode& code)
      : out_(out),
        sample_(sample),
        resolver_(resolver),
        fields_(fields),
        counters_(counters),
        code_(code),
        words_((fields & f::BrStackDisasm) != 0 || code.mnemonics()) {}

  void walk(std::span<const abi::BranchEntry> branches) {
    first(branches.back());
    for (std::size_t i = branches.size() - 1; i-- > 0;) {
      const u64 start = branches[i + 1].to;
      u64 end = branches[i].from;
      // Branches into the kernel and back may have been filtered out: extend the block to the next branch.
      if (is_kernel(start) != is_kernel(end) && i > 0) end = branches[--i].from;
      block(start, end, branches[i]);
    }
    last(branches.front());
  }

 private:
  // Reads the bytes of [start, end], including the instruction that begins at `end`.
  CodeBytes read(u64 start, u64 end) {
    if (is_kernel(start) != is_kernel(end) || end < start || end - start > kMostBlock - kLongestInstruction) return {};
    return code_.read(sample_, resolver_, start, end - start + kLongestInstruction);
  }
  static CodeBytes behind(const CodeBytes& code, u64 offset) {
    const u64 skipped = std::min<u64>(offset, code.bytes.size());
    return {.bytes = code.bytes.subspan(skipped), .address = code.address + skipped, .isa = code.isa};
  }

  void first(const abi::BranchEntry& branch) {
    const CodeBytes code = read(branch.from, branch.from);
    if (!code_.decode(code, instruction_)) return;
    head(branch.from);
    jump(code, branch, 0);
  }

  void block(u64 start, u64 end, const abi::BranchEntry& branch) {
    const CodeBytes code = read(start, end);
    if (code.bytes.empty()) return;
    unsigned instructions = 0;
    u64 offset = 0;
    while (offset < end - start) {
      const CodeBytes here = behind(code, offset);
      head(here.address);
      if (!code_.decode(here, instruction_)) break;
      ++instructions;
      plain(here);
      offset += instruction_.size;
    }
    const CodeBytes here = behind(code, offset);
    if (offset == end - start && code_.decode(here, instruction_)) {
      head(here.address);
      jump(here, branch, instructions + 1);
    } else {
      put("\tmismatch of LBR data and executable\n");
    }
  }

  // Prints the code from the newest branch to the sample. The hardware may miss a branch or two just before it.
  void last(const abi::BranchEntry& branch) {
    const u64 sampled = sample_.sample.ip;
    if (branch.from == sampled || branch.abort) return;  // its target has not run
    const u64 start = branch.to;
    const u64 end = sampled < start ? start + kReach : sampled;
    const CodeBytes code = read(start, end);
    if (code.bytes.empty()) {
      const CodeBytes only = code_.read(sample_, resolver_, sampled, kLongestInstruction);
      head(start);
      if (code_.decode(only, instruction_)) plain(only);
      return;
    }
    head(start);
    for (u64 offset = 0; offset <= end - start; offset += instruction_.size) {
      const CodeBytes here = behind(code, offset);
      if (!code_.decode(here, instruction_)) return;
      plain(here);
      // An unconditional branch that is missing from the branch stack.
      if (here.address != sampled && instruction_.flow != Flow::Next && instruction_.flow != Flow::Branch)
        return put("\t... not reaching sample ...\n");
    }
  }

  // Prints the function at `address` if it differs from the previous one.
  void head(u64 address) {
    const Frame& frame = frame_anywhere(resolver_, sample_, address);
    if (!frame.dso || !frame.symbol) return;
    if (frame.dso == shown_.dso && frame.symbol == shown_.symbol) return;
    shown_ = frame;
    text_ = '\t';
    append_symbol(text_, resolver_, frame, false);
    if (const u64 offset = resolver_.symbol_offset(frame); offset != 0)
      fmt::format_to(std::back_inserter(text_), "+{}", offset);
    text_ += ':';
    if ((fields_ & f::SrcLine) != 0) code_.append_source_line(text_, frame);
    text_ += '\n';
    put(text_);
  }

  // Writes "\tADDRESS\tINSTRUCTION", padded if more follows on the line.
  void instruction(const CodeBytes& code, bool padded) {
    text_.clear();
    fmt::format_to(std::back_inserter(text_), "\t{:016x}\t", code.address);
    const std::size_t before = text_.size();
    code_.append_instruction(text_, code, instruction_, words_);
    const std::size_t width = text_.size() - before;
    if (padded && width < kInstructionWidth) text_.append(kInstructionWidth - width, ' ');
    if ((fields_ & f::BrStackInsnLen) != 0) fmt::format_to(std::back_inserter(text_), "\tilen: {}", instruction_.size);
  }

  void plain(const CodeBytes& code) {
    instruction(code, false);
    text_ += '\n';
    put(text_);
    source(code.address);
  }

  void jump(const CodeBytes& code, const abi::BranchEntry& branch, unsigned instructions) {
    instruction(code, true);
    occurrences(branch);
    text_ += "\t#";
    if (branch.predicted) text_ += " PRED";
    if (branch.mispredicted) text_ += " MISPRED";
    if (branch.in_transaction) text_ += " INTX";
    if (branch.abort) text_ += " ABORT";
    if (branch.cycles != 0) {
      cycles_ += branch.cycles;
      fmt::format_to(std::back_inserter(text_), " {} cycles [{}]", branch.cycles, cycles_);
      if (instructions != 0)
        fmt::format_to(std::back_inserter(text_), " {:.2f} IPC", static_cast<double>(instructions) / branch.cycles);
    }
    text_ += '\n';
    put(text_);
    source(code.address);
  }

  // Writes "\tbr_cntr: AA": the events that occurred before the branch.
  void occurrences(const abi::BranchEntry& branch) {
    const auto& counted = sample_.sample.branch_counters;
    const auto index = static_cast<std::size_t>(&branch - sample_.sample.branches.data());
    if ((fields_ & f::BrCounters) == 0 || index >= counted.size()) return;
    text_ += "\tbr_cntr: ";
    counters_.append(text_, sample_.event, counted[index]);
  }

  void source(u64 address) {
    if ((fields_ & f::SrcCode) != 0) code_.put_source_text(out_, sample_, resolver_, address);
  }
  void put(std::string_view text) {
    out_.room(text.size());
    out_.put(text);
  }

  ScriptText& out_;
  const ReplaySample& sample_;
  Resolver& resolver_;
  u64 fields_;
  const BranchCounters& counters_;
  ScriptCode& code_;
  bool words_;
  Frame shown_;  // the function printed last
  u64 cycles_ = 0;
  Instruction instruction_;
  std::string text_;
};

}  // namespace

void put_branch_code(ScriptText& out, const ReplaySample& sample, Resolver& resolver, const BranchCodeChoice& choice,
                     const BranchCounters& counters, ScriptCode& code) {
  const std::size_t max_blocks = choice.max_blocks;
  std::span<const abi::BranchEntry> branches = sample.sample.branches;
  if (branches.empty()) return;
  if (max_blocks != 0) branches = branches.first(std::min(branches.size(), max_blocks + 1));
  out.room(1);
  out.put('\n');
  BranchWalk(out, sample, resolver, choice.fields, counters, code).walk(branches);
}

}  // namespace peregrine
