// Runs every seed through its target, so that bugs found by a fuzzer stay fixed. Started in the top folder.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "command_run.h"
#include "command_targets.h"
#include "input.h"
#include "recording_mutator.h"

// Defined by the leak sanitizer; absent in other builds.
extern "C" __attribute__((weak)) void __lsan_disable();
extern "C" __attribute__((weak)) void __lsan_enable();

namespace peregrine {
namespace {

std::vector<std::string> seeds_of(std::string_view name) {
  const std::filesystem::path folder = std::filesystem::path(PEREGRINE_SEEDS) / name;
  std::vector<std::string> paths, seeds;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  for (const std::string& path : paths) seeds.push_back(read_file(path).value_or(""));
  EXPECT_FALSE(seeds.empty()) << folder;
  return seeds;
}

Bytes as_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

void replay(std::string_view name, const std::function<void(Bytes)>& target) {
  for (const std::string& seed : seeds_of(name)) target(as_bytes(seed));
}

// A number from an environment variable.
unsigned wanted(const char* variable, unsigned otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::atoi(text));
}

// Without libFuzzer: replaces some bytes by other values.
std::size_t change_bytes(std::span<std::byte> bytes, std::size_t size, std::minstd_rand& random) {
  for (unsigned n = 0; n < 4 && size > 0; ++n) bytes[random() % size] = static_cast<std::byte>(random());
  return size < bytes.size() || random() % 2 == 0 ? size : size - random() % size;
}

TEST(Seeds, Archive) { replay("archive", fuzz_archive); }
TEST(Seeds, ArmSpe) { replay("arm_spe", fuzz_arm_spe); }
TEST(Seeds, Blktrace) { replay("blktrace", fuzz_blktrace); }
TEST(Seeds, Cfi) { replay("cfi", fuzz_cfi); }
TEST(Seeds, CfiImage) { replay("cfi_image", fuzz_cfi_image); }
TEST(Seeds, ConfigFile) { replay("config_file", fuzz_config_file); }
TEST(Seeds, ControlChannel) { replay("control_channel", fuzz_control_channel); }
TEST(Seeds, DaemonQuestion) { replay("daemon_question", fuzz_daemon_question); }
TEST(Seeds, Demangle) { replay("demangle", fuzz_demangle); }
TEST(Seeds, ElfFile) { replay("elf_file", fuzz_elf_file); }
TEST(Seeds, EventFile) { replay("event_file", fuzz_event_file); }
TEST(Seeds, EventWords) { replay("event_words", fuzz_event_words); }
TEST(Seeds, FieldExpression) { replay("field_expression", fuzz_field_expression); }
TEST(Seeds, Filter) { replay("filter", fuzz_filter); }
TEST(Seeds, FtraceText) { replay("ftrace_text", fuzz_ftrace_text); }
TEST(Seeds, Instruction) { replay("instruction", fuzz_instruction); }
TEST(Seeds, IntelPt) { replay("intel_pt", fuzz_intel_pt); }
TEST(Seeds, JitDump) { replay("jitdump", fuzz_jitdump); }
TEST(Seeds, KeptAnswers) { replay("kept_answers", fuzz_kept_answers); }
TEST(Seeds, MetricExpression) { replay("metric_expression", fuzz_metric_expression); }
TEST(Seeds, MetricFile) { replay("metric_file", fuzz_metric_file); }
TEST(Seeds, Pattern) { replay("pattern", fuzz_pattern); }
TEST(Seeds, PerfData) { replay("perf_data", fuzz_perf_data); }
TEST(Seeds, ProbeProgram) { replay("probe_program", fuzz_probe_program); }
TEST(Seeds, ProbeWords) { replay("probe_words", fuzz_probe_words); }
TEST(Seeds, ProcText) { replay("proc_text", fuzz_proc_text); }
TEST(Seeds, Record) { replay("record", fuzz_record); }
TEST(Seeds, Rewrite) { replay("perf_data", fuzz_rewrite); }
TEST(Seeds, SourceLines) { replay("source_lines", fuzz_source_lines); }
TEST(Seeds, SplitDebug) { replay("split_debug", fuzz_split_debug); }
TEST(Seeds, StatFile) { replay("stat_file", fuzz_stat_file); }
TEST(Seeds, StoredElf) { replay("stored_elf", fuzz_stored_elf); }
TEST(Seeds, SymbolText) { replay("symbol_text", fuzz_symbol_text); }
TEST(Seeds, TraceDat) { replay("trace_dat", fuzz_trace_dat); }
TEST(Seeds, TraceFormat) { replay("trace_format", fuzz_trace_format); }
TEST(Seeds, TracedCall) { replay("traced_call", fuzz_traced_call); }
TEST(Seeds, Unwind) { replay("unwind", fuzz_unwind); }

// Runs whole commands on recordings.
class CommandSeeds : public testing::TestWithParam<CommandTarget> {
 protected:
  // Interpreters keep memory until the process ends, but their plug-ins are unloaded before.
  void SetUp() override {
    if (keeps_memory() && __lsan_disable != nullptr) __lsan_disable();
  }
  void TearDown() override {
    if (keeps_memory() && __lsan_enable != nullptr) __lsan_enable();
  }
  static bool keeps_memory() {
    const std::string_view name = GetParam().name;
    return name == "python" || name == "perl";
  }
};

TEST_P(CommandSeeds, Run) {
  CommandRun run;
  replay(GetParam().name, [&](Bytes bytes) { run.run(GetParam(), bytes); });
}

// Some mutated seeds; PEREGRINE_MUTATIONS is their number, PEREGRINE_MUTATION_SEED the seed. The last one is left in
// TMPDIR if it ended the process.
TEST_P(CommandSeeds, RunChanged) {
  const CommandTarget& target = GetParam();
  const std::vector<std::string> seeds = seeds_of(target.name);
  std::minstd_rand random(wanted("PEREGRINE_MUTATION_SEED", 1));
  const auto change = [&](std::span<std::byte> bytes, std::size_t size) { return change_bytes(bytes, size, random); };
  const auto last = std::filesystem::temp_directory_path() / fmt::format("peregrine-mutated-{}", target.name);
  CommandRun run;
  for (unsigned count = wanted("PEREGRINE_MUTATIONS", 4); count > 0; --count) {
    RecordingMutator mutator(static_cast<unsigned>(random()), change);
    std::string input = seeds[random() % seeds.size()];
    for (std::size_t steps = 1 + random() % 4; steps > 0; --steps) {
      const auto made = mutator.mutate_input(as_bytes(input), target.lines.size(), 65536);
      input.assign(reinterpret_cast<const char*>(made.data()), made.size());
      if (input.size() < 2) break;
    }
    std::ofstream(last, std::ios::binary) << input;
    // Takes seconds; the machine may be busy with other things.
    const itimerval limit{.it_interval = {}, .it_value = {.tv_sec = 10, .tv_usec = 0}};
    ::setitimer(ITIMER_PROF, &limit, nullptr);
    ::alarm(120);
    run.run(target, as_bytes(input));
    ::alarm(0);
    const itimerval none{};
    ::setitimer(ITIMER_PROF, &none, nullptr);
  }
  std::filesystem::remove(last);
}

INSTANTIATE_TEST_SUITE_P(Of, CommandSeeds, testing::ValuesIn(command_targets().begin(), command_targets().end()),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace peregrine
