// A machine that learns from ring records and forgets nothing that may still be queried.
#include "pipeline/live/live_machine.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "data/reader/reader.h"
#include "support/recipe.h"

namespace peregrine {
namespace {

constexpr std::string_view kRecipe =
    "attr name=dummy sample=identifier,ip,tid,time,cpu flags=mmap,comm,task,sample_id_all,mmap2,comm_exec ids=11\n"
    "comm pid=7 tid=7 comm=first time=1000\n"
    "mmap2 pid=7 tid=7 addr=0x400000 len=0x1000 prot=5 flags=2 file=/none/one time=1500\n"
    "comm pid=7 tid=7 comm=second time=3000\n"
    "mmap2 pid=7 tid=7 addr=0x400000 len=0x1000 prot=5 flags=2 file=/none/other time=3500\n";

class LiveMachineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string path = ::testing::TempDir() + "/live_machine.data";
    const auto bytes = support::compile_recipe(kRecipe);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    auto reader = data::Reader::open(path);
    ASSERT_TRUE(reader);
    abi::RecordView record;
    const abi::EventAttr attr = reader->evlist()[0].attr;
    while (reader->next(record).value_or(false))
      records_.push_back({abi::side_band_time(record, attr), {record.bytes.begin(), record.bytes.end()}});
    std::filesystem::remove(path);
    ASSERT_EQ(records_.size(), 4u);
    SymbolPlaces places;
    places.load = false;
    machine_.emplace(std::move(places), attr);
  }

  std::string comm_at(u64 time) { return std::string(machine_->resolver().comm(machine_->context(7, 7, time))); }
  std::string dso_at(u64 time) {
    constexpr u16 kUser = 2;
    Resolver& resolver = machine_->resolver();
    const Frame frame = resolver.at(resolver.frame(machine_->context(7, 7, time), 0x400123, kUser));
    return frame.dso ? std::string(resolver.machine().dsos().at(frame.dso).name) : "none";
  }

  std::vector<SideBandHit> records_;
  std::optional<LiveMachine> machine_;
};

TEST_F(LiveMachineTest, AnswersForTheMomentThatIsAskedFor) {
  machine_->add(records_);
  machine_->learn_until(4000);
  EXPECT_EQ(comm_at(1200), "first");
  EXPECT_EQ(dso_at(1200), "none");
  EXPECT_EQ(dso_at(2000), "/none/one");
  EXPECT_EQ(comm_at(3200), "second");
  EXPECT_EQ(dso_at(3200), "/none/one");
  EXPECT_EQ(dso_at(3600), "/none/other");
}

TEST_F(LiveMachineTest, LearnsStepByStep) {
  // From another ring, read before this one.
  machine_->add({records_[2]});
  machine_->add({records_[0], records_[1]});
  machine_->learn_until(2000);
  EXPECT_EQ(comm_at(1900), "first");
  EXPECT_EQ(dso_at(1900), "/none/one");
  machine_->learn_until(3100);
  EXPECT_EQ(comm_at(2900), "first");
  EXPECT_EQ(comm_at(3050), "second");
  machine_->add({records_[3]});
  machine_->learn_until(~u64{0});
  EXPECT_EQ(dso_at(3600), "/none/other");
}

TEST_F(LiveMachineTest, HoldsWhatComesTooLateFromNowOn) {
  machine_->learn_until(5000);
  machine_->add(records_);
  machine_->learn_until(6000);
  EXPECT_EQ(comm_at(5500), "second");
  EXPECT_EQ(dso_at(5500), "/none/other");
}

}  // namespace
}  // namespace peregrine
