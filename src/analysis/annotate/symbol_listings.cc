#include "analysis/annotate/symbol_listings.h"

#include <algorithm>
#include <cstddef>
#include <expected>

#include "analysis/annotate/listing.h"
#include "analysis/annotate/machine_names.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/feature/bpf/bpf_code.h"
#include "data/feature/features.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"
#include "insn/objdump.h"
#include "machine/machine.h"
#include "machine/process/moment.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

SymbolListings::SymbolListings(const Machine& machine, ListingRequest request)
    : machine_(machine),
      request_(std::move(request)),
      files_(machine),
      sources_(machine, request_.places),
      types_(machine.dsos()) {}

SymbolListings::~SymbolListings() = default;

void SymbolListings::add_programs(const data::Features& features, ByteOrder order) {
  if (!features.bpf_programs) return;
  const Isa isa = isa_of_arch(features.arch.value_or(""));
  for (const data::BpfProgram& program : *features.bpf_programs) {
    Bytes rest = data::bpf_program_code(program, order);
    for (std::size_t i = 0; i < std::min(program.addresses.size(), program.sizes.size()) && !rest.empty(); ++i) {
      const auto size = std::min<std::size_t>(program.sizes[i], rest.size());
      files_.add(program.addresses[i], rest.first(size), isa);
      rest = rest.subspan(size);
    }
  }
}

Result<Listing> SymbolListings::list(DsoId dso, SymbolIndex symbol) {
  auto listing = disassemble(dso, symbol);
  if (listing && (request_.source || request_.source_place)) sources_.add(*listing, dso, request_.source);
  if (listing && request_.types) add_types(*listing, dso, symbol);
  return listing;
}

void SymbolListings::add_types(Listing& listing, DsoId dso, SymbolIndex symbol) {
  if (!machine_.dsos().has_symbol(dso, symbol)) return;
  const u64 start = machine_.dsos().symbols(dso).start(symbol) - machine_.dsos().bias(dso);
  for (ListingLine& line : listing.lines)
    line.data_type = instruction_text(types_.at(types_.find({.address = start + line.offset, .dso = dso})));
}

Result<Listing> SymbolListings::disassemble(DsoId dso, SymbolIndex symbol) {
  auto code = files_.read(dso, symbol);
  if (!code) return std::unexpected(std::move(code.error()));
  std::string name = machine_.dsos().symbol_name(dso, symbol);
  MachineNames names(machine_, files_, dso);
  if (!request_.objdump.empty()) {
    auto instructions = run_objdump({.program = request_.objdump,
                                     .style = request_.objdump_style,
                                     .file = code->file,
                                     .begin = code->address,
                                     .end = code->address + code->bytes.size()});
    if (!instructions) return std::unexpected(std::move(instructions.error()));
    return make_listing(std::move(name), std::move(*code), std::move(*instructions), names);
  }
  auto disassembler = disassembler_of(code->isa, code->order);
  if (!disassembler) return std::unexpected(std::move(disassembler.error()));
  return make_listing(std::move(name), std::move(*code), **disassembler, names);
}

Result<Disassembler*> SymbolListings::disassembler_of(Isa isa, ByteOrder order) {
  std::unique_ptr<Disassembler>& slot = disassemblers_[{isa, order}];
  if (!slot) {
    auto opened = open_disassembler(isa, request_.syntax, order);
    if (!opened) return std::unexpected(std::move(opened.error()));
    slot = std::move(*opened);
  }
  return slot.get();
}

}  // namespace peregrine
