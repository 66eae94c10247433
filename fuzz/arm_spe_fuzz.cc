// An Arm SPE trace: the text of its packets, its records, and samples of all kinds. Input: the processor, where to
// split the trace into two buffers, the trace.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "auxtrace/arm_spe/packet.h"
#include "auxtrace/arm_spe/packet_text.h"
#include "auxtrace/arm_spe/record.h"
#include "auxtrace/arm_spe/samples.h"
#include "auxtrace/itrace.h"
#include "base/bytes.h"
#include "base/types.h"
#include "input.h"

namespace peregrine {
namespace {

void show(Bytes trace) {
  while (!trace.empty()) {
    const SpePacket packet = decode_spe_packet(trace);
    if (packet.size == 0 || packet.size > trace.size()) __builtin_trap();
    if (spe_packet_text(packet).empty()) __builtin_trap();
    trace = trace.subspan(packet.size);
  }
}

}  // namespace

void fuzz_arm_spe(Bytes bytes) {
  constexpr u64 kParts[] = {0, 0x410fd0c0, 0x410fd490, 0xc00fac30};  // MIDRs: unknown, Neoverse N1 and N2, AmpereOne
  ByteReader reader(bytes, ByteOrder::Little);
  const u64 midr = kParts[reader.get8() % std::size(kParts)];
  const std::size_t cut = reader.get8();
  const Bytes trace = reader.rest();
  show(trace);
  ItraceOptions options;
  options.instructions = options.branches = options.memory = true;
  options.first_level = options.last_level = options.tlb = options.remote = true;
  options.unit = ItraceUnit::Instructions;
  options.period = 3;
  SpeSampler sampler(options, midr);
  SpeRecordReader records;
  SpeRecord record;
  std::vector<SpeSample> samples;
  std::size_t told = 0;
  for (const Bytes buffer : {trace.first(std::min(cut, trace.size())), trace.subspan(std::min(cut, trace.size()))}) {
    records.feed(buffer);
    while (records.next(record)) {
      if (++told > trace.size()) __builtin_trap();
      samples.clear();
      sampler.add(record, samples);
      if (record.damaged && !samples.empty()) __builtin_trap();
    }
  }
}

}  // namespace peregrine
