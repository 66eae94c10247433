#include "symbol/jit/jitdump.h"

#include <gtest/gtest.h>

#include <utility>

#include "support/jitdump_builder.h"

namespace peregrine {
namespace {

using support::JitDumpBuilder;

JitDump opened(const JitDumpBuilder& builder) { return std::move(*JitDump::from_bytes(builder.bytes(), "jit-7.dump")); }

TEST(JitDump, IsReadInEitherByteOrder) {
  for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
    const JitDump dump = opened(JitDumpBuilder(7, order).load(10, 0x1000, 3, "add", "\x90\x90\xc3").close(11));
    EXPECT_EQ(dump.order(), order);
    EXPECT_EQ(dump.pid(), 7u);
    EXPECT_EQ(dump.machine(), 62);
    ASSERT_EQ(dump.loads().size(), 1u);
    const JitLoad& load = dump.loads()[0];
    EXPECT_EQ(load.time, 10u);
    EXPECT_EQ(load.address, 0x1000u);
    EXPECT_EQ(load.index, 3u);
    EXPECT_EQ(dump.name(load), "add");
    EXPECT_EQ(dump.code(load).size(), 3u);
    EXPECT_EQ(dump.code(load)[2], std::byte{0xc3});
    EXPECT_EQ(dump.bad_records(), 0u);
    EXPECT_FALSE(dump.cut());
  }
}

TEST(JitDump, AddressesOfItsSymbolsArePlacesInTheDump) {
  const JitDump dump = opened(JitDumpBuilder(7).load(1, 0x1000, 0, "one", "abcd").load(2, 0x1000, 1, "two", "efgh"));
  const SymbolTable symbols = dump.symbols();
  EXPECT_EQ(symbols.size(), 2u);
  EXPECT_EQ(symbols.find(dump.loads()[0].code_at)->name, "one");
  EXPECT_EQ(symbols.find(dump.loads()[1].code_at + 3)->name, "two");
  EXPECT_EQ(dump.find(dump.loads()[1].code_at + 3), &dump.loads()[1]);
  EXPECT_EQ(dump.find(dump.loads()[1].code_at + 4), nullptr);
  EXPECT_EQ(dump.find(0), nullptr);
}

TEST(JitDump, PlacementsAreInOrderOfTime) {
  const JitDump dump = opened(JitDumpBuilder(7)
                                  .load(30, 0x3000, 0, "late", "ab")
                                  .load(10, 0x1000, 1, "early", "abcd")
                                  .move(20, 0x1000, 0x2000, 4, 1)
                                  .move(40, 0x1000, 0x2000, 4, 99));
  ASSERT_EQ(dump.placements().size(), 3u);
  EXPECT_EQ(dump.placements()[0].address, 0x1000u);
  EXPECT_EQ(dump.placements()[1].address, 0x2000u);
  EXPECT_TRUE(dump.placements()[1].moved);
  EXPECT_EQ(dump.placements()[1].load, 1u);
  EXPECT_EQ(dump.placements()[2].address, 0x3000u);
  EXPECT_EQ(dump.bad_records(), 1u) << "a move of code that nobody loaded";
}

TEST(JitDump, LinesBelongToTheCodeOfTheirAddress) {
  const JitDump dump = opened(JitDumpBuilder(7)
                                  .lines(0x1000, {{0x1000, 4, "a.js"}, {0x1002, 5, "\xff"}})
                                  .lines(0x2000, {{0x2000, 9, "b.js"}})
                                  .load(1, 0x2000, 1, "second", "ab")
                                  .load(2, 0x1000, 0, "first", "abcd")
                                  .load(3, 0x1000, 2, "first again", "abcd"));
  const JitLines second = dump.lines(dump.loads()[0]);
  ASSERT_EQ(second.lines.size(), 1u);
  EXPECT_EQ(second.lines[0].line, 9u);
  const JitLines first = dump.lines(dump.loads()[1]);
  ASSERT_EQ(first.lines.size(), 2u);
  EXPECT_EQ(first.files[first.lines[0].file], "a.js");
  EXPECT_EQ(first.lines[1].line, 5u);
  EXPECT_EQ(first.lines[1].file, first.lines[0].file) << "\\xff repeats the file";
  EXPECT_TRUE(dump.lines(dump.loads()[2]).lines.empty());
}

TEST(JitDump, LinesOfV8CountAnElfHeader) {
  const JitDump dump = opened(
      JitDumpBuilder(7).lines(0x1000, {{0x1040, 1, "a.js"}, {0x1043, 2, "a.js"}}).load(1, 0x1000, 0, "f", "abcdef"));
  EXPECT_EQ(dump.lines(dump.loads()[0]).lines[1].address, 0x1003u);
}

TEST(JitDump, UnwindTablesBelongToTheNextCode) {
  const JitDump dump =
      opened(JitDumpBuilder(7).unwinding("FRAMES", "HEAD").load(1, 0x1000, 0, "f", "ab").load(2, 0x2000, 1, "g", "cd"));
  const JitLoad& load = dump.loads()[0];
  EXPECT_EQ(load.unwinding_size, 10u);
  EXPECT_EQ(load.header_size, 4u);
  EXPECT_EQ(dump.bytes(load.unwinding_at, 6)[0], std::byte{'F'});
  EXPECT_EQ(dump.loads()[1].unwinding_size, 0u);
}

TEST(JitDump, CodeThatDoesNotFitItsRecordIsCounted) {
  JitDumpBuilder builder(7);
  ByteWriter& raw = builder.raw();
  raw.put32(0).put32(16 + 40 + 2).put64(1).put64(0).put64(0).put64(0x1000).put64(u64{1} << 60).put64(0);
  raw.put16(0);
  raw.put32(4).put32(16 + 24).put64(1).put64(100).put64(200).put64(0);
  raw.put32(2).put32(16).put64(1);
  const JitDump dump = opened(builder.load(2, 0x2000, 1, "good", "ab"));
  EXPECT_EQ(dump.bad_records(), 3u);
  ASSERT_EQ(dump.loads().size(), 1u);
  EXPECT_EQ(dump.name(dump.loads()[0]), "good");
}

TEST(JitDump, EndsWhereARecordIsNotWhole) {
  JitDumpBuilder builder(7);
  builder.load(1, 0x1000, 0, "whole", "ab");
  builder.raw().put32(0).put32(5000).put64(2);
  const JitDump dump = opened(builder);
  EXPECT_TRUE(dump.cut());
  EXPECT_EQ(dump.loads().size(), 1u);
  builder.raw().patch(builder.bytes().size() - 12, u32{3});
  EXPECT_EQ(opened(builder).bad_records(), 1u) << "shorter than its own head";
}

TEST(JitDump, RejectsInvalidHeaders) {
  EXPECT_FALSE(JitDump::from_bytes({}, "x"));
  JitDumpBuilder version(7);
  version.raw().patch(4, u32{2});
  EXPECT_FALSE(JitDump::from_bytes(version.bytes(), "x"));
  EXPECT_FALSE(JitDump::from_bytes(JitDumpBuilder(7, kHostOrder, 2).bytes(), "x"));
  EXPECT_TRUE(JitDump::from_bytes(JitDumpBuilder(7, kHostOrder, 1).bytes(), "x")->times_are_cycles());
}

TEST(JitDump, IsKnownByItsName) {
  EXPECT_EQ(jitdump_pid("/tmp/jit-4711.dump"), 4711u);
  EXPECT_EQ(jitdump_pid("jit-1.dump"), 1u);
  for (const char* other : {"/tmp/jit-.dump", "/tmp/jit-1.dumps", "/tmp/jit-1x.dump", "/tmp/xjit-1.dump",
                            "/tmp/jit--1.dump", "/jit-1.dump/x", "/tmp/jit-99999999999.dump", ""})
    EXPECT_FALSE(jitdump_pid(other)) << other;
}

}  // namespace
}  // namespace peregrine
