// WatchpointMover: samples of data breakpoints at the instruction that accessed the data.
//
// x86 reports such an access after it has happened, so the sampled address is that of the next instruction. Code is
// decoded from the function's start; where that does not lead to the sampled address (a jump that read the data, a
// function without symbol, no file), the sample stays as it is. One per worker.
#pragma once
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "abi/attr.h"
#include "abi/sample.h"
#include "data/header/evlist.h"
#include "insn/disassembler.h"
#include "machine/machine.h"
#include "machine/resolver/code_reader.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

// Whether an event's samples are accesses of data that the processor watches.
bool is_watchpoint(const abi::EventAttr& attr);

// Unsupported: there are watchpoints, and the library that reads x86's instructions is not installed.
Result<> check_watchpoints(const data::Evlist& evlist);

class WatchpointMover {
 public:
  explicit WatchpointMover(const Machine& machine) : reader_(machine.dsos()) {}

  // Changes ip, and the first frame of the callchain where it is the ip too; until the next call.
  void move(const Resolver::Context& context, Resolver& resolver, abi::Sample& sample);

 private:
  u64 size_before(const Frame& frame, u64 offset);
  Disassembler* disassembler(Isa isa);

  CodeReader reader_;
  std::map<Isa, std::unique_ptr<Disassembler>> disassemblers_;  // null: nobody reads that one
  std::unordered_map<u32, u64> sizes_;                          // by frame: of the instruction before it; 0: unknown
  std::vector<std::byte> code_;
  std::vector<u64> chain_;
};

}  // namespace peregrine
