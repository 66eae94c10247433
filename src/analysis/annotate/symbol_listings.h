// SymbolListings: the listing of any symbol of a machine: its bytes found, disassembled, named, and with its source.
//
// What annotate prints and what pictures show of hot functions. Files and disassemblers stay open between symbols.
// One thread. Errors say what is missing on this machine, and are the same text for all symbols with the same reason.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "analysis/annotate/listing_source.h"
#include "analysis/annotate/symbol_hits.h"
#include "analysis/data_type/data_type_table.h"
#include "data/header.h"

namespace peregrine {

struct ListingRequest {
  Syntax syntax = Syntax::Att;
  std::string objdump;        // path of the program to ask instead of our disassemblers; empty: none
  std::string objdump_style;  // its -M
  SourcePlaces places;
  bool source = true;        // lines of source between the instructions
  bool source_place = true;  // at least each instruction's place in the source
  bool types = false;        // what type of data each instruction touches
};

class SymbolListings {
 public:
  // `machine` outlives it and changes no more.
  SymbolListings(const Machine& machine, ListingRequest request);
  ~SymbolListings();

  // BPF programs: their code is in the recording.
  void add_programs(const data::Features& features, ByteOrder order);

  Result<Listing> list(DsoId dso, SymbolIndex symbol);
  // What a listing does not have that was made without types.
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
