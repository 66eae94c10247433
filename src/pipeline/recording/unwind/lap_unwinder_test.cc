// Samples with a part of their stack, before and after unwinding.
#include "pipeline/recording/unwind/lap_unwinder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "abi/arch/registers.h"
#include "abi/record_rows.h"
#include "data/reader/reader.h"
#include "support/recipe.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kAttrLine =
    "attr name=cpu-clock freq=4000 sample=ip,tid,time,callchain,regs_user,stack_user,cpu,phys_addr regs_user=0x1c0 "
    "stack_user=48 flags=mmap,comm,task,sample_id_all,mmap2,comm_exec\n"
    "comm pid=7 tid=7 comm=jit time=1000\n";
// Frame pointers: bp = sp + 8 → sp + 0x20 → 0.
constexpr std::string_view kSampleLine =
    "sample misc=2 ip=0x400123 pid=7 tid=7 time=2000 cpu=1 phys_addr=0x55 chain=-128,0xffffffff81000010 "
    "regs_user=0x7ffc0008,0x7ffc0000,0x400123 stack_size=48 stack="
    "01000000000000002000fc7f000000000002400000000000020000000000000000000000000000000003400000000000\n";
constexpr std::string_view kMapLine =
    "mmap2 pid=7 tid=7 addr=0x400000 len=0x1000 prot=5 flags=2 file=//anon time=1500\n";

// The records of a recipe as they would be in a ring, and the result of unwinding a lap.
class LapUnwinderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (abi::kHostArch != abi::Arch::X86) GTEST_SKIP() << "the registers are those of x86-64";
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void rewrite(std::string_view recipe, bool unwind) {
    const auto bytes = support::compile_recipe(recipe);
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    auto reader = data::Reader::open(path_);
    ASSERT_TRUE(reader);
    ByteWriter lap;
    abi::RecordView record;
    while (reader->next(record).value_or(false)) lap.append(record.bytes);
    before_ = lap.size();
    unwinder_.emplace(reader->evlist());
    const Bytes out = unwinder_->rewrite(lap.bytes(), unwind);
    after_.assign(out.begin(), out.end());
    find_sample(reader->evlist());
  }

  void find_sample(const data::Evlist& evlist) {
    for (std::size_t at = 0; at < after_.size(); at += load<u16>(after_.data() + at + 6)) {
      if (load<u32>(after_.data() + at) != static_cast<u32>(abi::RecordType::Sample)) continue;
      abi::RecordView record;
      record.type = abi::RecordType::Sample;
      record.bytes = Bytes(after_).subspan(at, load<u16>(after_.data() + at + 6));
      ASSERT_TRUE(evlist.decoder(0).decode(record, sample_, scratch_));
    }
  }

  std::string path_ = (std::filesystem::temp_directory_path() / fmt::format("lap_unwinder_{}", ::getpid())).string();
  std::optional<LapUnwinder> unwinder_;
  std::size_t before_ = 0;
  std::vector<std::byte> after_;
  abi::Sample sample_;
  abi::SampleScratch scratch_;
};

TEST_F(LapUnwinderTest, PutsReturnAddressesInThePlaceOfStacks) {
  rewrite(std::string(kAttrLine) + std::string(kMapLine) + std::string(kSampleLine), true);
  EXPECT_THAT(std::vector(sample_.callchain.begin(), sample_.callchain.end()),
              ElementsAre(abi::kContextKernel, 0xffffffff81000010, abi::kContextUser, 0x400123, 0x400200, 0x400300));
  EXPECT_EQ(sample_.user_registers.abi, 0u);
  EXPECT_EQ(sample_.user_stack_size, 0u);
  EXPECT_EQ(sample_.cpu, 1u);           // before the chain
  EXPECT_EQ(sample_.phys_addr, 0x55u);  // after the stack
  EXPECT_EQ(unwinder_->counts().of(UnwindStop::Ended), 1u);
  EXPECT_EQ(unwinder_->kept(), 0u);
}

TEST_F(LapUnwinderTest, LooksAtMapsByTime) {
  rewrite(std::string(kAttrLine) + std::string(kSampleLine) + std::string(kMapLine), true);
  EXPECT_EQ(sample_.user_stack_size, 0u) << "the map came first, although it stands behind";
}

TEST_F(LapUnwinderTest, KeepsAStackWhoseCodeIsInNoMap) {
  rewrite(std::string(kAttrLine) + std::string(kSampleLine), true);
  EXPECT_EQ(sample_.user_stack.size(), 48u);
  EXPECT_EQ(sample_.callchain.size(), 2u);
  EXPECT_EQ(unwinder_->kept(), 1u);
  EXPECT_EQ(after_.size(), before_);
}

TEST_F(LapUnwinderTest, LeavesALapAsItIsWhenItIsLate) {
  rewrite(std::string(kAttrLine) + std::string(kMapLine) + std::string(kSampleLine), false);
  EXPECT_EQ(after_.size(), before_);
  EXPECT_EQ(sample_.user_stack.size(), 48u);
  EXPECT_EQ(unwinder_->kept(), 1u);
}

}  // namespace
}  // namespace peregrine
