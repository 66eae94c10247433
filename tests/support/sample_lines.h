// SampleLines: the output of `script` for samples of the process of ResolvedProgram (resolved_program.h).
//
//   SampleLines lines;                       a sample of cycles:u at outer+0x10, of thread 41 on CPU 3, at 12.000000345
//   s lines.sample.addr = 0x401110; lines.print("comm,addr")           ==    "           shell           401110\n"
//
// The event has all sample fields whatever its attr says; columns that a test does not request are not checked.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "event/tracepoint/trace_formats.h"
#include "output/text/field/script_fields.h"
#include "output/text/field/script_plan.h"
#include "output/text/format/script_text.h"
#include "output/text/script/script_sample.h"
#include "pipeline/replay/replay.h"
#include "support/resolved_program.h"

namespace peregrine::support {

class SampleLines {
 public:
  // `code`: the first bytes of `outer`.
  explicit SampleLines(std::string_view code = {}) : program(code) {
    sample.fields = abi::sample_bit::Ip | abi::sample_bit::Tid | abi::sample_bit::Time | abi::sample_bit::Cpu;
    sample.misc = abi::misc_bit::User;
    sample.pid = ResolvedProgram::kPid;
    sample.tid = ResolvedProgram::kTid;
    sample.time = 12'000'000'345;
    sample.cpu = 3;
    sample.ip = ResolvedProgram::kMapped + 0x10;
  }

  ResolvedProgram program;
  abi::EventAttr attr;  // a hardware event
  abi::Sample sample;
  u64 period = 250'000;
  std::function<void(ScriptPlan&)> options = [](ScriptPlan&) {};  // options that are not fields

  ReplaySample replayed(const abi::Sample& of) {
    return {.sample = of, .context = program.context(), .event = 0, .period = period, .moment = 2, .file_offset = 0};
  }
  // `words`: the argument of -F.
  ScriptPlan plan(std::string_view words) const {
    data::Evlist evlist;
    evlist.add({.attr = attr});
    ScriptFields fields;
    std::vector<std::string> warnings;
    EXPECT_TRUE(fields.parse(words, warnings)) << words;
    ScriptPlan made(evlist, {"cycles:u"}, fields, TraceFormats(), true);
    options(made);
    return made;
  }
  std::string print(std::string_view words) { return print(words, {sample}); }
  std::string print(std::string_view words, const std::vector<abi::Sample>& samples) {
    const ScriptPlan planned = plan(words);
    ScriptSample printer(planned);
    ScriptText text;
    for (const abi::Sample& one : samples) printer.put(text, replayed(one), program.resolver);
    return std::string(text.view());
  }
};

}  // namespace peregrine::support
