// Samples that are single branches: "main+0x0 (prog) => work+0x0 (prog)", or a tree of calls.

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "abi/sample.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "output/text/field/sample_line.h"
#include "output/text/field/script_calls.h"
#include "output/text/field/script_decoded.h"
#include "output/text/field/script_field_rows.h"
#include "output/text/field/script_frames.h"
#include "output/text/field/script_plan.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {
namespace {

namespace f = script_field;

// Appends the function that is called or returned from, indented by its call depth. For decoded traces, the width of
// the column follows its contents.
void append_call(SampleLine& line) {
  constexpr std::size_t kStep = 32, kSlack = 52, kIndent = 4;
  const abi::Sample& sample = line.sample;
  Resolver& resolver = line.resolver;
  std::string& words = line.state.words;
  std::size_t& width = line.state.call_width;
  if ((line.event.fields & (f::Dso | f::Ip | f::Addr)) == f::Dso) {
    words += '(';
    const std::size_t start = words.size(), dso_width = line.state.plan.dso_width;
    append_dso(words, resolver, frame_anywhere(resolver, line.replayed, sample.ip), line.has(f::DsoOff));
    if (is_traced(sample) && words.size() - start < dso_width) words.append(dso_width - (words.size() - start), ' ');
    words += ")\t";
  }
  const std::size_t start = words.size();
  const auto& step = line.state.step;
  if (step && step->named != NamedEnd::None) {
    const u64 named = step->named == NamedEnd::To ? sample.addr : sample.ip;
    const Frame& frame = frame_anywhere(resolver, line.replayed, named);
    const bool nameless = is_traced(sample) && !frame.symbol;
    if (!nameless || named != 0) words.append(step->depth * kIndent, ' ');
    if (!nameless) {
      append_symbol(words, resolver, frame, false);
    } else if (named != 0) {
      fmt::format_to(std::back_inserter(words), "{:16x}", named);
    }
  }
  if (!is_traced(sample)) return;
  const std::size_t length = words.size() - start;
  if (length > width || (length != 0 && length + kSlack < width))
    width = (length + kIndent + kStep - 1) / kStep * kStep;
  if (length < width) words.append(width - length, ' ');
}

void put_target(SampleLine& line) {
  const std::string_view words = line.place_of_address();
  line.out.room(words.size() + 64);
  line.out.put(" => ");
  line.out.put_hex(line.sample.addr, 16);
  line.out.put(words);
}

}  // namespace

bool follow_calls(LineState& state, const ReplaySample& sample, const ScriptEvent& event, Resolver& resolver) {
  const ScriptPlan& plan = state.plan;
  state.step.reset();
  const bool chosen = !plan.graph_functions.empty();
  if (!event.is_branch) return !chosen || state.calls.inside(sample.sample.tid);
  if (!chosen && (event.fields & (f::CallIndent | f::Flags)) == 0) return true;
  state.step = state.calls.step(sample, resolver, state.code_of(resolver));
  // A trace decoder synthesizes only the requested branches.
  if (is_traced(sample.sample)) return state.step->inside;
  const bool is_call = state.step->kind == BranchKind::Call, is_return = state.step->kind == BranchKind::Return;
  if (plan.branches == ScriptBranches::Calls && !is_call) return false;
  if (plan.branches == ScriptBranches::CallsAndReturns && !is_call && !is_return) return false;
  return state.step->inside;
}

void field_text::branch_flags(SampleLine& line) {
  constexpr std::string_view kWords[] = {"jmp", "jcc", "call", "return"};
  constexpr std::size_t kWidth = 24;
  ScriptText& out = line.out;
  if (is_traced(line.sample) && line.sample.traced.flags != 0) return put_branch_flags(out, line.sample.traced.flags);
  if (!line.state.step) return out.fill(' ', kWidth);
  const std::string_view word = kWords[static_cast<std::size_t>(line.state.step->kind)];
  out.put("  ");
  out.put(word);
  out.fill(' ', kWidth - 2 - word.size());
}

// Writes the instructions per cycle since the last sample that had both.
void field_text::traced_cycles(SampleLine& line) {
  constexpr std::size_t kRoom = 80;
  const abi::Sample& sample = line.sample;
  if (!is_traced(sample) || sample.traced.cycles == 0) return;
  const u64 hundredths = sample.traced.instructions * 100 / sample.traced.cycles;
  line.out.room(kRoom);
  line.out.put(fmt::format("\t IPC: {}.{:02} ({}/{}) ", hundredths / 100, hundredths % 100, sample.traced.instructions,
                           sample.traced.cycles));
}

void put_branch_record(SampleLine& line) {
  ScriptText& out = line.out;
  std::string& words = line.state.words;
  words.clear();
  if (line.has(f::CallIndent)) append_call(line);
  out.room(words.size() + kFieldRoom);
  out.put(words);
  if (line.has(f::Ip)) field_text::code(line);
  if (line.event.shows_target) put_target(line);
  if (line.has(f::Ipc)) field_text::traced_cycles(line);
  if (line.has(f::Insn | f::InsnLen | f::Disasm)) field_text::instruction(line);
}

}  // namespace peregrine
