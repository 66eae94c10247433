// Where files that programs write about themselves are searched for, seen through a fake /proc.
#include "machine/dso/run_time_place.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "machine/dso/dso.h"
#include "support/machine.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;

class RunTimePlaces : public ::testing::Test {
 protected:
  RunTimePlaces() { places.live_root = machine.root(); }
  // A process in a container: its own root, and pid 7 inside.
  void contain(u32 pid) {
    machine.write(fmt::format("/proc/{}/status = Name:\tx\\nNStgid:\t{}\t7", pid, pid));
    machine.write(fmt::format("/proc/{}/root/tmp/perf-7.map = x", pid));
  }
  std::string proc() const { return machine.root().path("/proc"); }

  testing::Machine machine;
  SymbolPlaces places;
};

TEST_F(RunTimePlaces, OfAProcessThatIsGoneAreOurs) {
  EXPECT_THAT(perf_map_places(places, 40), ElementsAre("/tmp/perf-40.map"));
  EXPECT_EQ(look_at_process(proc(), 40).inner_pid, 0u);
}

TEST_F(RunTimePlaces, OfAContainerAreInsideOfIt) {
  contain(40);
  EXPECT_THAT(perf_map_places(places, 40), ElementsAre(proc() + "/40/root/tmp/perf-7.map", "/tmp/perf-40.map"));
  EXPECT_THAT(jitdump_places(places, 40, "/tmp/jit-7.dump"),
              ElementsAre(proc() + "/40/root/tmp/jit-7.dump", "/tmp/jit-7.dump"));
}

TEST_F(RunTimePlaces, BelowARootOfSymbolsNoLivingProcessCounts) {
  contain(40);
  places.search.symfs = "/sysroot";
  EXPECT_THAT(perf_map_places(places, 40), ElementsAre("/tmp/perf-40.map"));
  EXPECT_THAT(jitdump_places(places, 40, "/tmp/jit-7.dump"), ElementsAre("/sysroot/tmp/jit-7.dump"));
}

TEST_F(RunTimePlaces, TheInnermostPidIsTheLastOfTheLine) {
  machine.write("/proc/40/status = Name:\tx\\nNStgid:\t40\t9\t3\\nNSpid:\t40\t9\t4");
  EXPECT_EQ(look_at_process(proc(), 40).inner_pid, 3u);
  machine.write("/proc/41/status = Name:\tx");
  EXPECT_EQ(look_at_process(proc(), 41).inner_pid, 0u) << "a kernel without pid namespaces";
}

}  // namespace
}  // namespace peregrine
