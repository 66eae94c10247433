#include "symbol/expression/variable_location.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace peregrine {
namespace {

std::vector<std::byte> code(std::initializer_list<int> bytes) {
  std::vector<std::byte> made;
  for (const int byte : bytes) made.push_back(static_cast<std::byte>(byte));
  return made;
}

// "in r5"; "[r5 + 8]" for memory, "[[r5 + 8] + 16]" if an address is read first; "=[r5] + 1" for a value.
std::string location_of(std::initializer_list<int> expression, const LocationContext& context = {}) {
  const auto found = locate_variable(code(expression), context);
  if (!found) return fmt::format("fault {}, {:#x}", static_cast<int>(found.error().fault), found.error().detail);
  std::string text;
  switch (found->base) {
    case VariableLocation::Base::Nothing:
      break;
    case VariableLocation::Base::Register:
      text = fmt::format("r{}", found->reg);
      break;
    case VariableLocation::Base::Address:
      text = "address";
      break;
    case VariableLocation::Base::Frame:
      text = "frame";
      break;
    case VariableLocation::Base::Thread:
      text = "thread";
      break;
  }
  const auto add = [&](i64 offset) {
    if (offset != 0) text += fmt::format("{}{}", text.empty() ? "" : " + ", offset);
  };
  for (const i64 read : found->reads) {
    add(read);
    text = '[' + text + ']';
  }
  add(found->offset);
  if (found->kind == VariableLocation::Kind::Register) return "in " + text;
  return found->kind == VariableLocation::Kind::Memory ? '[' + text + ']' : '=' + text;
}

std::string fault(LocationFault what, u64 detail = 0) {
  return fmt::format("fault {}, {:#x}", static_cast<int>(what), detail);
}

TEST(VariableLocation, NumbersRegisters) {
  EXPECT_EQ(location_of({0x55}), "in r5");                                    // reg5
  EXPECT_EQ(location_of({0x90, 0x40}), "in r64");                             // regx 64
  EXPECT_EQ(location_of({0x77, 0x10}), "[r7 + 16]");                          // breg7 16
  EXPECT_EQ(location_of({0x75, 0x08, 0x06, 0x23, 0x10}), "[[r5 + 8] + 16]");  // breg5 8, deref, plus_uconst 16
  EXPECT_EQ(location_of({0x33, 0x75, 0x04, 0x22}), "[r5 + 7]");               // lit3, breg5 4, plus
  EXPECT_EQ(location_of({0x33, 0x75, 0x04, 0x16, 0x1c}), "[r5 + 1]");         // lit3, breg5 4, swap, minus
}

TEST(VariableLocation, RefusesRegistersThatTheCallerCannotUse) {
  EXPECT_EQ(location_of({0x60}, {.registers = 16}), fault(LocationFault::OtherRegister, 16));
  EXPECT_EQ(location_of({0x5f}, {.registers = 16}), "in r15");
}

TEST(VariableLocation, HasAddresses) {
  EXPECT_EQ(location_of({0x03, 0x10, 0, 0, 0, 0, 0, 0, 0}), "[address + 16]");
  EXPECT_EQ(location_of({0x03, 0x10, 0, 0, 0}, {.address_size = 4}), "[address + 16]");
  EXPECT_EQ(location_of({0xa1, 0x02}), fault(LocationFault::NoAddress));
  LocationContext indexed;
  indexed.indexed_address = [](u64 index) { return index == 2 ? std::optional<u64>(64) : std::nullopt; };
  EXPECT_EQ(location_of({0xa1, 0x02}, indexed), "[address + 64]");
  EXPECT_EQ(location_of({0xa1, 0x03}, indexed), fault(LocationFault::NoAddress));
}

TEST(VariableLocation, CountsFromTheFrame) {
  EXPECT_EQ(location_of({0x91, 0x68}, {.frame_base = code({0x9c})}), "[frame + -24]");  // call_frame_cfa
  EXPECT_EQ(location_of({0x91, 0x68}, {.frame_base = code({0x76, 0x10})}), "[r6 + -8]");
  EXPECT_EQ(location_of({0x91, 0x68}, {.frame_base = code({0x56})}), "[r6 + -24]");
  EXPECT_EQ(location_of({0x91, 0x68}), fault(LocationFault::NoFrameBase));
  EXPECT_EQ(location_of({0x91, 0x68}, {.frame_base = code({0x22})}), fault(LocationFault::BadFrameBase));
  // A frame base that refers to the frame itself.
  EXPECT_EQ(location_of({0x91, 0x68}, {.frame_base = code({0x91, 0x00})}), fault(LocationFault::NoFrameBase));
}

TEST(VariableLocation, HasThreadLocalMemory) {
  EXPECT_EQ(location_of({0x08, 0x10, 0x9b}), "[thread + 16]");  // const1u, form_tls_address
  EXPECT_EQ(location_of({0x08, 0x10, 0xe0}), "[thread + 16]");  // GNU's predecessor of it
  EXPECT_EQ(location_of({0x75, 0x00, 0x9b}), fault(LocationFault::ThreadLocal));
}

TEST(VariableLocation, TellsValuesFromPlaces) {
  EXPECT_EQ(location_of({0x35, 0x9f}), "=5");                    // lit5, stack_value
  EXPECT_EQ(location_of({0x35, 0x33, 0x1e, 0x9f}), "=15");       // lit5, lit3, mul
  EXPECT_EQ(location_of({0x9e, 0x02, 0x34, 0x12}), "=4660");     // implicit_value
  EXPECT_EQ(location_of({0x75, 0x01, 0x9f}), "=r5 + 1");         // breg5 1, stack_value
  EXPECT_EQ(location_of({0x75, 0x00, 0x9f}), "in r5");           // the register's contents
  EXPECT_EQ(location_of({0x75, 0x08, 0x06, 0x9f}), "[r5 + 8]");  // the word in memory
  EXPECT_EQ(location_of({0x03, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x06, 0x9f}), "=[address + 16]") << "of another variable";
}

TEST(VariableLocation, KnowsEntryValuesAtTheEntryOnly) {
  EXPECT_EQ(location_of({0xa3, 0x01, 0x55, 0x9f}, {.at_entry = true}), "in r5");  // entry_value(reg5), stack_value
  EXPECT_EQ(location_of({0xa3, 0x01, 0x55, 0x9f}), fault(LocationFault::AtEntryOnly));
}

TEST(VariableLocation, ReportsUnsupportedExpressions) {
  EXPECT_EQ(location_of({}), fault(LocationFault::Absent));
  EXPECT_EQ(location_of({0x55, 0x93, 0x04}), fault(LocationFault::InPieces));
  EXPECT_EQ(location_of({0xa0, 1, 2, 3, 4, 0}), fault(LocationFault::OptimizedPointer));
  EXPECT_EQ(location_of({0x75, 0x00, 0x35, 0x1e}), fault(LocationFault::Computed, 0x1e));  // mul
  EXPECT_EQ(location_of({0x75, 0x00, 0x94, 0x04}), fault(LocationFault::Computed, 0x94));  // deref_size 4
  EXPECT_EQ(location_of({0x75, 0x00, 0x74, 0x00, 0x22}), fault(LocationFault::SumOfRegisters));
  EXPECT_EQ(location_of({0x35}), fault(LocationFault::Malformed)) << "memory at a constant";
  EXPECT_EQ(location_of({0x35, 0x06}), fault(LocationFault::Malformed)) << "memory at memory at a constant";
  EXPECT_EQ(location_of({0x75}), fault(LocationFault::Malformed)) << "cut";
}

TEST(MemberOffset, IsWhatAnExpressionAdds) {
  EXPECT_EQ(evaluate_member_offset(code({0x23, 0x18}), {}), 24u);        // plus_uconst 24
  EXPECT_EQ(evaluate_member_offset(code({0x08, 0x18, 0x22}), {}), 24u);  // const1u 24, plus
  EXPECT_EQ(evaluate_member_offset(code({0x12, 0x06, 0x22}), {}), std::nullopt) << "a virtual base";
  EXPECT_EQ(evaluate_member_offset(code({0x23}), {}), std::nullopt) << "cut";
}

}  // namespace
}  // namespace peregrine
