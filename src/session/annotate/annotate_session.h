// annotate_recording(): prints a recording for `annotate`, as text or rows: the code of functions, or the types of
// data that instructions access, with the samples that hit them.
//
//   records ─▶ HitCollector     ─▶ CodeAnnotator      functions, instruction by instruction
//           └▶ TypeHitCollector ─▶ print_data_types   data types, member by member, and counts of both
//
// Main thread only, except for the replay.
#pragma once
#include <string>

#include "analysis/annotate/symbol_listings.h"
#include "base/result.h"
#include "output/sink.h"
#include "session/annotate/code_annotator.h"
#include "session/recording/opened_recording.h"
#include "session/recording/symbol_request.h"
#include "session/sandbox/denied_files.h"
#include "session/session_listener.h"

namespace peregrine {

// Data types, which are shown instead of functions if any of these is requested.
struct AccessedTypes {
  bool members = false;       // tables of data types
  std::string type;           // only this type; empty: all
  bool skip_empty = false;    // omit events without samples
  bool counts = false;        // how many samples access data of a known type, and why others do not
  bool instructions = false;  // the same, by kind of instruction

  bool any() const { return members || counts || instructions; }
};

struct AnnotateRequest {
  std::string recording;                   // its name in messages
  std::string dsos, cpus;                  // comma-separated; empty: all
  std::string symbol;                      // only this symbol; empty: all
  bool accessing = false;                  // move data breakpoints to the instruction that accessed the data
  bool group = true, group_given = false;  // events of a group share a table
  ListingRequest listings;
  AnnotateLook look;
  AccessedTypes types;
  bool skip_missing = false;  // do not report functions without code
  bool dump = false;          // print all records instead
  std::string file;           // the output file; empty: standard output
};

enum class AnnotateEnd {
  Shown,
  NothingFound,  // no samples, or none in the symbol (already reported)
  Unreadable,    // likewise, and the symbol may be in a file that could not be read
  NoCpus,        // samples cannot be selected by CPU (already reported)
};
// `recording` is decoded. Errors: Usage; reading, after the samples before the damage were shown. Symbols are searched
// for only if the request fits the recording.
Result<AnnotateEnd> annotate_recording(OpenedRecording& recording, const SymbolRequest& symbols,
                                       const AnnotateRequest& request, const ReaderConfinement& confinement, Sink& out,
                                       SessionListener& listener);

}  // namespace peregrine
