// Every seed goes through its target: what a fuzzer once found stays found. Started in the top folder.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/fd.h"
#include "input.h"

namespace peregrine {
namespace {

void replay(const char* name, void (*target)(Bytes)) {
  const std::filesystem::path folder = std::filesystem::path(PEREGRINE_SEEDS) / name;
  unsigned count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto text = read_file(entry.path().string());
    ASSERT_TRUE(text) << entry.path();
    target(std::as_bytes(std::span(*text)));
    ++count;
  }
  EXPECT_NE(count, 0u) << folder;
}

TEST(Seeds, Archive) { replay("archive", fuzz_archive); }
TEST(Seeds, ArmSpe) { replay("arm_spe", fuzz_arm_spe); }
TEST(Seeds, Cfi) { replay("cfi", fuzz_cfi); }
TEST(Seeds, CfiImage) { replay("cfi_image", fuzz_cfi_image); }
TEST(Seeds, DaemonQuestion) { replay("daemon_question", fuzz_daemon_question); }
TEST(Seeds, Demangle) { replay("demangle", fuzz_demangle); }
TEST(Seeds, ElfFile) { replay("elf_file", fuzz_elf_file); }
TEST(Seeds, EventFile) { replay("event_file", fuzz_event_file); }
TEST(Seeds, EventWords) { replay("event_words", fuzz_event_words); }
TEST(Seeds, Filter) { replay("filter", fuzz_filter); }
TEST(Seeds, Instruction) { replay("instruction", fuzz_instruction); }
TEST(Seeds, IntelPt) { replay("intel_pt", fuzz_intel_pt); }
TEST(Seeds, JitDump) { replay("jitdump", fuzz_jitdump); }
TEST(Seeds, MetricExpression) { replay("metric_expression", fuzz_metric_expression); }
TEST(Seeds, MetricFile) { replay("metric_file", fuzz_metric_file); }
TEST(Seeds, PerfData) { replay("perf_data", fuzz_perf_data); }
TEST(Seeds, ProbeProgram) { replay("probe_program", fuzz_probe_program); }
TEST(Seeds, ProbeWords) { replay("probe_words", fuzz_probe_words); }
TEST(Seeds, Record) { replay("record", fuzz_record); }
TEST(Seeds, Rewrite) { replay("perf_data", fuzz_rewrite); }
TEST(Seeds, SourceLines) { replay("source_lines", fuzz_source_lines); }
TEST(Seeds, StatFile) { replay("stat_file", fuzz_stat_file); }
TEST(Seeds, StoredElf) { replay("stored_elf", fuzz_stored_elf); }
TEST(Seeds, SymbolText) { replay("symbol_text", fuzz_symbol_text); }
TEST(Seeds, TraceFormat) { replay("trace_format", fuzz_trace_format); }
TEST(Seeds, TracedCall) { replay("traced_call", fuzz_traced_call); }
TEST(Seeds, Unwind) { replay("unwind", fuzz_unwind); }

}  // namespace
}  // namespace peregrine
