#include "probe/registry/probe_events.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

// A tracefs of regular files, which accept any text.
class ProbeEventsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write("/proc/mounts", "tracefs /sys/kernel/tracing tracefs rw 0 0\n");
    write(kTracing + "/events/probe_a/twice/enable", "0\n");
    write(kTracing + "/events/probe_a/once/enable", "1\n");
    write(kTracing + "/events/header_page", "");
    write(kTracing + "/uprobe_events", kProbes);
  }

  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path whole = folder_.path() + path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  std::string read(const std::string& path) {
    std::ifstream file(folder_.path() + path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // The kernel commands of a removal, or the error.
  std::string removed(const std::string& name) {
    const auto events = ProbeEvents::open(Root(folder_.path()));
    if (!events) return events.error().message;
    const auto probe = TraceProbe::parse("p:probe_a/" + name + " /bin/a:0x10");
    if (const auto done = events->remove(*probe); !done)
      return done.error().system_errno == EBUSY ? "busy" : done.error().message;
    return read(kTracing + "/uprobe_events").substr(kProbes.size());
  }

  const std::string kTracing = "/sys/kernel/tracing";
  const std::string kProbes = "p:probe_a/twice /bin/a:0x10\np:probe_a/twice /bin/a:0x20\np:probe_a/once /bin/a:0x30\n";
  TemporaryFolder folder_;
};

TEST_F(ProbeEventsTest, RemovesAnEventOfSeveralPlacesThatNobodyUses) { EXPECT_EQ(removed("twice"), "-:probe_a/twice"); }

TEST_F(ProbeEventsTest, KeepsAnEventOfSeveralPlacesThatTheTracerUses) {
  write(kTracing + "/events/probe_a/twice/enable", "1\n");
  EXPECT_EQ(removed("twice"), "busy");
  write(kTracing + "/events/probe_a/twice/enable", "0*\n");
  EXPECT_EQ(removed("twice"), "busy") << "it waits for a trigger";
}

TEST_F(ProbeEventsTest, KeepsAnEventOfSeveralPlacesThatAnInstanceUses) {
  write(kTracing + "/instances/mine/events/probe_a/twice/enable", "1\n");
  EXPECT_EQ(removed("twice"), "busy");
  write(kTracing + "/instances/mine/events/probe_a/twice/enable", "0\n");
  EXPECT_EQ(removed("twice"), "-:probe_a/twice");
}

// The kernel itself checks an event with a single place.
TEST_F(ProbeEventsTest, LeavesTheDecisionOnOnePlaceToTheKernel) { EXPECT_EQ(removed("once"), "-:probe_a/once"); }

// Names of folders and symbols are untrusted: to the kernel, each line is a separate definition, '#' starts a comment,
// and a blank ends the place.
TEST_F(ProbeEventsTest, NeverWritesMoreThanOneDefinition) {
  const auto events = ProbeEvents::open(Root(folder_.path()));
  ASSERT_TRUE(events);
  const TraceProbe good = *TraceProbe::parse("p:probe_a/b /bin/a:0x10 n=%di:s32");
  const std::string hostile[] = {"x:0x10\n-:probe_a/once", "x:0x10 #", "x:0x10\xa0y", "x#", "x\x7f", "x\r"};
  for (const std::string& text : hostile) {
    TraceProbe probe = good;
    probe.target = "/tmp/" + text;
    EXPECT_FALSE(events->add(probe)) << text;
    for (std::string* part : {&probe.group, &probe.event, &probe.arguments[0].name, &probe.arguments[0].type}) {
      probe = good;
      *part = text;
      EXPECT_FALSE(events->add(probe)) << text;
    }
    TraceProbe kernel = *TraceProbe::parse("p:probe/b vfs_read+0");
    kernel.symbol = text;
    EXPECT_FALSE(events->add(kernel)) << text;
  }
  TraceProbe valued = good;
  valued.arguments[0].value = "%di\n-:probe_a/once";
  EXPECT_FALSE(events->add(valued));
  TraceProbe removed = good;
  removed.event = "b\n-:probe_a/once";
  EXPECT_FALSE(events->remove(removed));
  EXPECT_EQ(read(kTracing + "/uprobe_events"), kProbes);
  EXPECT_TRUE(events->add(good));
}

TEST_F(ProbeEventsTest, NamesThePathThatCannotBeProbed) {
  TraceProbe probe = *TraceProbe::parse("p:probe_a/b /bin/a:0x10");
  probe.target = "/tmp/x\n-:a";
  EXPECT_EQ(probe.check().error().message, "cannot probe '/tmp/x\\x0a-:a': the path has control characters");
}

}  // namespace
}  // namespace peregrine
