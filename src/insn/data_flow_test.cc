#include "insn/data_flow.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "insn/disassembler.h"

namespace peregrine {
namespace {

std::string register_text(u8 number) { return number == kNoRegister ? "-" : fmt::format("{}", number); }

// "load 0 <- [7+0x10]:8", followed by the changed registers.
std::string text_of(const DataFlow& flow) {
  constexpr std::string_view kCarries[] = {"nothing", "copy", "constant", "load",  "address",
                                           "add",     "sum",  "choose",   "thread"};
  std::string text(kCarries[static_cast<std::size_t>(flow.carry)]);
  if (flow.carry != Carry::Nothing) text += fmt::format(" {}", register_text(flow.to));
  if (flow.also != kNoRegister) text += fmt::format(",{}", flow.also);
  if (flow.from != kNoRegister) text += fmt::format(" <- {}", flow.from);
  if (flow.carry == Carry::AddRegister || flow.carry == Carry::Choose)
    text += fmt::format(" {}", register_text(flow.second));
  if (flow.value != 0) text += fmt::format(" {:#x}", flow.value);
  if (const auto& memory = flow.memory) {
    text += fmt::format(" [{}", register_text(memory->base));
    if (memory->index != kNoRegister) text += fmt::format("+{}*{}", memory->index, memory->scale);
    text += fmt::format("{:+#x}{}]", memory->offset,
                        memory->segment == Segment::Thread      ? " thread"
                        : memory->segment == Segment::Processor ? " processor"
                                                                : "");
    if (memory->base_step != 0) text += fmt::format(" step {} {}", memory->base_step, memory->stepped_after);
    if (flow.touches_memory) text += fmt::format(":{}", memory->size);
  }
  if (flow.uses_stack) text += " stack";
  if (flow.jump) text += fmt::format(" to {:#x}", *flow.jump);
  return text + fmt::format(" ={:x}", flow.written);
}

std::string flow_text(Isa isa, std::string_view hex) {
  std::vector<std::byte> bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 3)
    bytes.push_back(static_cast<std::byte>(std::stoul(std::string(hex.substr(at, 2)), nullptr, 16)));
  auto disassembler = open_disassembler(isa);
  if (!disassembler) return disassembler.error().message;
  DataFlow flow;
  if (!(*disassembler)->data_flow(bytes, 0x1000, flow)) return "unknown";
  EXPECT_EQ(flow.size, bytes.size()) << hex;
  return text_of(flow);
}

class FollowingData : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const Isa isa : {Isa::X86_64, Isa::Arm64})
      if (auto opened = open_disassembler(isa); !opened) GTEST_SKIP() << opened.error().message;
  }
};

TEST_F(FollowingData, TellsWhatX86InstructionsCarry) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"48 8b 47 10", "load 0 [5+0x10]:8 =1"},                        // mov 0x10(%rdi),%rax
      {"8b 47 10", "nothing [5+0x10]:4 =1"},                          // mov 0x10(%rdi),%eax
      {"48 89 45 f8", "nothing [6-0x8]:8 =0"},                        // mov %rax,-8(%rbp)
      {"48 89 fb", "copy 3 <- 5 =8"},                                 // mov %rdi,%rbx
      {"48 8d 04 f7", "address 0 [5+4*8+0x0] =1"},                    // lea (%rdi,%rsi,8),%rax
      {"48 8d 05 10 00 00 00", "address 0 [-+0x1017] =1"},            // lea 0x10(%rip),%rax
      {"bf 60 40 40 00", "constant 5 0x404060 =20"},                  // mov $0x404060,%edi
      {"48 83 c0 20", "add 0 <- 0 0x20 =1"},                          // add $0x20,%rax
      {"48 83 e8 20", "add 0 <- 0 -0x20 =1"},                         // sub $0x20,%rax
      {"48 01 d8", "sum 0 <- 0 3 =1"},                                // add %rbx,%rax
      {"48 0f 44 c2", "choose 0 <- 0 1 =1"},                          // cmove %rdx,%rax
      {"64 48 8b 04 25 28 00 00 00", "load 0 [-+0x28 thread]:8 =1"},  // mov %fs:0x28,%rax
      {"65 8b 05 10 00 00 00", "nothing [-+0x1017 processor]:4 =1"},  // mov %gs:0x10(%rip),%eax
      {"55", "nothing stack =80"},                                    // push %rbp
      {"ff 77 08", "nothing [5+0x8]:8 stack =80"},                    // push 8(%rdi)
      {"c3", "nothing stack =80"},                                    // ret
      {"e8 0b 00 00 00", "nothing stack to 0x1010 =80"},              // call
      {"eb fe", "nothing to 0x1000 =0"},                              // jmp
      {"66 0f 1f 44 00 00", "nothing =0"},                            // nopw 0(%rax,%rax,1)
      {"f3 0f 10 04 91", "nothing [2+1*4+0x0]:4 =0"},                 // movss (%rcx,%rdx,4),%xmm0
  };
  for (const auto& [hex, expected] : cases) EXPECT_EQ(flow_text(Isa::X86_64, hex), expected) << hex;
  EXPECT_EQ(flow_text(Isa::I386, "8b 47 10"), "unknown");
}

TEST_F(FollowingData, TellsWhatArmInstructionsCarry) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"00 08 40 f9", "load 0 [0+0x10]:8 =1"},                                 // ldr x0, [x0, #16]
      {"01 10 40 b9", "nothing [0+0x10]:4 =2"},                                // ldr w1, [x0, #16]
      {"20 78 61 f8", "load 0 [1+1*8+0x0]:8 =1"},                              // ldr x0, [x1, x1, lsl #3]
      {"20 84 40 f8", "load 0 [1+0x0] step 8 true:8 =3"},                      // ldr x0, [x1], #8
      {"40 04 41 a9", "load 0,1 [2+0x10]:16 =3"},                              // ldp x0, x1, [x2, #16]
      {"fd 7b be a9", "nothing [31-0x20] step -32 false:16 stack =80000000"},  // stp x29, x30, [sp, #-32]!
      {"f3 03 00 aa", "copy 19 <- 0 =80000"},                                  // mov x19, x0
      {"00 40 00 91", "add 0 <- 0 0x10 =1"},                                   // add x0, x0, #16
      {"20 00 02 8b", "sum 0 <- 1 2 =1"},                                      // add x0, x1, x2
      {"00 00 00 90", "constant 0 0x1000 =1"},                                 // adrp x0
      {"20 00 82 9a", "choose 0 <- 1 2 =1"},                                   // csel x0, x1, x2, eq
      {"04 00 00 94", "nothing to 0x1010 =40000000"},                          // bl
      {"3f 00 03 eb", "nothing =0"},                                           // cmp x1, x3
      {"c0 03 5f d6", "nothing =0"},                                           // ret
  };
  for (const auto& [hex, expected] : cases) EXPECT_EQ(flow_text(Isa::Arm64, hex), expected) << hex;
}

}  // namespace
}  // namespace peregrine
