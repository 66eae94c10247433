#include "session/self_test/self_tests.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>

#include "base/fd.h"
#include "base/number/parse_number.h"
#include "base/types.h"
#include "symbol/elf/elf_file.h"
#include "symbol/table/symbol_table.h"
#include "trial/test_workload.h"

namespace peregrine {

namespace {

constexpr std::chrono::seconds kTrialLimit(60);
using TrialWords = std::vector<std::string>;

// `command`, followed by this program running a workload.
TrialWords with_workload(TrialWords command, const std::string& workload, const std::string& amount = {}) {
  command.insert(command.end(), {"--", own_program(), "test", "-w", workload});
  if (!amount.empty()) command.push_back(amount);
  return command;
}

// The count in a line "12,unit,EVENT,…" of `stat -x,`; unset if not counted.
std::optional<double> value_before(std::string_view text, std::string_view event) {
  const std::size_t at = text.find(event);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t line = text.rfind('\n', at);
  text.remove_prefix(line == std::string_view::npos ? 0 : line + 1);
  return leading_number<double>(text);
}

std::size_t lines_with(std::string_view text, std::string_view word) {
  std::size_t lines = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (text.substr(0, end).find(word) != std::string_view::npos) ++lines;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

TestOutcome software_events(SelfTest& test) {
  if (!test.run(with_workload({"stat", "-x,", "-e", "task-clock,page-faults"}, "noploop", "0.2")))
    return test.outcome();
  const auto time = value_before(test.err(), "task-clock"), faults = value_before(test.err(), "page-faults");
  if (!time || *time < 190 || *time > 1000)
    return test.failed("0.2 s of work did not count as about 200 ms of task-clock");
  if (!faults || *faults < 1) return test.failed("no page faults");
  return {};
}

TestOutcome hardware_events(SelfTest& test) {
  if (!test.run(with_workload({"stat", "-x,", "-e", "cycles:u,instructions:u"}, "noploop", "0.2")))
    return test.outcome();
  const auto instructions = value_before(test.err(), "instructions");
  if (!instructions) return test.skipped("no PMU can count here");
  return *instructions > 1e6 ? TestOutcome() : test.failed("fewer than a million instructions in 0.2 s");
}

TestOutcome tracepoint_counts(SelfTest& test) {
  if (!test.run(with_workload({"stat", "-x,", "-e", "syscalls:sys_enter_getsid"}, "calls"))) return test.outcome();
  const auto count = value_before(test.err(), "getsid");
  return count == kTestTimes ? TestOutcome() : test.failed(fmt::format("not {} calls", kTestTimes));
}

TestOutcome breakpoints(SelfTest& test) {
  if (!test.run(with_workload({"stat", "-x,", "-e", "mem:test_datum/8:w"}, "datasym"))) return test.outcome();
  const auto count = value_before(test.err(), "test_datum");
  if (!count) return test.skipped("no hardware breakpoint is available");
  return count == kTestTimes ? TestOutcome() : test.failed(fmt::format("not {} writes", kTestTimes));
}

// Records the three-function loop into "data".
bool record_loop(SelfTest& test, TrialWords options) {
  TrialWords command{"record", "-q", "-e", "cpu-clock:u", "-F", "499", "-o", test.path("data")};
  command.insert(command.end(), options.begin(), options.end());
  return test.run(with_workload(std::move(command), "leafloop", "0.3"));
}

bool names_are_known(SelfTest& test) {
  return test.run({"report", "--stdio", "-q", "-i", test.path("data"), "-s", "sym", "-g", "none", "--no-children"}) &&
         test.out().find("test_leaf") != std::string::npos;
}

TestOutcome samples(SelfTest& test) {
  if (!record_loop(test, {}) || !test.run({"report", "--stdio", "-q", "-i", test.path("data"), "-s", "sym"}))
    return test.outcome();
  const std::size_t at = test.out().find("test_leaf");
  if (at == std::string::npos)
    return test.failed("test_leaf used all the time but is missing from the report: is the program stripped?");
  const std::size_t line = test.out().rfind('\n', at);
  const std::string_view row = std::string_view(test.out()).substr(line == std::string::npos ? 0 : line + 1);
  const double share = leading_number<double>(row.substr(row.find_first_not_of(' '))).value_or(0);
  return share > 80 ? TestOutcome() : test.failed("test_leaf has less than 80 % of the time");
}

TestOutcome chains(SelfTest& test, TrialWords how) {
  if (!record_loop(test, std::move(how))) return test.outcome();
  if (!names_are_known(test)) return test.skipped("this program has no symbols");
  if (!test.run({"report", "--stdio", "-q", "-i", test.path("data"), "-g", "folded,0.5,callee", "--no-children", "-s",
                 "sym"}))
    return test.outcome();
  return test.out().find("test_leaf;test_middle;test_outer") != std::string::npos ||
                 test.out().find("test_middle;test_outer") != std::string::npos
             ? TestOutcome()
             : test.failed("no stack contains test_leaf, called by test_middle, called by test_outer");
}
TestOutcome dwarf_chains(SelfTest& test) { return chains(test, {"--call-graph", "dwarf"}); }
TestOutcome chains_unwound_now(SelfTest& test) { return chains(test, {"--call-graph", "dwarf", "--unwind=now"}); }

// `script` must print as many samples as the file's statistics say.
TestOutcome all_samples_are_read(SelfTest& test, TrialWords options) {
  if (!record_loop(test, std::move(options))) return test.outcome();
  if (!test.run({"script", "-i", test.path("data"), "-F", "comm,event"})) return test.outcome();
  const std::size_t printed = lines_with(test.out(), "cpu-clock");
  if (printed < 20) return test.failed(fmt::format("{} samples in 0.3 s at 499 Hz", printed));
  if (!test.run({"report", "--stats", "-i", test.path("data")})) return test.outcome();
  return test.out().find(fmt::format("SAMPLE events: {:10}", printed)) != std::string::npos
             ? TestOutcome()
             : test.failed("report --stats counts a different number of samples than script prints");
}
TestOutcome plain_files(SelfTest& test) { return all_samples_are_read(test, {}); }
TestOutcome compressed_files(SelfTest& test) { return all_samples_are_read(test, {"-z"}); }
TestOutcome thread_folders(SelfTest& test) { return all_samples_are_read(test, {"--threads=cpu"}); }

TestOutcome pipes(SelfTest& test) {
  if (!test.run(with_workload({"record", "-q", "-e", "cpu-clock:u", "-o", "-"}, "leafloop", "0.2")))
    return test.outcome();
  std::ofstream(test.path("pipe"), std::ios::binary) << test.out();
  if (!test.run({"script", "-i", test.path("pipe"), "-F", "comm,event"})) return test.outcome();
  return lines_with(test.out(), "cpu-clock") > 10 ? TestOutcome() : test.failed("no samples arrived through the pipe");
}

TestOutcome traced_calls(SelfTest& test) {
  if (!test.run(with_workload({"trace", "-o", test.path("calls"), "-e", "getsid"}, "calls"))) return test.outcome();
  const std::string text = read_file(test.path("calls")).value_or("");
  return lines_with(text, "getsid(") == kTestTimes ? TestOutcome()
                                                   : test.failed(fmt::format("not {} lines", kTestTimes));
}

TestOutcome scheduler(SelfTest& test) {
  if (!test.run(with_workload({"sched", "record", "-q", "-o", test.path("data")}, "thloop", "0.1")))
    return test.outcome();
  if (!test.run({"sched", "latency", "-i", test.path("data")})) return test.outcome();
  return test.out().find("TOTAL:") != std::string::npos ? TestOutcome() : test.failed("no table");
}

TestOutcome probes(SelfTest& test) {
  const std::string name = fmt::format("peregrine_test:leaf_{}", ::getpid());
  if (!test.run({"probe", "-x", own_program(), "-a", name + "=test_leaf"})) return test.outcome();
  const bool counted = test.run(with_workload({"stat", "-x,", "-e", name}, "brstack", "100"));
  TestOutcome refused = test.outcome();
  const auto count = value_before(test.err(), name);
  // The kernel releases a counted probe a moment later.
  bool removed = false;
  for (unsigned tries = 0; tries < 50 && !removed; ++tries) {
    if (tries != 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    removed = test.run({"probe", "-d", name});
  }
  if (!removed) return test.outcome();
  if (!counted) return refused;
  return count == 100 ? TestOutcome() : test.failed("the probe was not hit a hundred times");
}

TestOutcome python(SelfTest& test) {
  if (!record_loop(test, {})) return test.outcome();
  std::ofstream(test.path("count.py")) << "n = 0\ndef process_event(p):\n\tglobal n\n\tn += 1\n"
                                          "def trace_end():\n\tprint('seen', n)\n";
  if (!test.run({"script", "-i", test.path("data"), "-s", test.path("count.py")})) return test.outcome();
  return test.out().find("seen ") != std::string::npos ? TestOutcome() : test.failed("the script printed nothing");
}

TestOutcome flame_graph(SelfTest& test) {
  if (!record_loop(test, {"--call-graph", "dwarf"})) return test.outcome();
  if (!names_are_known(test)) return test.skipped("this program has no symbols");
  if (!test.run({"report", "-i", test.path("data"), "--flamegraph", test.path("flame.svg")})) return test.outcome();
  const std::string text = read_file(test.path("flame.svg")).value_or("");
  return text.find("<svg") != std::string::npos && text.find("test_outer") != std::string::npos
             ? TestOutcome()
             : test.failed("the picture does not show test_outer");
}

// Each symbol's address must resolve to it, or to one that covers it.
TestOutcome symbols(SelfTest& test) {
  const std::string path = test.dso().empty() ? own_program() : test.dso();
  const auto file = ElfFile::open(path);
  if (!file) return test.failed(file.error().message);
  const auto table = load_elf_symbols(*file);
  if (!table) return test.failed(table.error().message);
  if (table->empty()) return test.skipped(fmt::format("{} has no symbols", path));
  u64 before = 0;
  for (u32 i = 0; i < table->size(); ++i) {
    const Symbol symbol = table->at(SymbolIndex(i));
    const auto wrong = [&](std::string_view what) {
      return test.failed(fmt::format("{}: '{}' at {:#x} {}", path, symbol.name, symbol.start, what));
    };
    if (symbol.name.empty()) return wrong("has no name");
    if (symbol.start < before || symbol.end < symbol.start) return wrong("is out of order");
    before = symbol.start;
    if (symbol.start == symbol.end) continue;  // never given a size
    const auto found = table->find(symbol.start);
    if (!found) return wrong("is not found by its address");
    if (found->start > symbol.start || found->end <= symbol.start) return wrong("is found as " + found->name);
  }
  if (!test.dso().empty()) return {};
  // With -v, scripts that record a workload learn from this whether its functions have names.
  if (!test.run({"probe", "-x", own_program(), "-F", "--filter", "*loop|test_*"})) return test.outcome();
  for (const std::string_view name : {"noploop", "test_loop", "test_leaf"})
    if (lines_with(test.out(), name) == 0) return test.skipped(fmt::format("this program has no symbol {}", name));
  return {};
}

constexpr SelfTestEntry kTests[] = {
    {"Count software events", software_events},
    {"Count hardware events", hardware_events},
    {"Count each hit of a tracepoint", tracepoint_counts},
    {"Count writes to a variable", breakpoints},
    {"Sample, and name the hottest function", samples},
    {"Call chains from DWARF", dwarf_chains},
    {"Call chains unwound while recording", chains_unwound_now},
    {"Read back each sample", plain_files},
    {"Read back compressed recordings", compressed_files},
    {"Read back recordings of several threads", thread_folders},
    {"Read back recordings from a pipe", pipes},
    {"Trace each system call", traced_calls},
    {"Record scheduler events", scheduler},
    {"Probe a program's function", probes},
    {"Run a Python script", python},
    {"Draw a flame graph", flame_graph},
    {"Symbols of a program", symbols},
};

// Parts of messages that say something is impossible here, for lack of kernel support, privileges or components.
constexpr std::string_view kRefusals[] = {"ermission",     "not permitted", "not supported",  "can't access",
                                          "CAP_",          "is not there",  "is not mounted", "not installed",
                                          "built without", "No symbol",     "no symbol"};

}  // namespace

bool SelfTest::run(std::vector<std::string> arguments) {
  log_ += fmt::format("$ {}\n", fmt::join(arguments, " "));
  auto done = run_(arguments, folder_, kTrialLimit);
  last_ = done ? std::move(*done) : OwnRun{.exit = 127, .timed_out = false, .out = {}, .err = done.error().message};
  constexpr std::size_t kShown = 2000;
  for (const std::string* text : {&last_.out, &last_.err}) {
    std::string_view rest = std::string_view(*text).substr(0, kShown);
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      log_ += fmt::format("  {}\n", rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return last_.exit == 0 && !last_.timed_out;
}

TestOutcome SelfTest::outcome() const {
  if (last_.timed_out) return failed("did not finish within a minute");
  if (last_.exit >= 128 + 1 && last_.exit < 128 + 32 && last_.exit != 129)
    return failed(fmt::format("ended by signal {}", last_.exit - 128));
  const std::string_view err = last_.err;
  const std::size_t start = std::min(err.find_first_not_of(" \n"), err.size());
  std::string line(err.substr(start, std::min(err.find('\n', start), err.size()) - start));
  const bool refused =
      std::ranges::any_of(kRefusals, [&](std::string_view word) { return err.find(word) != std::string_view::npos; });
  return refused ? skipped(std::move(line)) : failed(fmt::format("exit code {}: {}", last_.exit, line));
}

std::span<const SelfTestEntry> self_tests() { return kTests; }

}  // namespace peregrine
