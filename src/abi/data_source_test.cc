// Texts of memory accesses. The bits are those of union perf_mem_data_src in <linux/perf_event.h>.
#include "abi/data_source.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

namespace peregrine::abi {
namespace {

// The value that the kernel would record.
u64 recorded_word(const perf_mem_data_src& source) { return source.val; }

TEST(DataSourceWord, IsCutAsTheKernelDeclaresIt) {
  perf_mem_data_src recorded{};
  recorded.mem_op = PERF_MEM_OP_EXEC | PERF_MEM_OP_LOAD;
  recorded.mem_lvl = PERF_MEM_LVL_UNC | PERF_MEM_LVL_HIT;
  recorded.mem_snoop = PERF_MEM_SNOOP_HITM | PERF_MEM_SNOOP_NA;
  recorded.mem_lock = PERF_MEM_LOCK_LOCKED;
  recorded.mem_dtlb = PERF_MEM_TLB_OS | PERF_MEM_TLB_NA;
  recorded.mem_lvl_num = PERF_MEM_LVLNUM_NA;
  recorded.mem_remote = 1;
  recorded.mem_snoopx = 2;
  recorded.mem_blk = 5;
  recorded.mem_hops = 6;
  const DataSource source = decode_data_source(recorded_word(recorded));
  EXPECT_EQ(source.op, access_op::Exec | access_op::Load);
  EXPECT_EQ(source.level, access_level::Uncached | access_level::Hit);
  EXPECT_EQ(source.snoop, access_snoop::HitModified | access_snoop::NotAvailable);
  EXPECT_EQ(source.lock, access_lock::Locked);
  EXPECT_EQ(source.tlb, access_tlb::Fault | access_tlb::NotAvailable);
  EXPECT_EQ(source.level_number, access_level_number::NotAvailable);
  EXPECT_TRUE(source.remote);
  EXPECT_EQ(source.snoop_extra, access_snoop::ExtraPeer);
  EXPECT_EQ(source.blocked, access_blocked::NotAvailable | access_blocked::ByAddress);
  EXPECT_EQ(source.hops, 6u);
}

// Each field at its maximum fills only its own bits; the rest of the value is ignored.
TEST(DataSourceWord, KeepsFieldsApart) {
  const DataSource all = decode_data_source(~u64{0});
  EXPECT_EQ(all.op, 0x1fu);
  EXPECT_EQ(all.level, 0x3fffu);
  EXPECT_EQ(all.snoop, 0x1fu);
  EXPECT_EQ(all.lock, 3u);
  EXPECT_EQ(all.tlb, 0x7fu);
  EXPECT_EQ(all.level_number, 15u);
  EXPECT_EQ(all.snoop_extra, 3u);
  EXPECT_EQ(all.blocked, 7u);
  EXPECT_EQ(all.hops, 7u);
  for (unsigned bit = 46; bit < 64; ++bit) {
    const DataSource none = decode_data_source(u64{1} << bit);
    EXPECT_EQ(none.op | none.level | none.snoop | none.lock | none.tlb | none.level_number | none.snoop_extra |
                  none.blocked | none.hops,
              0)
        << bit;
    EXPECT_FALSE(none.remote) << bit;
  }
}

TEST(DataSourceTexts, OfOperationsJoinWhatMayHaveBeen) {
  namespace op = access_op;
  struct Case {
    u8 op;
    const char* text;
  };
  for (const Case& each :
       {Case{0, "No"}, Case{op::NotAvailable, "N/A"}, Case{op::Load, "LOAD"}, Case{op::Store, "STORE"},
        Case{op::Load | op::Store, "LOAD or STORE"}, Case{op::Prefetch, "PFETCH"}, Case{op::Exec, "EXEC"}})
    EXPECT_EQ(operation_text({.op = each.op}), each.text);
}

TEST(DataSourceTexts, OfLevelsSayWhereAndWhether) {
  namespace level = access_level;
  namespace number = access_level_number;
  struct Case {
    DataSource source;
    const char* text;
  };
  const Case cases[] = {
      {{.level = level::NotAvailable}, "N/A"},
      {{.level = level::L1 | level::Hit}, "L1 hit"},
      {{.level = level::FillBuffer | level::Hit}, "LFB/MAB hit"},
      {{.level = level::L3 | level::Miss}, "L3 miss"},
      {{.level = level::LocalRam | level::Hit}, "Local RAM hit"},
      {{.level = level::RemoteRam | level::Hit}, "Remote RAM (1 hop) or Remote RAM (2 hops) hit"},
      {{.level = level::Hit, .level_number = number::Ram, .remote = true}, "Remote RAM hit"},
      {{.level = level::Hit, .level_number = number::Persistent}, "PMEM hit"},
      {{.level = level::Hit, .level_number = number::Cxl}, "CXL hit"},
      {{.level = level::Io | level::Hit | level::Miss}, "I/O hit miss"},
      // With hops, the level bits would repeat the distance and are omitted.
      {{.level = level::L1 | level::Hit, .level_number = number::L2, .hops = 3}, "socket, same board L2 hit"},
      {{.level_number = number::Ram, .remote = true, .hops = 4}, "Remote board RAM"},
      {{.level_number = number::L1, .hops = 7}, "L1"},  // invalid distance
  };
  for (const Case& each : cases) EXPECT_EQ(level_text(each.source), each.text);
}

TEST(DataSourceTexts, OfTheTlbSayWhereAndWhether) {
  namespace tlb = access_tlb;
  struct Case {
    unsigned tlb;
    const char* text;
  };
  for (const Case& each :
       {Case{0, "N/A"}, Case{tlb::NotAvailable, "N/A"}, Case{tlb::Hit | tlb::L1, "L1 hit"},
        Case{tlb::Hit | tlb::L1 | tlb::L2, "L1 or L2 hit"}, Case{tlb::Miss | tlb::Walker, "Walker miss"},
        Case{tlb::Fault, "Fault"}, Case{tlb::Hit, "N/A hit"}})
    EXPECT_EQ(tlb_text({.tlb = static_cast<u8>(each.tlb)}), each.text);
}

TEST(DataSourceTexts, OfSnoopsLocksAndBlocks) {
  namespace snoop = access_snoop;
  EXPECT_EQ(snoop_text({}), "N/A");
  EXPECT_EQ(snoop_text({.snoop = snoop::HitModified}), "HitM");
  EXPECT_EQ(snoop_text({.snoop = snoop::Hit | snoop::Miss}), "Hit or Miss");
  EXPECT_EQ(snoop_text({.snoop_extra = snoop::ExtraForward | snoop::ExtraPeer}), "Fwd or Peer");
  EXPECT_EQ(lock_text({}), "No");
  EXPECT_EQ(lock_text({.lock = access_lock::NotAvailable}), "N/A");
  EXPECT_EQ(lock_text({.lock = access_lock::Locked}), "Yes");
  EXPECT_EQ(block_text({}), " N/A");
  EXPECT_EQ(block_text({.blocked = access_blocked::ByData}), " Data");
  EXPECT_EQ(block_text({.blocked = access_blocked::ByAddress}), " Addr");
}

TEST(DataSourceTexts, OfPageSizesUseTheLargestUnit) {
  struct Case {
    u64 bytes;
    const char* text;
  };
  for (const Case& each : {Case{0, "N/A"}, Case{1, "1B"}, Case{1023, "1023B"}, Case{4096, "4K"},
                           Case{u64{2} << 20, "2M"}, Case{u64{1} << 30, "1G"}, Case{u64{512} << 30, "512G"},
                           Case{u64{1} << 40, "1T"}, Case{u64{1} << 63, "8E"}, Case{~u64{0}, "15E"}})
    EXPECT_EQ(page_size_text(each.bytes), each.text);
}

}  // namespace
}  // namespace peregrine::abi
