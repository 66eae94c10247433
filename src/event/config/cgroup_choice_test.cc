#include "event/config/cgroup_choice.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "event/source.h"
#include "event/syntax/parse.h"
#include "support/machine.h"

namespace peregrine {
namespace {

// A unified hierarchy at /cg with the groups web, web/one, web/two and db.
class CgroupChoiceTest : public ::testing::Test {
 protected:
  CgroupChoiceTest() {
    machine_.write("/proc/mounts = proc /proc proc rw 0 0\\ncgroup2 /cg cgroup2 rw 0 0");
    for (const char* group : {"web/one", "web/two", "db"})
      machine_.write(fmt::format("/cg/{}/cgroup.procs = 1", group));
    EventSources sources(machine_.root());
    EXPECT_TRUE(parse_events("cs,faults", sources, events_));
  }

  // "EVENT=GROUP …", or the error with its hint.
  std::string outcome(const Result<>& done) const {
    if (!done) return done.error().message + "; " + done.error().hint;
    std::string text;
    for (const EventSpec& spec : events_)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", spec.name, spec.cgroup_name);
    return text;
  }
  std::string bound_to(std::string_view names) {
    std::size_t given = 0;
    return outcome(bind_checked_cgroups(machine_.root(), names, given, events_));
  }
  std::string expanded_by(std::string_view words) {
    return outcome(expand_checked_cgroups(machine_.root(), words, events_));
  }

  testing::Machine machine_;
  EventList events_;
};

TEST_F(CgroupChoiceTest, NamesAreCheckedFolders) {
  EXPECT_EQ(bound_to("web,db"), "cs=web faults=db");
  EXPECT_EQ(events_[0].cgroup, "/cg/web");
}

TEST_F(CgroupChoiceTest, OneNameHoldsForAllEvents) { EXPECT_EQ(bound_to("web/two"), "cs=web/two faults=web/two"); }

TEST_F(CgroupChoiceTest, AnUnknownNameIsAnError) {
  EXPECT_EQ(bound_to("wbe"), "no access to cgroup /cg/wbe; cgroup names are paths relative to /cg");
}

TEST_F(CgroupChoiceTest, EventsCanBeUnbound) {
  EXPECT_EQ(bound_to("web"), "cs=web faults=web");
  unbind_cgroups(events_);
  EXPECT_EQ(outcome({}), "cs= faults=");
  EXPECT_EQ(events_[0].cgroup, "");
}

TEST_F(CgroupChoiceTest, TheListIsRepeatedForEachGroup) {
  EXPECT_EQ(expanded_by("db,,web/one,"), "cs=db faults=db cs=web/one faults=web/one");
}

TEST_F(CgroupChoiceTest, PatternsAreRegularExpressions) {
  EXPECT_EQ(expanded_by("^web/"), "cs=web/one faults=web/one cs=web/two faults=web/two");
}

TEST_F(CgroupChoiceTest, NoGroupIsAnError) {
  EXPECT_EQ(expanded_by("^nothing$"), "no cgroup matched: ^nothing$; cgroups are the folders in /cg");
  EXPECT_EQ(expanded_by(""), "no cgroup matched: ; cgroups are the folders in /cg");
  EXPECT_EQ(expanded_by("db,nothing"), "no access to cgroup /cg/nothing; cgroup names are paths relative to /cg");
}

TEST_F(CgroupChoiceTest, NeedsAMountedHierarchy) {
  machine_.write("/proc/mounts = proc /proc proc rw 0 0");
  EXPECT_EQ(bound_to("web"), "no cgroup file system is mounted; ");
  EXPECT_EQ(expanded_by("web"), "no cgroup file system is mounted; ");
}

// The old hierarchy is used if it has the perf_event controller.
TEST_F(CgroupChoiceTest, VersionOneHasItsMount) {
  machine_.write("/proc/mounts = cgroup /v1/cpu cgroup rw,cpu 0 0\\ncgroup /v1/perf cgroup rw,perf_event 0 0");
  machine_.write("/v1/perf/job/tasks = 1");
  EXPECT_EQ(bound_to("job"), "cs=job faults=job");
  EXPECT_EQ(events_[1].cgroup, "/v1/perf/job");
}

}  // namespace
}  // namespace peregrine
