// SymbolListings: produces the listing of any symbol: finds, disassembles and names its code and adds source.
//
// Used by annotate and by pages that show hot functions. Files and disassemblers stay open between symbols. One thread.
// Errors say what is missing on this machine; the same cause gives the same text for all symbols.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "analysis/annotate/listing.h"
#include "analysis/annotate/listing_source.h"
#include "analysis/annotate/symbol_code.h"
#include "analysis/data_type/data_type_table.h"
#include "base/bytes.h"
#include "base/result.h"
#include "data/feature/features.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"
#include "machine/machine.h"
#include "machine/process/moment.h"
#include "machine/source/source_text.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

struct ListingRequest {
  Syntax syntax = Syntax::Att;
  std::string objdump;        // path of a program to use instead of our disassemblers; empty: none
  std::string objdump_style;  // its -M
  SourcePlaces places;
  bool source = true;        // insert source lines
  bool source_place = true;  // at least resolve each instruction's place
  bool types = false;        // resolve the type of data each instruction accesses
};

class SymbolListings {
 public:
  // `machine` must outlive this and must not change any more.
  SymbolListings(const Machine& machine, ListingRequest request);
  ~SymbolListings();

  // Adds BPF programs, which have their code in the recording.
  void add_programs(const data::Features& features, ByteOrder order);

  Result<Listing> list(DsoId dso, SymbolIndex symbol);
  // Adds types to a listing made without them.
  void add_types(Listing& listing, DsoId dso, SymbolIndex symbol);

 private:
  Result<Listing> disassemble(DsoId dso, SymbolIndex symbol);
  Result<Disassembler*> disassembler_of(Isa isa, ByteOrder order);

  const Machine& machine_;
  ListingRequest request_;
  CodeFiles files_;
  ListingSources sources_;
  DataTypeTable types_;
  std::map<std::pair<Isa, ByteOrder>, std::unique_ptr<Disassembler>> disassemblers_;
};

}  // namespace peregrine
