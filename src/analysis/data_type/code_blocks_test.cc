#include "analysis/data_type/code_blocks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "insn/instruction.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Code with one byte per instruction: '.' continues, 'r' returns, 'c' calls, 'x' is invalid, and a digit jumps there;
// 'b' before a digit makes it a two-byte conditional jump.
class LetterDisassembler : public Disassembler {
 public:
  bool decode(std::span<const std::byte> bytes, u64 address, Instruction& instruction) override {
    if (bytes.empty()) return false;
    instruction = {.address = address, .size = 1, .valid = false};
    return true;
  }
  bool data_flow(std::span<const std::byte> bytes, u64, DataFlow& flow) override {
    const char letter = static_cast<char>(bytes[0]);
    flow = {.size = 1};
    if (letter == 'r') flow.flow = Flow::Return;
    if (letter == 'c') flow.flow = Flow::Call;
    if (letter == 'c') flow.jump = 0;
    if (letter == 'b' && bytes.size() > 1) {
      flow = {.size = 2, .flow = Flow::Branch, .jump = static_cast<u64>(bytes[1]) - '0'};
    } else if (letter >= '0' && letter <= '9') {
      flow.flow = Flow::Jump;
      flow.jump = static_cast<u64>(letter - '0');
    }
    return letter != 'x';
  }
};

// "first-end>next,next" for each block, as instruction numbers.
std::vector<std::string> blocks_of(std::string_view code, std::vector<AddressRange> ranges) {
  const auto read = [&](u64 address, std::span<std::byte> out) {
    const std::string_view there = code.substr(std::min<std::size_t>(address, code.size()), out.size());
    std::ranges::transform(there, out.begin(), [](char letter) { return static_cast<std::byte>(letter); });
    return there.size();
  };
  LetterDisassembler disassembler;
  std::vector<std::string> texts;
  for (const CodeBlock& block : read_code_blocks(std::move(ranges), read, disassembler).blocks)
    texts.push_back(fmt::format("{}-{}>{}", block.first, block.end, fmt::join(block.next, ",")));
  return texts;
}
std::vector<std::string> blocks_of(std::string_view code) { return blocks_of(code, {{0, code.size()}}); }

TEST(BasicBlocks, EndWhereTheCodeMayGoElsewhere) {
  EXPECT_THAT(blocks_of("...r"), ElementsAre("0-4>"));
  EXPECT_THAT(blocks_of(".c.r"), ElementsAre("0-4>")) << "a call comes back";
  EXPECT_THAT(blocks_of("..0"), ElementsAre("0-3>0")) << "a loop for ever";
  // 0: if (…) goto 4; 2: .. ; 4: return
  EXPECT_THAT(blocks_of("b4..r"), ElementsAre("0-1>1,2", "1-3>2", "3-4>"));
}

TEST(BasicBlocks, DoNotFollowJumpsOutOfTheFunction) {
  EXPECT_THAT(blocks_of(".9"), ElementsAre("0-2>"));
  EXPECT_THAT(blocks_of("b9r"), ElementsAre("0-1>1", "1-2>"));
  EXPECT_THAT(blocks_of("b1.r"), ElementsAre("0-1>1", "1-3>")) << "into the middle of an instruction";
}

TEST(BasicBlocks, RunningOffTheEndLeadsNowhere) {
  EXPECT_THAT(blocks_of("..."), ElementsAre("0-3>"));
  EXPECT_THAT(blocks_of("b0"), ElementsAre("0-1>0"));
}

TEST(BasicBlocks, BytesThatAreNoInstructionAreSkipped) {
  EXPECT_THAT(blocks_of(".xx.r"), ElementsAre("0-3>"));
  EXPECT_THAT(blocks_of("xxx"), IsEmpty());
  EXPECT_THAT(blocks_of(""), IsEmpty());
}

// Compilers move rarely executed code away from the rest of its function.
TEST(BasicBlocks, RangesOfAFunctionMayLeadToEachOther) {
  EXPECT_THAT(blocks_of("b6r...3", {{6, 7}, {0, 4}}), ElementsAre("0-1>1,3", "1-2>", "2-3>", "3-4>2"));
  EXPECT_THAT(blocks_of("...r", {{0, 4}, {0, 2}, {1, 4}}), ElementsAre("0-4>")) << "what overlaps is read once";
  EXPECT_THAT(blocks_of("...r", {{2, 2}, {3, 1}}), IsEmpty());
}

TEST(BasicBlocks, EndWithTheBytesThatAFileHas) {
  EXPECT_THAT(blocks_of("..", {{0, 100}}), ElementsAre("0-2>"));
  EXPECT_THAT(blocks_of("..", {{50, 100}}), IsEmpty());
}

}  // namespace
}  // namespace peregrine
