// The columns after a sample's time that do not need a separate file.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/types.h"
#include "output/text/field/sample_line.h"
#include "output/text/field/script_branch_code.h"
#include "output/text/field/script_decoded.h"
#include "output/text/field/script_field_rows.h"
#include "output/text/field/script_frames.h"
#include "output/text/field/script_plan.h"
#include "output/text/field/script_values.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/call_site.h"
#include "pipeline/replay/kernel_names.h"

namespace peregrine {
namespace {

namespace f = script_field;

void put_with_room(ScriptText& out, std::string_view words) {
  out.room(words.size() + kFieldRoom);
  out.put(words);
}

}  // namespace

namespace field_text {

void period(SampleLine& line) {
  line.out.put_decimal(line.replayed.period, 10);
  line.out.put(' ');
}

// The next column reserves space again.
void event(SampleLine& line) {
  line.out.room(line.event.name.size());
  line.out.put(line.event.name);
}

void trace(SampleLine& line) {
  if (line.event.format == nullptr || line.sample.raw.empty()) return;
  KernelNames kernel(line.resolver, line.replayed.context);
  line.event.format->print(line.out, line.sample.raw, &kernel);
}

void call_site(SampleLine& line) {
  std::string& words = line.state.words;
  words = " <- ";
  append_symbol(words, line.resolver, line.resolver.at(peregrine::call_site(line.replayed, line.resolver)), true);
  put_with_room(line.out, words);
}

void synthesized(SampleLine& line) {
  if (line.event.decoded) put_decoded(line.out, *line.event.decoded, line.sample.raw);
}

// Page faults also show what is at the address.
void address(SampleLine& line) {
  line.out.put_hex(line.sample.addr, 16);
  if (!line.event.address_has_symbol) return;
  put_with_room(line.out, line.place_of_address());
}

// Padded to the widest so far.
void data_source(SampleLine& line) {
  ScriptText& out = line.out;
  const std::size_t before = out.size();
  put_data_source(out, line.sample.data_src);
  const std::size_t length = out.size() - before;
  line.state.data_source_width = std::max(line.state.data_source_width, length);
  out.room(kFieldRoom);
  out.fill(' ', line.state.data_source_width - length);
}

void cgroup(SampleLine& line) {
  const auto path = line.state.cgroups.find(line.sample.cgroup);
  line.out.put(' ');
  put_with_room(line.out, path == line.state.cgroups.end() ? std::string_view("unknown") : path->second);
}

void interrupt_registers(SampleLine& line) {
  put_registers(line.out, line.sample.interrupt_registers, line.state.plan.arch);
}

void user_registers(SampleLine& line) { put_registers(line.out, line.sample.user_registers, line.state.plan.arch); }

void bpf_output(SampleLine& line) {
  if (line.event.bpf_output) put_bpf_output(line.out, line.sample.raw);
}

void instruction(SampleLine& line) {
  line.state.code_of(line.resolver).put_instruction(line.out, line.replayed, line.resolver, line.event.fields);
}

void branch_code(SampleLine& line) {
  const ScriptPlan& plan = line.state.plan;
  put_branch_code(line.out, line.replayed, line.resolver, {line.event.fields, plan.max_blocks}, plan.counters,
                  line.state.code_of(line.resolver));
}

// Writes " br_cntr: AA,-,B", newest branch first. With instructions, the counters are on their lines instead.
void branch_counters(SampleLine& line) {
  if (line.has(f::BrStackInsn | f::BrStackInsnLen | f::BrStackDisasm)) return;
  std::string& words = line.state.words;
  words = " br_cntr:";
  char before = ' ';
  for (const u64 word : line.sample.branch_counters) {
    words += before;
    line.state.plan.counters.append(words, line.replayed.event, word);
    before = ',';
  }
  put_with_room(line.out, words);
}

void source_text(SampleLine& line) {
  line.state.code_of(line.resolver).put_source_text(line.out, line.replayed, line.resolver, line.sample.ip);
}

}  // namespace field_text
}  // namespace peregrine
