// CodeAnnotator: prints the functions that samples hit, hottest first, with the share of each line or instruction, as
// text, csv or json.
//
// One thread. Symbols without code to show are collected by reason, for finish().
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/annotate/symbol_hits.h"
#include "analysis/annotate/symbol_listings.h"
#include "base/types.h"
#include "data/header.h"
#include "data/header/evlist.h"
#include "machine/machine.h"
#include "output/json/annotate_json.h"
#include "output/sink.h"
#include "output/text/annotate/annotate_page.h"
#include "session/session_listener.h"

namespace peregrine {

// The style of annotated code.
struct AnnotateLook {
  AnnotateStyle style;
  bool compact = false;      // with arrows and labels instead of addresses
  std::string format;        // csv, json or jsonl; empty: text
  double percent_limit = 0;  // of one function
};

class CodeAnnotator {
 public:
  // `machine`, `hits` and `out` must outlive this. `names`: of all events. Prints everything before the first function.
  CodeAnnotator(const Machine& machine, const RecordedHits& hits, std::vector<std::string> names,
                ListingRequest listings, AnnotateLook look, Sink& out);

  // Adds BPF programs, which have their code in the recording.
  void add_programs(const data::Header& header) { listings_.add_programs(header.features, header.order); }
  // Prints the functions hit by a table's events.
  void print(const std::vector<u32>& events, const data::Evlist& evlist);
  // Prints everything after the last function, and warns about symbols without code, unless the listener is null.
  void finish(SessionListener* listener);

 private:
  struct Reason {
    std::string hint;
    std::vector<std::string> symbols;
  };

  void print_symbol(const SymbolHits& symbol, const std::vector<u32>& events, const data::Evlist& evlist);
  void print_formatted(const AnnotatePage& page);

  const Machine& machine_;
  const RecordedHits& hits_;
  std::vector<std::string> names_;
  bool types_;
  SymbolListings listings_;
  AnnotateLook look_;
  Sink& out_;
  std::map<std::string, Reason> missing_;  // by error message
  std::optional<AnnotateJson> json_;
};

}  // namespace peregrine
