// make_pt_data: a perf.data file with the Intel PT trace of a real program, made without a processor that has Intel PT.
//
// The program runs step by step under ptrace; a model of the processor (intel_pt_processor.h) writes the packets of its
// user code, and the file is one that `perf record -e intel_pt//u -- PROGRAM` would have written. --truth is the list
// of the branches that were executed, one line each: from, to (hex; 0 is the kernel), kind, thread.
//
//   make_pt_data -o FILE [--truth FILE] [OPTIONS] -- PROGRAM ARGUMENT…
//
//   --per-cpu            a trace of each processor, of all threads and children; without it that of the first thread
//   --cpus N             the same with N processors that take turns; --quantum N: instructions of a turn (5000)
//   --wide-switches      with --cpus: switches as told to who may look at the whole system
//   --psb BYTES          of trace between two PSBs (16384)
//   --buffer BYTES       of trace before it is read (131072), which makes an AUX and an AUXTRACE record
//   --cyc --mtc          cycle counts; ticks of the crystal clock
//   --retcomp            return compression;  --long-tnt: long packets of branches;  --defer-tips: addresses after them
//   --ptwrite N          every N instructions one is said to be a PTWRITE;  --cbr N: the core's clock changes
//   --pebs N             every N instructions a PEBS record, of an event with aux-output
//   --power              the core sleeps in each system call
//   --bts                Intel BTS in place of Intel PT: a record of each branch, as `perf record -e intel_bts//u`
//   --overflow-after N   instructions, then the packets of --overflow-length N (200) instructions are lost
//   --limit N            instructions, then the program is killed
//   --cut OFFSET,BYTES   removes bytes of the first trace;  --flip OFFSET,BIT: one bit
//
// The same program gives the same file: addresses are not random, times and thread ids not those of the machine. A
// PSB begins where decoders may begin; of the two ways to lose part of a trace, --overflow-after is told in the trace.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/make_pt_data/intel_pt_file.h"
#include "support/make_pt_data/intel_pt_processor.h"
#include "support/make_pt_data/program_tracer.h"
#include "support/make_pt_data/side_band.h"
#include "support/perf_data_builder.h"

namespace peregrine::support {
namespace {

struct CommandLine {
  std::string output = "perf.data", truth;
  Recording recording;
  TraceLimits limits;
  std::size_t cpus = 1;
  std::vector<std::uint64_t> cut, flip;
};

using Words = std::span<char* const>;

// Options without a value are members of `switches`; those with one, of `values`.
CommandLine parse(Words words) {
  CommandLine line;
  IntelPtOptions& pt = line.recording.options;
  const std::map<std::string, bool*, std::less<>> switches = {{"--bts", &pt.branch_records},
                                                              {"--cyc", &pt.cyc},
                                                              {"--mtc", &pt.mtc},
                                                              {"--retcomp", &pt.return_compression},
                                                              {"--defer-tips", &pt.defer_tips},
                                                              {"--long-tnt", &pt.long_tnt},
                                                              {"--power", &pt.power},
                                                              {"--wide-switches", &line.recording.wide_switches},
                                                              {"--per-cpu", &line.recording.per_cpu}};
  const std::map<std::string, std::function<void(const std::string&)>, std::less<>> values = {
      {"-o", [&](const auto& text) { line.output = text; }},
      {"--truth", [&](const auto& text) { line.truth = text; }},
      {"--psb", [&](const auto& text) { pt.psb_bytes = Value(text).number(); }},
      {"--ptwrite", [&](const auto& text) { pt.ptwrite_every = Value(text).number(); }},
      {"--pebs", [&](const auto& text) { pt.pebs_every = Value(text).number(); }},
      {"--cbr", [&](const auto& text) { pt.cbr_every = Value(text).number(); }},
      {"--overflow-after", [&](const auto& text) { pt.overflow_after = Value(text).number(); }},
      {"--overflow-length", [&](const auto& text) { pt.overflow_length = Value(text).number(); }},
      {"--limit", [&](const auto& text) { line.limits.instructions = Value(text).number(); }},
      {"--quantum", [&](const auto& text) { line.limits.quantum = Value(text).number(); }},
      {"--buffer", [&](const auto& text) { line.limits.buffer = Value(text).number(); }},
      {"--cut", [&](const auto& text) { line.cut = Value(text).list(); }},
      {"--flip", [&](const auto& text) { line.flip = Value(text).list(); }},
      {"--cpus", [&](const auto& text) { line.cpus = Value(text).number(), line.recording.per_cpu = true; }}};
  for (; !words.empty() && std::string_view(words[0]) != "--"; words = words.subspan(1)) {
    const std::string word = words[0];
    if (const auto found = switches.find(word); found != switches.end()) {
      *found->second = true;
    } else if (const auto wanted = values.find(word); wanted != values.end() && words.size() > 1) {
      words = words.subspan(1);
      wanted->second(words[0]);
    } else {
      throw std::invalid_argument("unknown option or no value: " + word);
    }
  }
  if (words.size() < 2) throw std::invalid_argument("no program: … -- PROGRAM ARGUMENT…");
  line.recording.command.assign(words.begin() + 1, words.end());
  return line;
}

void write_truth(const CommandLine& line) {
  std::ofstream out(line.truth);
  out << std::hex;
  for (const TracedBranch& branch : line.recording.branches)
    out << branch.from << ' ' << branch.to << ' ' << branch.kind << ' ' << std::dec << branch.tid << std::hex << '\n';
}

// The first processor's trace, with the other records unchanged.
void damage(const CommandLine& line, std::vector<std::byte>& trace) {
  if (line.flip.size() == 2) trace = flip(std::move(trace), line.flip[0], static_cast<unsigned>(line.flip[1]));
  if (line.cut.size() != 2 || line.cut[0] > trace.size()) return;
  const auto from = trace.begin() + static_cast<std::ptrdiff_t>(line.cut[0]);
  trace.erase(from, from + static_cast<std::ptrdiff_t>(std::min(line.cut[1], trace.size() - line.cut[0])));
}

int run(Words words) {
  CommandLine line = parse(words);
  Recording& recording = line.recording;
  for (std::size_t cpu = 0; cpu < line.cpus; ++cpu)
    recording.processors.emplace_back(recording.options, recording.clock, recording.branches);
  recording.filled_at.resize(line.cpus);
  const std::string error = trace_program(recording, line.limits);
  if (!error.empty()) throw std::runtime_error(error);
  for (const IntelPtProcessor& processor : recording.processors) recording.traces.push_back(processor.bytes());
  damage(line, recording.traces[0]);
  const std::vector<std::byte> bytes = intel_pt_file(recording);
  std::ofstream out(line.output, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!line.truth.empty()) write_truth(line);
  return out.good() ? 0 : 1;
}

}  // namespace
}  // namespace peregrine::support

int main(int argc, char** argv) {
  try {
    return peregrine::support::run({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
  } catch (const std::exception& error) {
    std::cerr << "make_pt_data: " << error.what() << '\n';
    return 1;
  }
}
