// A tracer that is a folder of plain files: what is written, and what is put back.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "capture/tracer/tracer_session.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;
constexpr char kMount[] = "/sys/kernel/tracing";

class Tracer : public testing::Test {
 protected:
  void SetUp() override {
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
  void TearDown() override { fs::remove_all(top_); }

  void write(const std::string& file, const std::string& text) const {
    const std::string path = top_ + kMount + "/" + file;
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << text;
  }
  std::string text(const std::string& file) const { return read_file(top_ + kMount + "/" + file).value_or("absent"); }
  Result<TracerSession> start(const TracerPlan& plan) const { return TracerSession::start(Root(top_), kMount, plan); }

  std::string top_ = testing::TempDir() + "tracer." + std::to_string(::getpid());
};

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

TEST_F(Tracer, AMissingTracerIsNamedAndNothingStaysChanged) {
  const auto session = start({.tracer = "hwlat"});
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(session.error().message, "this kernel has no tracer hwlat");
  EXPECT_EQ(session.error().hint, "it has: function_graph function nop");
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
