#include "analysis/data_type/data_type_table.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <span>

#include "insn/disassembler.h"
#include "insn/instruction.h"

namespace peregrine {
namespace {

// The programs of tests/fixtures/data_types; their sources say which data each function accesses. They are linked at
// 0x400000, the start of the file.
class ProgramTypes {
 public:
  explicit ProgramTypes(const char* program)
      : dso_(dsos_.find_or_add(DsoKind::File, std::string(PEREGRINE_FIXTURES "/data_types/") + program)) {}
  DataTypeId find(u64 address) { return table_.find(frame(address)); }
  // "struct node +0x8 (data)", or why the type is unknown.
  std::string text(u64 address) {
    const ShownDataType& shown = table_.at(find(address));
    if (shown.type) return instruction_text(shown);
    return shown.why == UnknownType::None ? shown.name : std::string(unknown_type_text(shown.why));
  }
  std::string mnemonic(u64 address) { return table_.mnemonic(frame(address)); }
  DataTypeTable& table() { return table_; }
  Frame frame(u64 address) const {
    constexpr u64 kLinked = 0x400000;
    return {.address = address - kLinked, .dso = dso_, .symbol = {}, .kind = FrameKind::User};
  }

 private:
  DsoTable dsos_{{}};
  DsoId dso_;
  DataTypeTable table_{dsos_};
};

struct TypedCode {
  u64 address;
  std::string_view instruction, text;
};

void expect_types(ProgramTypes& program, std::span<const TypedCode> instructions) {
  for (const TypedCode& each : instructions) EXPECT_EQ(program.text(each.address), each.text) << each.instruction;
}

TEST(DataTypeTable, FollowsPointersThroughOptimizedCode) {
  if (auto disassembler = open_disassembler(Isa::X86_64); !disassembler) GTEST_SKIP() << disassembler.error().message;
  ProgramTypes program("x86");
  const TypedCode instructions[] = {
      // n->next->next->data->count
      {0x400200, "mov (%rdi),%rax", "struct node +0 (next)"},
      {0x400203, "mov (%rax),%rax", "struct node +0 (next)"},
      {0x400206, "mov 0x8(%rax),%rax", "struct node +0x8 (data)"},
      {0x40020a, "mov 0x18(%rax),%rax", "struct payload +0x18 (count)"},
      {0x40020e, "ret", "(stack operation)"},
      // n[i].range.high, and n[i].slots[1] after the pointer has been advanced
      {0x400230, "movzwl 0x12(%rdi),%eax", "struct node +0x12 (range.high)"},
      {0x400238, "add -0x18(%rdi),%rax", "struct node +0x20 (slots[1])"},
      {0x40023c, "add %rax,%rdx", "from instructions that do not access memory"},
      {0x400264, "movsd 0x8(%rdi),%xmm1", "point_t +0x8 (y)"},
      // table[i].range.low and total
      {0x40028e, "mov %si,0x401030(,%rax,8)", "struct node +0x10 (range.low)"},
      {0x400299, "add %rsi,0xd68(%rip)", "long int +0"},
      // a structure on the stack
      {0x4002b0, "mov %edi,-0x28(%rsp)", "struct payload +0 (id)"},
      {0x4002b4, "movb $0x1,-0x21(%rsp)", "struct payload +0x7 (name[3])"},
      {0x4002b9, "movq $0x7,-0x10(%rsp)", "struct payload +0x18 (count)"},
      // while (n->next) n = n->next, from a global pointer
      {0x4002d0, "mov 0xd29(%rip),%rax", "struct node* +0"},
      {0x4002e3, "mov (%rax),%rax", "struct node +0 (next)"},
      {0x400310, "mov (%rdi),%rax", "with incomplete types (void, or only declared)"},
      {0x400350, "mov %fs:0x28,%rax", "(stack canary)"},
      {0x400359, "add %fs:0xfffffffffffffff8,%rax", "long int +0"},
  };
  expect_types(program, instructions);
}

TEST(DataTypeTable, FindsVariablesOfThreadsAndOfProcessors) {
  if (auto disassembler = open_disassembler(Isa::X86_64); !disassembler) GTEST_SKIP() << disassembler.error().message;
  ProgramTypes program("threads_x86");
  const TypedCode instructions[] = {
      {0x4001a0, "mov %fs:0xffffffffffffffe0,%rdx", "struct account +0x8 (next)"},
      {0x4001ab, "addl $0x1,%fs:0xfffffffffffffffc", "int +0"},
      {0x4001b4, "sub %rdi,%fs:0xffffffffffffffd8", "struct account +0 (balance)"},
      {0x4001c2, "mov (%rdx),%rax", "struct account +0 (balance)"},
      {0x4001da, "movswl %fs:(%rax),%eax", "short int +0"},
      {0x4001de, "add %fs:-0x18(,%rdi,4),%eax", "struct account +0x10 (marks[0])"},
      {0x400205, "mov (%rax),%rax (the result of self())", "struct account +0 (balance)"},
      {0x400210, "mov %gs:queues", "struct queue +0 (length)"},
      {0x400220, "mov %gs:queues+8", "struct queue +0x8 (first)"},
      {0x400228, "mov (%rax),%rax", "struct account +0 (balance)"},
      {0x40023f, "mov (%rax),%rax (queues of this processor)", "struct queue +0 (length)"},
  };
  expect_types(program, instructions);
}

TEST(DataTypeTable, FollowsArm64Code) {
  if (auto disassembler = open_disassembler(Isa::Arm64); !disassembler) GTEST_SKIP() << disassembler.error().message;
  ProgramTypes program("arm64");
  const TypedCode instructions[] = {
      {0x4001c0, "ldr x0, [x0]", "struct node +0 (next)"},
      {0x4001c8, "ldr x0, [x0, #0x8]", "struct node +0x8 (data)"},
      {0x4001cc, "ldr x0, [x0, #0x18]", "struct payload +0x18 (count)"},
      {0x4001f0, "ldur x3, [x2, #0xe]", "struct node +0x20 (slots[1])"},
      {0x4001f8, "ldurh w1, [x2, #-0x38]", "struct node +0x12 (range.high)"},
      {0x400278, "str w0, [sp]", "struct payload +0 (id)"},
      {0x400280, "strb w1, [sp, #0x7]", "struct payload +0x7 (name[3])"},
      {0x400298, "ldr x1, [x0, #0x1b0]", "struct node* +0"},
      {0x4002a4, "ldr x1, [x1]", "struct node +0 (next)"},
  };
  expect_types(program, instructions);
}

TEST(DataTypeTable, SaysWhyATypeIsUnknown) {
  DsoTable dsos({});
  DataTypeTable table(dsos);
  const auto why = [&](const Frame& frame) { return table.at(table.find(frame)).why; };
  EXPECT_EQ(why({}), UnknownType::NoCode) << "no map covers the address";
  const DsoId gone = dsos.find_or_add(DsoKind::File, "/nonexistent/program");
  EXPECT_EQ(why({.address = 0x1000, .dso = gone, .symbol = {}}), UnknownType::NoCode);
  EXPECT_EQ(table.mnemonic({.address = 0x1000, .dso = gone, .symbol = {}}), "");
  EXPECT_EQ(table.mnemonic({}), "");
}

TEST(DataTypeTable, AnswersForAnAddressOutsideOfAllFunctions) {
  if (auto disassembler = open_disassembler(Isa::X86_64); !disassembler) GTEST_SKIP() << disassembler.error().message;
  ProgramTypes program("x86");
  EXPECT_EQ(program.text(0x500000), "in code without a file");
  EXPECT_EQ(program.table().at(program.find(0x400201)).why, UnknownType::NotDecoded) << "inside an instruction";
  EXPECT_EQ(program.mnemonic(0x400200), "mov");
  EXPECT_EQ(program.mnemonic(0x40020e), "ret");
  EXPECT_EQ(program.mnemonic(0x500000), "");
}

TEST(DataTypeTable, EqualAnswersAndTextsHaveEqualIds) {
  if (auto disassembler = open_disassembler(Isa::X86_64); !disassembler) GTEST_SKIP() << disassembler.error().message;
  ProgramTypes program("x86");
  const DataTypeId next = program.find(0x400200), also_next = program.find(0x4002e3), data = program.find(0x400206);
  EXPECT_EQ(next, also_next);
  EXPECT_NE(next, data);
  const DataTypeTable& table = program.table();
  const DataTypeTable::Texts texts = table.texts(next), others = table.texts(data);
  EXPECT_EQ(texts.type, others.type);
  EXPECT_EQ(texts.line, others.line);
  EXPECT_NE(texts.offset, others.offset);
  EXPECT_EQ(table.text(texts.type), "struct node");
  EXPECT_EQ(table.text(texts.offset), "struct node +0 (next)");
  EXPECT_EQ(table.text(others.offset), "struct node +0x8 (data)");
  EXPECT_EQ(table.text(texts.line), "struct node: cache-line 0");
  EXPECT_EQ(table.at(next).size, 56u);
  EXPECT_EQ(table.at(next).member, "next");
  EXPECT_EQ(table.text(table.texts(program.find(0x400299)).offset), "long int +0 (no field)");
}

TEST(UnknownTypes, EachReasonHasATextAndOnlyKnownTypesHaveNone) {
  EXPECT_EQ(unknown_type_text(UnknownType::None), "");
  std::set<std::string_view> texts;
  for (std::size_t why = 1; why < kUnknownTypes; ++why) {
    const std::string_view text = unknown_type_text(static_cast<UnknownType>(why));
    EXPECT_FALSE(text.empty()) << why;
    EXPECT_TRUE(texts.insert(text).second) << text;
  }
}

TEST(UnknownTypes, ATypeWithoutMembersHasNoMemberInItsText) {
  EXPECT_EQ(instruction_text({}), "") << "an unknown type";
  const int owner = 0;
  const TypeRef type{.owner = &owner, .valid = true};
  EXPECT_EQ(instruction_text({.name = "long", .member = "", .offset = 0, .type = type}), "long +0");
  EXPECT_EQ(instruction_text({.name = "struct foo", .member = "list.next", .offset = 16, .type = type}),
            "struct foo +0x10 (list.next)");
}

}  // namespace
}  // namespace peregrine
