#include "cmd/command_table.h"

#include <algorithm>
#include <array>

namespace peregrine::cmd {

namespace {

// A command of linux-perf that is not built yet: known to help and completion, and honest when called.
constexpr Command missing(std::string_view name, std::string_view summary) {
  return {.name = name, .summary = summary};
}

constexpr Command kAnnotate = missing("annotate", "Read perf.data (created by perf record) and display annotated code");
constexpr Command kArchive =
    missing("archive", "Create archive with object files with build-ids found in perf.data file");
constexpr Command kBench = missing("bench", "General framework for benchmark suites");
constexpr Command kBuildidCache = missing("buildid-cache", "Manage build-id cache.");
constexpr Command kC2c = missing("c2c", "Shared Data C2C/HITM Analyzer.");
constexpr Command kConfig = missing("config", "Get and set variables in a configuration file.");
constexpr Command kDaemon = missing("daemon", "Run record sessions on background");
constexpr Command kData = missing("data", "Data file related processing");
constexpr Command kDiff = missing("diff", "Read perf.data files and display the differential profile");
constexpr Command kFtrace = missing("ftrace", "simple wrapper for kernel's ftrace functionality");
constexpr Command kInject = missing("inject", "Filter to augment the events stream with additional information");
constexpr Command kIostat = missing("iostat", "Show I/O performance metrics");
constexpr Command kKallsyms = missing("kallsyms", "Searches running kernel for symbols");
constexpr Command kKmem = missing("kmem", "Tool to trace/measure kernel memory properties");
constexpr Command kKvm = missing("kvm", "Tool to trace/measure kvm guest os");
constexpr Command kKwork = missing("kwork", "Tool to trace/measure kernel work properties (latencies)");
constexpr Command kLock = missing("lock", "Analyze lock events");
constexpr Command kMem = missing("mem", "Profile memory accesses");
constexpr Command kProbe = missing("probe", "Define new dynamic tracepoints");
constexpr Command kSched = missing("sched", "Tool to trace/measure scheduler properties (latencies)");
constexpr Command kTest = missing("test", "Runs sanity tests.");
constexpr Command kTimechart = missing("timechart", "Tool to visualize total system behavior during a workload");
constexpr Command kTop = missing("top", "System profiling tool.");
constexpr Command kTrace = missing("trace", "strace inspired tool");

constexpr std::array kCommands{
    &kAnnotate, &kArchive, &kBench,  &kBuildidCache, &kBuildidList, &kC2c,    &kCompletion,     &kConfig,   &kDaemon,
    &kData,     &kDiff,    &kEvlist, &kFtrace,       &kHelp,        &kInject, &kIostat,         &kKallsyms, &kKmem,
    &kKvm,      &kKwork,   &kList,   &kLock,         &kMem,         &kProbe,  &kRecord,         &kReport,   &kSched,
    &kScript,   &kStat,    &kTest,   &kTimechart,    &kTop,         &kTrace,  &kVersionCommand,
};

}  // namespace

std::span<const Command* const> commands() { return kCommands; }

const Command* find_command(std::string_view name) {
  const auto found = std::ranges::find(kCommands, name, &Command::name);
  return found == kCommands.end() ? nullptr : *found;
}

}  // namespace peregrine::cmd
