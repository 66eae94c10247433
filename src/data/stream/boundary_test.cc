#include "data/stream/boundary.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "data/stream/account.h"
#include "data/stream/chunk.h"
#include "support/byte_buffer.h"

namespace peregrine::data {
namespace {

using support::ByteBuffer;
using support::Endian;

constexpr u32 kComm = 3, kSampleType = 9, kFinishedRound = 68, kFirstOfTool = 64;

struct HeaderCase {
  const char* what;
  u32 type;
  u16 misc, size;
  bool plausible;
};
constexpr HeaderCase kHeaders[] = {
    {"a record of the kernel", kComm, 2, 40, true},
    {"every cpumode up to guest user", kComm, 5, 40, true},
    {"the flags from bit 12 on", kComm, 0xf002, 40, true},
    {"no cpumode", kComm, 0, 8, true},
    {"a cpumode that does not exist", kComm, 6, 40, false},
    {"an undefined bit of misc", kComm, 1 << 3, 40, false},
    {"the highest undefined bit", kComm, 1 << 11, 40, false},
    {"a kernel record in odd bytes", kComm, 2, 41, false},
    {"less than a header", kComm, 2, 7, false},
    {"no bytes at all", kComm, 0, 0, false},
    {"a sample with one field", kSampleType, 1, 16, true},
    {"a sample without fields", kSampleType, 1, 8, false},
    {"the largest kernel record", kSampleType, 1, 0xfff8, true},
    {"a tool's record in odd bytes, with any misc", kFinishedRound, 0xffff, 9, true},
    {"the first type of tools", kFirstOfTool, 0, 8, true},
    {"the last type of the future", 127, 0, 8, true},
    {"type 0", 0, 2, 40, false},
    {"a type that is too large", 128, 2, 40, false},
    {"simpleperf's first", 32768, 0, 8, true},
    {"simpleperf's last", 32799, 0, 8, true},
    {"beyond simpleperf's", 32800, 0, 8, false},
};

TEST(RecordBoundary, NeedsAHeaderThatCanBe) {
  for (const HeaderCase& each : kHeaders)
    for (const auto& [endian, order] :
         {std::pair(Endian::Little, ByteOrder::Little), std::pair(Endian::Big, ByteOrder::Big)}) {
      const ByteBuffer header = ByteBuffer(endian).put32(each.type).put16(each.misc).put16(each.size);
      EXPECT_EQ(is_record_header(header.bytes().data(), order), each.plausible) << each.what;
    }
}

// `count` records of 24 bytes.
ByteBuffer run_of(unsigned count) {
  ByteBuffer out;
  for (unsigned i = 0; i < count; ++i) out.put32(kComm).put16(2).put16(24).zeros(16);
  return out;
}
bool begins_run(const ByteBuffer& bytes, bool ended) { return is_record_run(bytes.bytes(), ended, ByteOrder::Little); }

TEST(RecordBoundary, NeedsThreeRecordsInARow) {
  EXPECT_TRUE(begins_run(run_of(3), false));
  EXPECT_TRUE(begins_run(run_of(9), false));
  EXPECT_FALSE(begins_run(run_of(2), false)) << "more may follow";
  EXPECT_FALSE(begins_run(run_of(2).put32(0).put32(0), false)) << "what follows is no record";
  EXPECT_FALSE(begins_run(run_of(0), true));
}

TEST(RecordBoundary, TakesFewerRecordsThatEndWithTheInput) {
  EXPECT_TRUE(begins_run(run_of(1), true));
  EXPECT_TRUE(begins_run(run_of(2), true));
  EXPECT_FALSE(begins_run(run_of(1).zeros(1), true)) << "a byte is left over";
  EXPECT_FALSE(begins_run(run_of(2).put32(kComm).put16(2).put16(16), true)) << "the last record is cut";
}

TEST(RecordBoundary, NeedsTheThirdRecordWhole) {
  const std::vector<std::byte> whole = run_of(3).bytes();
  EXPECT_FALSE(is_record_run(Bytes(whole).first(whole.size() - 1), false, ByteOrder::Little));
  EXPECT_FALSE(is_record_run(Bytes(whole).first(7), true, ByteOrder::Little));
}

TEST(SkippedBytes, KeepTheFirstPlace) {
  SkippedBytes skipped;
  skipped.add(500, 8);
  skipped.add(100, 16);
  skipped.add(900, 1);
  EXPECT_EQ(skipped.count, 3u);
  EXPECT_EQ(skipped.bytes, 25u);
  EXPECT_EQ(skipped.first_offset, 100u);
}

TEST(SkippedBytes, MergeInAnyOrder) {
  SkippedBytes early, late;
  early.add(100, 8);
  late.add(900, 16);
  late.add(950, 1);
  for (const bool early_first : {true, false}) {
    SkippedBytes all;
    all.merge({});
    all.merge(early_first ? early : late);
    all.merge(early_first ? late : early);
    all.merge({});
    EXPECT_EQ(all.count, 3u);
    EXPECT_EQ(all.bytes, 25u);
    EXPECT_EQ(all.first_offset, 100u) << "nothing skipped has no place, not place 0";
  }
}

TEST(ReadAccount, IsCleanUntilSomethingIsSkipped) {
  ReadAccount account;
  account.records = 5;
  EXPECT_TRUE(account.clean());
  for (SkippedBytes ReadAccount::* cause : {&ReadAccount::zeroes, &ReadAccount::garbage, &ReadAccount::cut,
                                            &ReadAccount::bad_compressed, &ReadAccount::bad_header_record}) {
    ReadAccount damaged;
    (damaged.*cause).add(0, 0);
    EXPECT_FALSE(damaged.clean());
  }
  account.unfinished = true;
  EXPECT_FALSE(account.clean());
  account.unfinished = false;
  account.missing_bytes = 1;
  EXPECT_FALSE(account.clean());
}

TEST(ChunkPool, ReusesAChunkWithoutReferences) {
  ChunkPool pool;
  Chunk& first = pool.take();
  const std::byte* const memory = first.memory.get();
  first.references += 2;  // of two waiting records
  pool.release(first);
  EXPECT_NE(&pool.take(), &first) << "records wait in it";
  pool.release(first, 2);
  EXPECT_EQ(pool.resident(), 1u);
  Chunk& again = pool.take();
  EXPECT_EQ(&again, &first);
  EXPECT_EQ(again.memory.get(), memory);
  EXPECT_EQ(again.references, 1u);
  EXPECT_EQ(pool.slots(), 2u);
  EXPECT_EQ(&pool[again.slot], &again);
}

TEST(ChunkPool, CountsChunksWithoutMemoryApart) {
  ChunkPool pool;
  Chunk& dropped = pool.take();
  Chunk& kept = pool.take();
  pool.drop_memory(dropped);
  EXPECT_EQ(pool.resident(), 1u);
  pool.release(dropped);
  EXPECT_EQ(pool.resident(), 1u);
  pool.release(kept);
  EXPECT_EQ(pool.resident(), 0u);
  EXPECT_EQ(&pool.take(), &kept) << "one with memory is taken first";
  EXPECT_EQ(&pool.take(), &dropped);
  EXPECT_NE(dropped.memory, nullptr);
  EXPECT_EQ(pool.resident(), 2u);
}

TEST(ChunkPool, ForgetsWhereAnEarlierChunkCameFrom) {
  ChunkPool pool;
  Chunk& chunk = pool.take();
  chunk.origin.compressed = chunk.origin.copied = true;
  chunk.origin.parts.push_back({0, 5});
  pool.release(chunk);
  const ChunkOrigin& origin = pool.take().origin;
  EXPECT_FALSE(origin.compressed || origin.copied);
  EXPECT_TRUE(origin.parts.empty());
}

TEST(ChunkOrigin, GivesTheOffsetInTheFile) {
  const ChunkOrigin read{.file_offset = 1000};
  EXPECT_EQ(read.offset_of(nullptr, 24), 1024u);

  // Bytes 0 to 99 came from the COMPRESSED record at 5000, the following ones from that at 7000.
  const ChunkOrigin decompressed{.file_offset = 0, .compressed = true, .parts = {{0, 5000}, {100, 7000}}};
  EXPECT_EQ(decompressed.offset_of(nullptr, 0), 5000u);
  EXPECT_EQ(decompressed.offset_of(nullptr, 99), 5000u);
  EXPECT_EQ(decompressed.offset_of(nullptr, 100), 7000u);
  EXPECT_EQ(decompressed.offset_of(nullptr, 4000), 7000u);

  const ByteBuffer copy = ByteBuffer(kHostOrder == ByteOrder::Little ? Endian::Little : Endian::Big)
                              .put64(123456)
                              .put32(kComm)
                              .put16(2)
                              .put16(8);
  const ChunkOrigin copied{.copied = true};
  EXPECT_EQ(copied.offset_of(copy.bytes().data(), 8), 123456u);
}

}  // namespace
}  // namespace peregrine::data
