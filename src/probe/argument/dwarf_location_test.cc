#include "probe/argument/dwarf_location.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <vector>

namespace peregrine {
namespace {

constexpr u16 kX86 = 62, kArm64 = 183;  // EM_X86_64, EM_AARCH64

std::vector<std::byte> code(std::initializer_list<int> bytes) {
  std::vector<std::byte> made;
  for (const int byte : bytes) made.push_back(static_cast<std::byte>(byte));
  return made;
}

struct Probed {
  u16 machine = kX86;
  unsigned address_size = 8;
  std::optional<std::vector<std::byte>> frame_base;
  bool at_entry = false;
  i64 memory_bias = 0;
  std::function<std::optional<u64>(u64)> indexed_address;
};

// "%di", "%sp -> 16 -> 8", or the reason why it cannot be fetched.
std::string place_of(std::initializer_list<int> expression, const Probed& probed = {}) {
  const LocationContext context{.address_size = probed.address_size,
                                .frame_base = probed.frame_base,
                                .at_entry = probed.at_entry,
                                .indexed_address = probed.indexed_address};
  const auto place =
      place_variable(code(expression), context, {.machine = probed.machine, .memory_bias = probed.memory_bias});
  if (!place) return "! " + place.error().message;
  std::string text = place->base;
  for (const i64 offset : place->dereferences) text += fmt::format(" -> {}", offset);
  return text;
}

TEST(DwarfLocation, RegistersByTheirDwarfNumbers) {
  EXPECT_EQ(place_of({0x55}), "%di");        // DW_OP_reg5
  EXPECT_EQ(place_of({0x90, 0x08}), "%r8");  // DW_OP_regx
  EXPECT_EQ(place_of({0x53}, {.machine = kArm64}), "%x3");
  EXPECT_EQ(place_of({0x61}), "! it is in xmm0, which probes cannot read");
  EXPECT_EQ(place_of({0x90, 0x40}, {.machine = kArm64}), "! it is in v0, which probes cannot read");
  EXPECT_EQ(place_of({0x90, 0x7f}), "! it is in DWARF register 127, which probes cannot read");
}

TEST(DwarfLocation, MemoryAtRegisters) {
  EXPECT_EQ(place_of({0x77, 0x70}), "%sp -> -16");                        // DW_OP_breg7 -16
  EXPECT_EQ(place_of({0x92, 0x06, 0x08}), "%bp -> 8");                    // DW_OP_bregx
  EXPECT_EQ(place_of({0x75, 0x08, 0x06, 0x23, 0x10}), "%di -> 8 -> 16");  // breg5 8, deref, plus_uconst 16
  EXPECT_EQ(place_of({0x75, 0x00, 0x33, 0x22}), "%di -> 3");              // lit3, plus
  EXPECT_EQ(place_of({0x75, 0x00, 0x08, 0xff, 0x1c}), "%di -> -255");     // const1u, minus
  EXPECT_EQ(place_of({0x33, 0x75, 0x04, 0x22}), "%di -> 7");              // the register comes second
}

TEST(DwarfLocation, MemoryOfTheFile) {
  const Probed context{.machine = kX86, .memory_bias = -0x1000};
  EXPECT_EQ(place_of({0x03, 0x10, 0x20, 0, 0, 0, 0, 0, 0}, context), "@+ -> 4112");
  EXPECT_TRUE(place_of({0xa1, 0x01}).starts_with("! its address is not in the file"));
  Probed indexed = context;
  indexed.indexed_address = [](u64 index) { return std::optional<u64>(0x2000 + index); };
  EXPECT_EQ(place_of({0xa1, 0x01}, indexed), "@+ -> 4097");
  EXPECT_EQ(place_of({0x03, 0x10, 0x20, 0, 0}, {.machine = kX86, .address_size = 4}), "@+ -> 8208");
}

TEST(DwarfLocation, FromTheFunctionsFrame) {
  EXPECT_EQ(place_of({0x91, 0x68}, {.machine = kX86, .frame_base = code({0x76, 0x10})}), "%bp -> -8");  // breg6 16
  EXPECT_EQ(place_of({0x91, 0x68}, {.machine = kX86, .frame_base = code({0x56})}), "%bp -> -24");       // reg6
  EXPECT_TRUE(place_of({0x91, 0x68}).starts_with("! its function has no frame base"));
  // DW_OP_call_frame_cfa without call frame information; a frame base relative to itself
  EXPECT_TRUE(place_of({0x91, 0x68}, {.machine = kX86, .frame_base = code({0x9c})}).starts_with("! call frame"));
  EXPECT_TRUE(
      place_of({0x91, 0x68}, {.machine = kX86, .frame_base = code({0x91, 0x00})}).starts_with("! its function"));
}

TEST(DwarfLocation, ValuesAreNotPlaces) {
  EXPECT_EQ(place_of({0x35, 0x9f}), "\\5");               // lit5, stack_value
  EXPECT_EQ(place_of({0x11, 0x7f, 0x9f}), "\\-1");        // consts -1
  EXPECT_EQ(place_of({0x0b, 0xfe, 0xff, 0x9f}), "\\-2");  // const2s
  EXPECT_EQ(place_of({0x0c, 0xff, 0xff, 0xff, 0xff, 0x9f}), "\\4294967295");
  EXPECT_EQ(place_of({0x9e, 0x02, 0x34, 0x12}), "\\4660");  // implicit_value
  EXPECT_EQ(place_of({0x75, 0x00, 0x9f}), "%di");           // the register itself
  EXPECT_EQ(place_of({0x75, 0x08, 0x06, 0x9f}), "%di -> 8");
  EXPECT_TRUE(place_of({0x75, 0x01, 0x9f}).starts_with("! it is a computed value"));
  EXPECT_TRUE(place_of({0x9e, 0x09, 1, 2, 3, 4, 5, 6, 7, 8, 9}).starts_with("! its constant value is wider"));
}

TEST(DwarfLocation, ResolvesEntryValuesAtTheEntryOnly) {
  EXPECT_EQ(place_of({0xa3, 0x01, 0x55, 0x9f}, {.machine = kX86, .at_entry = true}), "%di");  // entry_value(reg5)
  EXPECT_EQ(place_of({0xf3, 0x01, 0x55, 0x9f}, {.machine = kX86, .at_entry = true}), "%di");  // GNU's predecessor of it
  EXPECT_TRUE(place_of({0xa3, 0x01, 0x55, 0x9f}).starts_with("! only its value at the function's entry"));
}

TEST(DwarfLocation, SaysWhyNoProbeCanReadIt) {
  EXPECT_TRUE(place_of({}).starts_with("! it is optimized out here"));
  EXPECT_TRUE(place_of({0x55, 0x93, 0x04, 0x54, 0x93, 0x04}).starts_with("! it is split into several pieces"));
  EXPECT_TRUE(place_of({0xa0, 1, 2, 3, 4, 0}).starts_with("! the pointer was optimized out"));
  EXPECT_TRUE(place_of({0x0e, 0, 0, 0, 0, 0, 0, 0, 0, 0x9b}).starts_with("! it is thread-local"));
  EXPECT_TRUE(place_of({0x75, 0x00, 0x35, 0x1e}).starts_with("! it is computed (DW_OP 0x1e)"));  // mul
  EXPECT_TRUE(place_of({0x75, 0x00, 0x74, 0x00, 0x22}).starts_with("! it is computed from two registers"));
}

TEST(DwarfLocation, NonsenseIsAnError) {
  EXPECT_TRUE(place_of({0x06}).starts_with("! its location is invalid"));        // deref on an empty stack
  EXPECT_TRUE(place_of({0x75}).starts_with("! its location is invalid"));        // cut
  EXPECT_TRUE(place_of({0x35}).starts_with("! its location is invalid"));        // memory at a constant
  EXPECT_TRUE(place_of({0x35, 0x22}).starts_with("! its location is invalid"));  // plus with one operand
  EXPECT_TRUE(place_of({0x03, 0x10}).starts_with("! its location is invalid"));
}

}  // namespace
}  // namespace peregrine
