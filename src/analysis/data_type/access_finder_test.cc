#include "analysis/data_type/access_finder.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/data_type/member_place.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/elf/elf_file.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

constexpr u8 kRegister = 3, kOtherRegister = 4;

// Types and variables of tests/fixtures/data_types/places.c. No function is analysed; the tests set the register
// values.
class AccessFinderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto file = ElfFile::open(PEREGRINE_FIXTURES "/data_types/x86");
    ASSERT_TRUE(file);
    auto opened = DebugInformation::open(std::move(*file));
    ASSERT_TRUE(opened);
    debug = std::move(*opened);
    unit = debug->unit(0);
    auto loaded = load_elf_symbols(debug->file(), ElfAddresses::Virtual);
    ASSERT_TRUE(loaded);
    symbols = std::move(*loaded);
    types = std::make_unique<DwarfTypes>(*unit);
    fixed = std::make_unique<FixedVariables>(*unit, symbols);
    thread = std::make_unique<ThreadVariables>(*debug);
    finder = std::make_unique<AccessFinder>(*types, variables, *fixed, source);
  }
  KnownValue object(std::string_view type, i64 offset = 0, bool walked = false) const {
    return {.kind = KnownValue::Kind::Object, .walked = walked, .offset = offset, .type = types->find(type)};
  }
  static KnownValue constant(i64 address) {
    return {.kind = KnownValue::Kind::Constant, .offset = address, .type = {}};
  }
  // What an operand accesses when kRegister holds `value`: "struct node +8 next", or the number of the reason.
  std::string access(const MemoryOperand& memory, const KnownValue& value = {}) const {
    KnownValues values;
    values[kRegister] = value;
    const DataAccess found = finder->find(memory, values, 0);
    if (found.kind == AccessKind::StackCanary) return "canary";
    if (found.kind != AccessKind::Typed) return "unknown " + std::string(reason(found.why));
    return data_type_name(*types, found.type) + " +" + std::to_string(found.offset) + " " +
           member_at(*types, found.type, found.offset).path;
  }
  static std::string_view reason(UnknownType why) {
    switch (why) {
      case UnknownType::Register:
        return "register";
      case UnknownType::Segment:
        return "segment";
      case UnknownType::StackSlot:
        return "stack slot";
      case UnknownType::Address:
        return "address";
      case UnknownType::NoSize:
        return "size";
      case UnknownType::Outside:
        return "outside";
      default:
        return "other";
    }
  }

  std::unique_ptr<DebugInformation> debug;
  const EntryUnit* unit = nullptr;
  SymbolTable symbols;
  PlacedVariables variables;  // none: not in a function
  ThreadVariableSource source = [this]() -> const ThreadVariables& { return *thread; };
  std::unique_ptr<DwarfTypes> types;
  std::unique_ptr<FixedVariables> fixed;
  std::unique_ptr<ThreadVariables> thread;
  std::unique_ptr<AccessFinder> finder;
};

TEST_F(AccessFinderTest, APointerLeadsToAMemberOfItsObject) {
  EXPECT_EQ(access({.base = kRegister, .offset = 8}, object("struct node")), "struct node +8 data");
  EXPECT_EQ(access({.base = kRegister, .offset = -8}, object("struct node", 16)), "struct node +8 data");
  EXPECT_EQ(access({.base = kRegister, .offset = 0x18}, object("struct payload")), "struct payload +24 count");
}

TEST_F(AccessFinderTest, OutsideOfAStructureIsNoMember) {
  // A node has 56 bytes. A multiple of that leads to another element of an array; any other offset means that the
  // pointer was to a member of something larger.
  EXPECT_EQ(access({.base = kRegister, .offset = 56}, object("struct node")), "struct node +0 next");
  EXPECT_EQ(access({.base = kRegister, .offset = 60}, object("struct node")), "unknown outside");
  EXPECT_EQ(access({.base = kRegister, .offset = -8}, object("struct node")), "unknown outside");
}

TEST_F(AccessFinderTest, AnIndexMeansAnArrayOfObjects) {
  const MemoryOperand indexed{.base = kRegister, .index = kOtherRegister, .scale = 8, .offset = 64};
  EXPECT_EQ(access(indexed, object("struct node")), "struct node +8 data");
  EXPECT_EQ(access({.base = kRegister, .offset = 64}, object("struct node", 0, true)), "struct node +8 data")
      << "the pointer was stepped before";
}

TEST_F(AccessFinderTest, WithScaleOneTheIndexMayBeThePointer) {
  EXPECT_EQ(access({.base = kOtherRegister, .index = kRegister, .scale = 1, .offset = 8}, object("struct node")),
            "struct node +8 data");
  EXPECT_EQ(access({.base = kOtherRegister, .index = kRegister, .scale = 8, .offset = 8}, object("struct node")),
            "unknown register");
}

TEST_F(AccessFinderTest, ScalarsAreElementsOfArrays) {
  EXPECT_EQ(access({.base = kRegister, .offset = 16}, object("long int")), "long int +0 ");
  EXPECT_EQ(access({.base = kRegister, .offset = -4}, object("long int")), "long int +4 ");
}

TEST_F(AccessFinderTest, NothingIsKnownOfVoid) {
  EXPECT_EQ(access({.base = kRegister}, {.kind = KnownValue::Kind::Object, .type = {}}), "unknown size");
}

TEST_F(AccessFinderTest, FixedAddressesAreVariables) {
  constexpr i64 kHead = 0x401000, kTotal = 0x401008, kTable = 0x401020;
  EXPECT_EQ(access({.offset = kTotal}), "long int +0 ");
  EXPECT_EQ(access({.offset = kHead}), "struct node* +0 ");
  EXPECT_EQ(access({.offset = kTable + 2 * 56 + 0x12}), "struct node +18 range.high");
  EXPECT_EQ(access({.base = kRegister, .offset = 8}, constant(kTable)), "struct node +8 data");
  EXPECT_EQ(access({.offset = kTable + 8 * 56}), "unknown address") << "the table has eight";
  EXPECT_EQ(access({.offset = 0x999999}), "unknown address");
}

TEST_F(AccessFinderTest, AnUnknownRegisterMayBeAnIndexIntoATableAtAFixedAddress) {
  constexpr i64 kTable = 0x401020;
  EXPECT_EQ(access({.base = kRegister, .scale = 8, .offset = kTable + 16}), "struct node +16 range.low");
  EXPECT_EQ(access({.base = kRegister, .offset = 16}), "unknown register");
  EXPECT_EQ(access({.base = kRegister, .offset = 0x999999}), "unknown register");
}

TEST_F(AccessFinderTest, ThreadMemoryHasVariablesTheCanaryAndItsOwnAddress) {
  const MemoryOperand own{.segment = Segment::Thread, .offset = -8};
  EXPECT_EQ(access(own), "long int +0 ");
  EXPECT_EQ(access({.segment = Segment::Thread, .offset = 0x28}), "canary");
  EXPECT_EQ(access({.segment = Segment::Thread, .offset = -0x1000}), "unknown segment");
  EXPECT_EQ(access({.base = kRegister, .segment = Segment::Thread}, constant(-8)), "long int +0 ");
  EXPECT_EQ(access({.base = kRegister, .segment = Segment::Thread}), "unknown segment");
  EXPECT_EQ(access({.base = kRegister, .segment = Segment::Processor}), "unknown segment");
  EXPECT_TRUE(AccessFinder::is_thread_pointer({.segment = Segment::Thread}));
  EXPECT_FALSE(AccessFinder::is_thread_pointer(own));
  EXPECT_FALSE(AccessFinder::is_thread_pointer({}));
}

TEST_F(AccessFinderTest, StackSlotsNeedAVariable) {
  EXPECT_EQ(access({.base = kRegister, .offset = 8}, {.kind = KnownValue::Kind::Frame, .type = {}}),
            "unknown stack slot");
}

TEST_F(AccessFinderTest, AnAddressIsAValueToo) {
  KnownValues values;
  values[kRegister] = object("struct node");
  EXPECT_EQ(finder->address_of({.base = kRegister, .offset = 8}, values), object("struct node", 8));
  EXPECT_EQ(finder->address_of({.base = kRegister, .index = kOtherRegister, .scale = 8}, values),
            object("struct node", 0, true));
  // A post-indexed operand accesses the base; the step is added afterwards.
  EXPECT_EQ(finder->address_of({.base = kRegister, .stepped_after = true, .offset = 8}, values), values[kRegister]);
  EXPECT_EQ(finder->address_of({.offset = 0x1234}, values), constant(0x1234));
  EXPECT_EQ(finder->address_of({.base = kOtherRegister, .offset = 8}, values), KnownValue());
  EXPECT_EQ(finder->address_of({.base = kNoRegister - 1, .offset = 8}, values), KnownValue()) << "no such register";
}

TEST_F(AccessFinderTest, LoadingAPointerFollowsIt) {
  const auto loaded = [&](std::string_view type, u64 offset, u64 distance = 0) {
    return finder->loaded(
        {.kind = AccessKind::Typed, .why = UnknownType::None, .type = types->find(type), .offset = offset}, distance);
  };
  EXPECT_EQ(loaded("struct node", 0).kind, KnownValue::Kind::Object);
  EXPECT_EQ(data_type_name(*types, loaded("struct node", 0).type), "struct node");
  EXPECT_EQ(data_type_name(*types, loaded("struct node", 8).type), "struct payload");
  EXPECT_EQ(data_type_name(*types, loaded("struct node", 0, 8).type), "struct payload") << "the next word";
  EXPECT_EQ(loaded("struct node", 0x20), KnownValue()) << "a number";
  EXPECT_EQ(loaded("struct node", 4), KnownValue()) << "half of a pointer";
  EXPECT_EQ(finder->loaded(unknown_access(UnknownType::Register), 0), KnownValue());
}

// Where two paths meet, both &table[0] and &table[1] are elements of the table.
TEST_F(AccessFinderTest, AddressesInOneVariableBecomeItsElements) {
  constexpr i64 kTable = 0x401020;
  KnownValue first = constant(kTable), second = constant(kTable + 56);
  finder->enter_variable(first, second, {}, 0);
  EXPECT_EQ(first, object("struct node"));
  EXPECT_EQ(second, object("struct node"));
  KnownValue same = constant(kTable), also = constant(kTable);
  finder->enter_variable(same, also, {}, 0);
  EXPECT_EQ(same, constant(kTable)) << "equal values need nothing";
  KnownValue one = constant(0x999999), other = constant(0x888888);
  finder->enter_variable(one, other, {}, 0);
  EXPECT_EQ(one, constant(0x999999)) << "no variable holds them";
}

TEST_F(AccessFinderTest, VariablesHaveABeginAndAnEnd) {
  constexpr u64 kTable = 0x401020, kTotal = 0x401008;
  EXPECT_FALSE(fixed->find(kTotal - 9)) << "before the first variable";
  EXPECT_EQ(fixed->find(kTotal)->begin, kTotal);
  EXPECT_EQ(fixed->find(kTotal + 7)->begin, kTotal);
  EXPECT_FALSE(fixed->find(kTotal + 8)) << "between two variables";
  EXPECT_EQ(fixed->find(kTable + 8 * 56 - 1)->begin, kTable);
  EXPECT_FALSE(fixed->find(~u64{0}));
  EXPECT_EQ(thread->find(-8)->begin, -8);
  EXPECT_EQ(thread->find(-1)->begin, -8);
  EXPECT_FALSE(thread->find(0));
  EXPECT_FALSE(thread->find(-9));
  EXPECT_FALSE(thread->find(std::numeric_limits<i64>::min()));
}

}  // namespace
}  // namespace peregrine
