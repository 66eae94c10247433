// Lists and adds probes in a tracefs of regular files, and tests messages when the kernel refuses one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "probe/definition/trace_probe.h"
#include "probe/registry/probe_events.h"
#include "support/machine.h"

namespace peregrine {
namespace {

class ProbeList : public ::testing::Test {
 protected:
  ProbeList() {
    write("events/header_page", "x");
    write("kprobe_events", "p:probe/vfs_read vfs_read+0");
    write("uprobe_events", "p:probe_a/work /bin/a:0x10 n=%di:s32");
  }
  void write(std::string_view file, std::string_view text) const {
    machine_.write(fmt::format("/sys/kernel/tracing/{} = {}", file, text));
  }
  std::string place(std::string_view file) const {
    return machine_.root().path(fmt::format("/sys/kernel/tracing/{}", file));
  }
  std::string text(std::string_view file) const {
    return machine_.root().read(fmt::format("/sys/kernel/tracing/{}", file)).value_or("");
  }
  // Like a kernel that accepts no more probes.
  void fill(std::string_view file) const {
    std::filesystem::remove(place(file));
    std::filesystem::create_symlink("/dev/full", place(file));
  }
  ProbeEvents events() const {
    auto opened = ProbeEvents::open(machine_.root());
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(*opened);
  }
  Error refused(std::string_view line) const {
    const auto added = events().add(*TraceProbe::parse(line));
    EXPECT_FALSE(added);
    return added ? Error{} : added.error();
  }

  testing::Machine machine_;
};

TEST_F(ProbeList, HasTheKernelsProbesFirst) {
  write("uprobe_events", "p:probe_a/work /bin/a:0x10 n=%di:s32\\nr:probe_a/work__return /bin/a:0x10\\nunknown syntax");
  const auto probes = events().list();
  ASSERT_TRUE(probes) << probes.error().message;
  std::vector<std::string> names;
  for (const TraceProbe& probe : *probes) names.push_back(probe.name());
  EXPECT_EQ(names, (std::vector<std::string>{"probe:vfs_read", "probe_a:work", "probe_a:work__return"}));
}

TEST_F(ProbeList, IsEmptyWhereTheKernelHasNoProbes) {
  for (const char* file : {"kprobe_events", "uprobe_events"}) std::filesystem::remove(place(file));
  const auto probes = events().list();
  ASSERT_TRUE(probes);
  EXPECT_TRUE(probes->empty());
  const auto programs = events().check(true), kernel = events().check(false);
  ASSERT_FALSE(programs);
  ASSERT_FALSE(kernel);
  EXPECT_EQ(programs.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(programs.error().message,
            "this kernel cannot probe programs: /sys/kernel/tracing/uprobe_events does not exist");
  EXPECT_EQ(programs.error().hint, "requires CONFIG_UPROBE_EVENTS=y");
  EXPECT_EQ(kernel.error().message,
            "this kernel cannot probe itself: /sys/kernel/tracing/kprobe_events does not exist");
}

TEST_F(ProbeList, AddsToTheListOfItsKind) {
  EXPECT_TRUE(events().check(true));
  EXPECT_TRUE(events().check(false));
  ASSERT_TRUE(events().add(*TraceProbe::parse("p:probe_a/more /bin/a:0x20")));
  ASSERT_TRUE(events().add(*TraceProbe::parse("r:probe/ret vfs_read+0 ret=$retval")));
  EXPECT_EQ(text("uprobe_events"), "p:probe_a/work /bin/a:0x10 n=%di:s32\np:probe_a/more /bin/a:0x20");
  EXPECT_EQ(text("kprobe_events"), "p:probe/vfs_read vfs_read+0\nr:probe/ret vfs_read+0 ret=$retval");
}

TEST_F(ProbeList, ReportsTheLineThatTheKernelRefuses) {
  fill("uprobe_events");
  const Error error = refused("p:probe_a/b /bin/a:0x10 n=%di");
  EXPECT_EQ(error.message, "the kernel rejected 'p:probe_a/b /bin/a:0x10 n=%di': write: No space left on device");
  EXPECT_EQ(error.hint, "");
}

// The log keeps several messages, including those of other commands; the last one for this line counts.
TEST_F(ProbeList, AddsTheKernelsComplaintAboutThatLine) {
  fill("uprobe_events");
  write("error_log",
        "[ 1.000001] trace_uprobe: error: Too early\\n  Command: p:probe_a/b /bin/a:0x10 n=%di\\n    ^\\n"
        "[ 2.000001] trace_uprobe: error: Bad name\\n  Command: p:probe_a/b /bin/a:0x10 n=%di\\n    ^\\n"
        "[ 3.000001] trace_uprobe: error: Of another\\n  Command: p:probe_a/b /bin/a:0x10\\n    ^");
  const Error error = refused("p:probe_a/b /bin/a:0x10 n=%di");
  EXPECT_TRUE(error.message.ends_with(" (trace_uprobe: error: Bad name)")) << error.message;
  EXPECT_FALSE(refused("p:probe_a/c /bin/a:0x10").message.ends_with(")"));
}

TEST_F(ProbeList, ExplainsPathsThatTheKernelCannotTake) {
  fill("uprobe_events");
  TraceProbe probe = *TraceProbe::parse("p:probe_a/b /bin/a:0x10");
  probe.target = "/bin/a b";
  const auto added = events().add(probe);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().message, "cannot probe '/bin/a b': the path has spaces or '#'");
  EXPECT_EQ(added.error().hint,
            "the kernel does not accept paths with spaces: create a hard link to the program under another path (ln)");
}

TEST_F(ProbeList, NamesTheEventThatCannotBeRemoved) {
  fill("kprobe_events");
  const auto removed = events().remove(*TraceProbe::parse("p:probe/vfs_read vfs_read+0"));
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().message, "cannot remove probe:vfs_read: write: No space left on device");
}

TEST_F(ProbeList, KnowsEventsAndWhatTheKernelSupports) {
  write("events/probe_a/work/enable", "0");
  write("README", "usage: ustring, u8/16/32/64");
  EXPECT_TRUE(events().knows_name("probe_a", "work"));
  EXPECT_FALSE(events().knows_name("probe_a", "other"));
  EXPECT_TRUE(events().supports("ustring"));
  EXPECT_FALSE(events().supports("ref_ctr_offset"));
}

TEST(ProbeEventsWithoutTracefs, SayHowToMountIt) {
  const testing::Machine machine;
  const auto opened = ProbeEvents::open(machine.root());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().hint, "Try 'sudo mount -t tracefs nodev /sys/kernel/tracing'");
}

}  // namespace
}  // namespace peregrine
