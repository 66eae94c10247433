// The fuzz targets, and conversions of a fuzzer's bytes to the types that parsers accept.
//
// A target is one file NAME_fuzz.cc that defines fuzz_NAME(Bytes). It must only call a parser and use the result:
// libFuzzer (entry.cc) and the sanitisers find the rest. Errors are fine; crashes, hangs and excessive memory are
// findings. seeds_test.cc runs every target over fuzz/seeds/NAME in each test run. Targets that run whole commands on
// recordings are table rows instead: command_targets.h.
#pragma once
#include <string_view>

#include "base/bytes.h"

namespace peregrine {

void fuzz_archive(Bytes bytes);
void fuzz_arm_spe(Bytes bytes);
void fuzz_blktrace(Bytes bytes);
void fuzz_cfi(Bytes bytes);
void fuzz_cfi_image(Bytes bytes);
void fuzz_config_file(Bytes bytes);
void fuzz_control_channel(Bytes bytes);
void fuzz_daemon_question(Bytes bytes);
void fuzz_demangle(Bytes bytes);
void fuzz_elf_file(Bytes bytes);
void fuzz_event_file(Bytes bytes);
void fuzz_event_words(Bytes bytes);
void fuzz_field_expression(Bytes bytes);
void fuzz_filter(Bytes bytes);
void fuzz_ftrace_text(Bytes bytes);
void fuzz_instruction(Bytes bytes);
void fuzz_intel_pt(Bytes bytes);
void fuzz_jitdump(Bytes bytes);
void fuzz_kept_answers(Bytes bytes);
void fuzz_metric_expression(Bytes bytes);
void fuzz_metric_file(Bytes bytes);
void fuzz_pattern(Bytes bytes);
void fuzz_perf_data(Bytes bytes);
void fuzz_probe_program(Bytes bytes);
void fuzz_probe_words(Bytes bytes);
void fuzz_proc_text(Bytes bytes);
void fuzz_record(Bytes bytes);
void fuzz_rewrite(Bytes bytes);
void fuzz_source_lines(Bytes bytes);
void fuzz_split_debug(Bytes bytes);
void fuzz_stat_file(Bytes bytes);
void fuzz_stored_elf(Bytes bytes);
void fuzz_symbol_text(Bytes bytes);
void fuzz_trace_dat(Bytes bytes);
void fuzz_trace_format(Bytes bytes);
void fuzz_traced_call(Bytes bytes);
void fuzz_unwind(Bytes bytes);

inline std::string_view as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace peregrine
