#include "capture/tracer/saved_tracer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include "base/result.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A tracer in regular files: a write replaces the text, as in tracefs.
class SavedTracerTest : public ::testing::Test {
 protected:
  SavedTracerTest() : tracer_(Root(folder_.path()), "/t") {
    std::filesystem::create_directories(folder_.path("t/instances"));
    write("current_tracer", "function\n");
    write("tracing_on", "1\n");
    write("trace_clock", "local [global] mono\n");
    write("buffer_size_kb", "7 (expanded: 1408)\n");
    write("set_ftrace_filter", "vfs_open\nvfs_read [fs]\nschedule:traceoff:unlimited\n");
    write("set_ftrace_pid", "no pid\n");
  }
  void write(const char* file, std::string_view text) { folder_.write(std::string("t/") + file, text); }
  std::string text(const char* file) { return folder_.text(std::string("t/") + file); }
  SavedTracer save(const std::vector<std::string>& files) { return SavedTracer::take(tracer_, files); }

  TemporaryFolder folder_;
  TraceFolder tracer_;
};

TEST_F(SavedTracerTest, SavesTheChosenValueOfAFile) {
  const std::string saved = save({"trace_clock", "buffer_size_kb"}).format();
  EXPECT_EQ(saved,
            "folder /t\ntracer function\nrunning 1\nfile trace_clock\nvalue global\nfile buffer_size_kb\nvalue 7\n"
            "end\n");
}

TEST_F(SavedTracerTest, SavesItemsOfListsButNotTheirCommands) {
  EXPECT_EQ(save({"set_ftrace_filter", "set_ftrace_pid"}).format(),
            "folder /t\ntracer function\nrunning 1\nlist set_ftrace_filter\nitem vfs_open\nitem vfs_read\n"
            "list set_ftrace_pid\nend\n");
}

TEST_F(SavedTracerTest, LeavesOutFilesThatTheKernelDoesNotHave) {
  EXPECT_EQ(save({"max_graph_depth"}).format(), "folder /t\ntracer function\nrunning 1\nend\n");
}

TEST_F(SavedTracerTest, RestoresWhatWasThere) {
  const SavedTracer saved = save({"buffer_size_kb", "set_ftrace_filter"});
  write("current_tracer", "function_graph\n");
  write("tracing_on", "0\n");
  write("buffer_size_kb", "64\n");
  write("set_ftrace_filter", "schedule\n");
  EXPECT_THAT(saved.restore(), IsEmpty());
  EXPECT_EQ(text("current_tracer"), "function\n");
  EXPECT_EQ(text("tracing_on"), "1\n");
  EXPECT_EQ(text("buffer_size_kb"), "7\n");
  EXPECT_EQ(text("set_ftrace_filter"), "\nvfs_open vfs_read\n") << "emptied, then the functions again";
}

TEST_F(SavedTracerTest, NamesTheFilesThatRefuseTheirValue) {
  const SavedTracer saved = save({"buffer_size_kb", "set_ftrace_filter"});
  std::filesystem::remove(folder_.path("t/buffer_size_kb"));
  EXPECT_THAT(saved.restore(), ElementsAre("buffer_size_kb"));
  EXPECT_EQ(text("tracing_on"), "1\n") << "the rest is restored nevertheless";
}

TEST_F(SavedTracerTest, WritesLongListsInPieces) {
  std::string names;
  for (int i = 0; i < 1000; ++i) names += fmt::format("function_{}\n", i);
  write("set_ftrace_filter", names);
  const SavedTracer saved = save({"set_ftrace_filter"});
  EXPECT_THAT(saved.restore(), IsEmpty());
  const std::string written = text("set_ftrace_filter");
  EXPECT_TRUE(written.contains("function_0 function_1 "));
  EXPECT_TRUE(written.ends_with("function_999\n"));
  std::size_t longest = 0;
  for (std::size_t at = 0; at < written.size();) {
    const std::size_t end = written.find('\n', at);
    longest = std::max(longest, end - at);
    at = end + 1;
  }
  EXPECT_LE(longest, 4096u) << "what the kernel takes at once";
}

TEST_F(SavedTracerTest, ShowsWhichFilesSomebodyElseChanged) {
  const SavedTracer saved = save({"buffer_size_kb", "set_ftrace_pid", "set_ftrace_filter"});
  EXPECT_THAT(saved.differences(saved.take_again()), IsEmpty());
  write("current_tracer", "nop\n");
  write("buffer_size_kb", "64\n");
  write("set_ftrace_pid", "7\n");  // the kernel changes it when a task ends
  write("tracing_on", "0\n");      // and changes this at a traceoff command
  EXPECT_THAT(saved.differences(saved.take_again()), ElementsAre("current_tracer", "buffer_size_kb"));
}

TEST_F(SavedTracerTest, ReadsBackWhatItWrote) {
  const SavedTracer saved = save({"trace_clock", "set_ftrace_filter", "set_ftrace_pid"});
  const auto parsed = SavedTracer::parse(Root(folder_.path()), saved.format());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->format(), saved.format());
  EXPECT_EQ(parsed->folder().path(), "/t");
  EXPECT_EQ(parsed->tracer(), "function");
}

TEST(SavedTracer, RefusesTextsThatAreNotWhole) {
  const Root root;
  EXPECT_TRUE(SavedTracer::parse(root, "end\n"));
  for (const char* text :
       {"", "folder /t\n", "tracer nop\nrunning 1\n", "item x\nend\n", "unknown x\nend\n", "\nend\n"})
    EXPECT_FALSE(SavedTracer::parse(root, text)) << text;
}

class TraceFolderTest : public SavedTracerTest {};

TEST_F(TraceFolderTest, SetReplacesAndAddAppends) {
  EXPECT_TRUE(tracer_.set("set_ftrace_filter", "a"));
  EXPECT_TRUE(tracer_.add("set_ftrace_filter", "b"));
  EXPECT_EQ(text("set_ftrace_filter"), "a\nb\n");
  EXPECT_TRUE(tracer_.set("set_ftrace_filter", ""));
  EXPECT_EQ(text("set_ftrace_filter"), "\n");
}

// A limit of the file's size makes write(2) accept less than it gets.
class ShortWrite {
 public:
  explicit ShortWrite(rlim_t most) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{.rlim_cur = most, .rlim_max = before_.rlim_max};
    old_ = ::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~ShortWrite() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, old_);
  }

 private:
  rlimit before_{};
  void (*old_)(int) = SIG_DFL;
};

TEST_F(TraceFolderTest, ReportsAValueThatIsTakenOnlyInPart) {
  const ShortWrite limit(10);
  const auto set = tracer_.set("set_ftrace_filter", "vfs_open vfs_read");
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().message, "/t/set_ftrace_filter: File too large");
  EXPECT_EQ(text("set_ftrace_filter"), "vfs_open v");
}

TEST_F(TraceFolderTest, ReportsAMarkThatIsCut) {
  write("trace_marker", "");
  EXPECT_TRUE(tracer_.add_once("trace_marker", "short"));
  const ShortWrite limit(16);
  const auto added = tracer_.add_once("trace_marker", "longer than this");
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().kind, ErrorKind::Usage);
  EXPECT_EQ(added.error().message,
            "/t/trace_marker: the text is longer than the kernel takes: only its first 10 bytes were written");
}

// Files of the kernel take one word at each write(2); no regular file does that.
TEST(TraceFolder, WritesEveryWordOfAList) {
  const TraceFolder top(Root(), "/sys/kernel/tracing");
  const auto instance = top.make_instance(instance_name());
  if (!instance) GTEST_SKIP() << instance.error().message;
  EXPECT_TRUE(instance->set("set_event", "sched:sched_switch sched:sched_waking"));
  const std::vector<std::string> events = listed_items(instance->read("set_event").value_or(""));
  EXPECT_TRUE(instance->remove());
  EXPECT_THAT(events, ::testing::UnorderedElementsAre("sched:sched_switch", "sched:sched_waking"));
}

TEST_F(TraceFolderTest, AMissingFileIsAKernelWithoutIt) {
  EXPECT_FALSE(tracer_.has("max_graph_depth"));
  const auto set = tracer_.set("max_graph_depth", "2");
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(set.error().message, "/t/max_graph_depth: No such file or directory");
}

TEST_F(TraceFolderTest, NeverUsesAnInstanceThatExists) {
  ASSERT_TRUE(tracer_.make_instance("peregrine-1-2"));
  const auto second = tracer_.make_instance("peregrine-1-2");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "cannot create tracing instance '/t/instances/peregrine-1-2': File exists");
}

TEST_F(TraceFolderTest, KnowsItsOwnInstancesByName) {
  const auto is_ours = [](const char* path) { return TraceFolder(Root(), path).is_instance_of_ours(); };
  EXPECT_TRUE(is_ours("/t/instances/peregrine-12-345"));
  EXPECT_TRUE(TraceFolder(Root(), "/t/instances/" + instance_name()).is_instance_of_ours());
  EXPECT_FALSE(is_ours("/t/instances/peregrine-mine"));
  EXPECT_FALSE(is_ours("/t/instances/peregrine-12/../../../etc"));
  EXPECT_FALSE(is_ours("/t/peregrine-12-345"));
  EXPECT_FALSE(is_ours("/t"));
}

TEST_F(TraceFolderTest, RemovesAnInstanceOnce) {
  const auto instance = tracer_.make_instance(instance_name());
  ASSERT_TRUE(instance);
  EXPECT_TRUE(instance->remove());
  EXPECT_FALSE(instance->remove());
}

}  // namespace
}  // namespace peregrine
