// WatchpointMover: moves data breakpoint samples to the instruction that accessed the data.
//
// x86 reports an access after the fact, so the sampled address is the next instruction's. Decodes the function from its
// start; if that does not lead to the sampled address (data in code, a function without symbol, no file), the sample is
// unchanged. One per worker.
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"
#include "machine/machine.h"
#include "machine/resolver/code_reader.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

// Whether an event's samples come from a hardware data breakpoint.
bool is_watchpoint(const abi::EventAttr& attr);

// Unsupported: there are watchpoints, but the x86 disassembler library is not installed.
Result<> check_watchpoints(const data::Evlist& evlist);

class WatchpointMover {
 public:
  explicit WatchpointMover(const Machine& machine) : reader_(machine.dsos()) {}

  // Changes ip, and the callchain's first frame if it equals ip. Valid until the next call.
  void move(const Resolver::Context& context, Resolver& resolver, abi::Sample& sample);
  // Call it when the resolver forgets its frames.
  void forget() { sizes_.clear(); }

 private:
  u64 size_before(const Frame& frame, u64 offset);
  Disassembler* disassembler(Isa isa);

  CodeReader reader_;
  std::map<Isa, std::unique_ptr<Disassembler>> disassemblers_;  // null: not supported
  std::unordered_map<u32, u64> sizes_;  // by frame: size of the previous instruction; 0: unknown
  std::vector<std::byte> code_;
  std::vector<u64> chain_;
};

}  // namespace peregrine
