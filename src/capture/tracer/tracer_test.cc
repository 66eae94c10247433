// A tracer in a folder of regular files: what is written, and what is restored.
#include <gtest/gtest.h>
#include <linux/prctl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "capture/tracer/saved_tracer.h"
#include "capture/tracer/trace_folder.h"
#include "capture/tracer/tracer_guard.h"
#include "capture/tracer/tracer_session.h"
#include "sys/kernel/ownership_record.h"
#include "sys/root.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;
constexpr char kMount[] = "/sys/kernel/tracing";

class Tracer : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(run_);
    for (const auto& [file, text] : std::initializer_list<std::pair<const char*, const char*>>{
             {"available_tracers", "function_graph function nop\n"},
             {"available_filter_functions", "vfs_read\nvfs_write [fs]\n"},
             {"current_tracer", "function\n"},
             {"tracing_on", "1\n"},
             {"tracing_cpumask", "3\n"},
             {"max_graph_depth", "0\n"},
             {"tracing_thresh", "0\n"},
             {"buffer_size_kb", "7 (expanded: 1408)\n"},
             {"set_ftrace_filter", "vfs_open\nschedule:traceoff:unlimited\n"},
             {"set_ftrace_notrace", "#### no functions disabled ####\n"},
             {"set_graph_function", "#### all functions enabled ####\n"},
             {"set_graph_notrace", "#### no functions disabled ####\n"},
             {"set_ftrace_pid", "no pid\n"},
             {"set_event_pid", ""},
             {"options/funcgraph-tail", "0\n"},
             {"options/function-fork", "0\n"},
             {"options/event-fork", "0\n"},
             {"events/sched/sched_switch/enable", "0\n"},
             {"trace_pipe", " 0)   1.500 us    |  vfs_read();\n"}})
      write(file, text);
  }
  void TearDown() override {
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);  // start_and_kill_all() sets it; other tests count their children
    fs::remove_all(top_);
  }

  void write(const std::string& file, const std::string& text) const {
    const std::string path = top_ + kMount + "/" + file;
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << text;
  }
  std::string text(const std::string& file) const { return read_file(top_ + kMount + "/" + file).value_or("absent"); }
  Result<TracerSession> start(const TracerPlan& plan) const { return TracerSession::start(Root(top_), kMount, plan); }

  // A session killed together with its guard before they can restore anything.
  void start_and_kill_all(const TracerPlan& plan) const {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that the guard becomes a child of this process
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t owner = ::fork();
    if (owner == 0) {
      ::setpgid(0, 0);
      auto session = start(plan);
      const char word = session && session->on() ? 'y' : 'n';
      if (::write(ends[1], &word, 1) != 1) ::_exit(1);
      ::pause();
      ::_exit(0);
    }
    char word = 0;
    ASSERT_EQ(::read(ends[0], &word, 1), 1);
    ASSERT_EQ(word, 'y');
    const std::vector<pid_t> guards = children_but(owner);
    ASSERT_EQ(guards.size(), 1u);
    for (const pid_t process : {guards[0], owner}) {
      ::kill(process, SIGKILL);
      ::waitpid(process, nullptr, 0);
    }
    ::close(ends[0]);
    ::close(ends[1]);
  }
  static std::vector<pid_t> children_but(pid_t known) {
    std::ifstream list("/proc/thread-self/children");
    std::vector<pid_t> found;
    for (pid_t child = 0; list >> child;)
      if (child != known) found.push_back(child);
    return found;
  }
  std::optional<AbandonedTracer> undo_abandoned() const {
    std::vector<OwnershipRecord> records = OwnershipRecord::abandoned(Root(top_));
    return records.size() == 1 ? undo_abandoned_tracer(Root(top_), records[0]) : std::nullopt;
  }
  bool no_record_is_left() const { return fs::is_empty(run_ + "/peregrine"); }

  std::string top_ = ::testing::TempDir() + "tracer." + std::to_string(::getpid());
  std::string run_ = top_ + (::geteuid() == 0 ? "/run" : "/run/user/" + std::to_string(::geteuid()));
};

// Root's number of processes is unlimited, so another user tries.
TEST_F(Tracer, IsNotStartedWithoutTheProcessThatPutsThingsBack) {
  if (::geteuid() != 0) GTEST_SKIP() << "changes the user: needs root";
  constexpr uid_t kUser = 65533;
  fs::create_directories(top_ + "/run/user/65533");
  for (const auto& entry : fs::recursive_directory_iterator(top_))
    ASSERT_EQ(::lchown(entry.path().c_str(), kUser, kUser), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit none{.rlim_cur = 0, .rlim_max = 0};
    if (::setgid(kUser) != 0 || ::setuid(kUser) != 0 || ::setrlimit(RLIMIT_NPROC, &none) != 0) ::_exit(2);
    const auto session = start({});
    ::_exit(!session && session.error().system_errno == EAGAIN ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text("current_tracer"), "function\n");
  EXPECT_EQ(text("tracing_on"), "1\n");
  EXPECT_TRUE(fs::is_empty(top_ + "/run/user/65533/peregrine"));
}

TEST_F(Tracer, WritesThePlanAndPutsEverythingBack) {
  TracerPlan plan{.graph_functions = {"vfs_*"},
                  .threads = {7, 8},
                  .inherit = true,
                  .cpu_mask = "1",
                  .buffer_kb = 64,
                  .options = {{"funcgraph-tail", true}},
                  .depth = 2,
                  .threshold_us = 5,
                  .events = {"sched/sched_switch"}};
  auto session = start(plan);
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(text("current_tracer"), "function_graph\n");
  EXPECT_EQ(text("tracing_on"), "0\n");
  EXPECT_EQ(text("set_ftrace_filter"), "\n");
  EXPECT_EQ(text("set_graph_function"), "\nvfs_*\n");
  EXPECT_EQ(text("set_ftrace_pid"), "\n7\n8\n");
  EXPECT_EQ(text("tracing_cpumask"), "1\n");
  EXPECT_EQ(text("buffer_size_kb"), "64\n");
  EXPECT_EQ(text("max_graph_depth"), "2\n");
  EXPECT_EQ(text("tracing_thresh"), "5\n");
  EXPECT_EQ(text("options/funcgraph-tail"), "1\n");
  EXPECT_EQ(text("options/function-fork"), "1\n");
  EXPECT_EQ(text("events/sched/sched_switch/enable"), "1\n");
  ASSERT_TRUE(session->on());
  EXPECT_EQ(text("tracing_on"), "1\n");
  std::string out;
  EXPECT_TRUE(session->read(out).value());
  EXPECT_FALSE(session->read(out).value());
  EXPECT_EQ(out, " 0)   1.500 us    |  vfs_read();\n");

  EXPECT_TRUE(session->end().empty());
  EXPECT_EQ(text("current_tracer"), "function\n");
  EXPECT_EQ(text("tracing_on"), "1\n");
  EXPECT_EQ(text("set_ftrace_filter"), "\nvfs_open\n") << "commands are not removed, so not added again";
  EXPECT_EQ(text("set_graph_function"), "\n");
  EXPECT_EQ(text("set_ftrace_pid"), "\n");
  EXPECT_EQ(text("tracing_cpumask"), "3\n");
  EXPECT_EQ(text("buffer_size_kb"), "7\n");
  EXPECT_EQ(text("max_graph_depth"), "0\n");
  EXPECT_EQ(text("options/funcgraph-tail"), "0\n");
  EXPECT_EQ(text("options/function-fork"), "0\n");
  EXPECT_EQ(text("events/sched/sched_switch/enable"), "0\n");
}

TEST_F(Tracer, IsPutBackAfterAKill) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto session = start({.depth = 3});
    const char word = session && session->on() ? 'y' : 'n';
    if (::write(ends[1], &word, 1) != 1) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  char word = 0;
  ASSERT_EQ(::read(ends[0], &word, 1), 1);
  EXPECT_EQ(word, 'y');
  EXPECT_EQ(text("current_tracer"), "function_graph\n");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (unsigned i = 0; i < 500 && (text("current_tracer") != "function\n" || text("tracing_on") != "1\n"); ++i)
    ::usleep(10'000);
  EXPECT_EQ(text("current_tracer"), "function\n");
  EXPECT_EQ(text("max_graph_depth"), "0\n");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(Tracer, IsPutBackByTheNextStartWhenTheGuardIsKilledToo) {
  start_and_kill_all({.graph_functions = {"vfs_*"}, .threads = {7}, .depth = 3});
  EXPECT_EQ(text("current_tracer"), "function_graph\n") << "nobody was left to put it back";
  EXPECT_EQ(text("max_graph_depth"), "3\n");
  write("set_ftrace_pid", "8\n");  // the kernel follows children on its own
  const auto undone = undo_abandoned();
  ASSERT_TRUE(undone);
  EXPECT_EQ(undone->what, "settings of the tracer in '/sys/kernel/tracing'");
  EXPECT_TRUE(undone->refused.empty());
  EXPECT_TRUE(undone->foreign.empty());
  EXPECT_EQ(text("current_tracer"), "function\n");
  EXPECT_EQ(text("tracing_on"), "1\n");
  EXPECT_EQ(text("max_graph_depth"), "0\n");
  EXPECT_EQ(text("set_ftrace_filter"), "\nvfs_open\n");
  EXPECT_EQ(text("set_graph_function"), "\n");
  EXPECT_TRUE(no_record_is_left());
}

TEST_F(Tracer, ThatSomebodyElseHasSetSinceThenIsLeftAlone) {
  start_and_kill_all({.depth = 3});
  write("max_graph_depth", "9\n");
  const auto undone = undo_abandoned();
  ASSERT_TRUE(undone);
  EXPECT_EQ(undone->foreign, std::vector<std::string>{"max_graph_depth"});
  EXPECT_EQ(text("current_tracer"), "function_graph\n");
  EXPECT_EQ(text("max_graph_depth"), "9\n");
  EXPECT_TRUE(no_record_is_left());
}

TEST_F(Tracer, LeavesNoRecordBehindWhenItEnds) {
  auto session = start({.depth = 3});
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(session->unrecorded(), "");
  EXPECT_EQ(session->replaced(), "function");
  EXPECT_FALSE(no_record_is_left());
  EXPECT_TRUE(OwnershipRecord::abandoned(Root(top_)).empty()) << "its owner lives";
  EXPECT_TRUE(session->end().empty());
  EXPECT_TRUE(no_record_is_left());
}

TEST_F(Tracer, RunsWithoutARecordAndSaysSo) {
  fs::remove_all(run_);
  auto session = start({.depth = 3});
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_NE(session->unrecorded().find("No such file or directory"), std::string::npos) << session->unrecorded();
}

TEST_F(Tracer, OfFunctionsNeverTakesTheKernelsOwnTracerInPlaceOfAnInstance) {
  const auto session = start({.tracer = "function", .functions = {"vfs_read"}});
  ASSERT_FALSE(session) << "there is no folder for instances";
  EXPECT_TRUE(
      session.error().message.starts_with("cannot create tracing instance '/sys/kernel/tracing/instances/peregrine-"))
      << session.error().message;
  EXPECT_TRUE(session.error().message.ends_with("No such file or directory"));
  EXPECT_EQ(text("set_ftrace_filter"), "vfs_open\nschedule:traceoff:unlimited\n");
  EXPECT_EQ(text("tracing_on"), "1\n");
  EXPECT_TRUE(no_record_is_left());
}

TEST_F(Tracer, InstanceOfADeadOwnerGoesAndOthersStay) {
  const std::string instances = std::string(kMount) + "/instances/";
  for (const char* name : {"peregrine-7-9", "peregrine-mine", "trace-cmd"})
    fs::create_directories(top_ + instances + name);
  for (const char* name : {"peregrine-7-9", "peregrine-mine", "trace-cmd"}) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(OwnershipRecord::create(Root(top_), instance_record(instances + name)) ? 0 : 1);
    ::waitpid(child, nullptr, 0);
    const auto undone = undo_abandoned();
    ASSERT_TRUE(undone) << name;
  }
  EXPECT_FALSE(fs::exists(top_ + instances + "peregrine-7-9"));
  EXPECT_TRUE(fs::exists(top_ + instances + "peregrine-mine"));
  EXPECT_TRUE(fs::exists(top_ + instances + "trace-cmd"));
  EXPECT_TRUE(no_record_is_left());
}

TEST_F(Tracer, InstanceThatCannotBeRemovedKeepsItsRecord) {
  const std::string path = std::string(kMount) + "/instances/peregrine-7-9";
  write("instances/peregrine-7-9/file", "");  // ENOTEMPTY
  const pid_t child = ::fork();
  if (child == 0) ::_exit(OwnershipRecord::create(Root(top_), instance_record(path)) ? 0 : 1);
  ::waitpid(child, nullptr, 0);
  const auto undone = undo_abandoned();
  ASSERT_TRUE(undone);
  EXPECT_EQ(undone->refused, std::vector<std::string>{path});
  EXPECT_FALSE(no_record_is_left()) << "the next run tries again";
}

TEST_F(Tracer, SavedSettingsSurviveAsText) {
  const SavedTracer saved =
      SavedTracer::take(TraceFolder(Root(top_), kMount), {"max_graph_depth", "set_ftrace_filter"});
  const std::string text = saved.format();
  const auto parsed = SavedTracer::parse(Root(top_), text);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->format(), text);
  EXPECT_TRUE(parsed->differences(saved).empty());
  EXPECT_FALSE(SavedTracer::parse(Root(top_), text.substr(0, text.size() / 2))) << "cut";
  EXPECT_FALSE(SavedTracer::parse(Root(top_), "value 3\nend\n")) << "of no file";
}

TEST_F(Tracer, AMissingTracerIsNamedAndNothingStaysChanged) {
  const auto session = start({.tracer = "hwlat"});
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(session.error().message, "this kernel has no tracer 'hwlat'");
  EXPECT_EQ(session.error().hint, "available tracers: function_graph function nop");
  EXPECT_EQ(text("current_tracer"), "function\n");
  EXPECT_EQ(text("tracing_on"), "1\n");
}

TEST_F(Tracer, AFacilityThatIsNotThereIsNamed) {
  fs::remove(top_ + kMount + "/max_graph_depth");
  const auto session = start({.depth = 2});
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().message, "/sys/kernel/tracing/max_graph_depth: No such file or directory");
  EXPECT_EQ(text("current_tracer"), "function\n");
}

TEST(TraceFolder, ListsItems) {
  EXPECT_EQ(listed_items("#### all functions enabled ####\n"), std::vector<std::string>{});
  EXPECT_EQ(listed_items("no pid"), std::vector<std::string>{});
  EXPECT_EQ(listed_items("a\nb [mod]\n\nc"), (std::vector<std::string>{"a", "b", "c"}));
}

}  // namespace
}  // namespace peregrine
