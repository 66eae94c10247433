// Queries: everything a screen may ask of a profile. Implemented over a Hists by HistQueries, by a table in tests.
//
// A screen says how it wants to look at the profile and gets rows; it computes nothing. What is given out stays valid
// until the next page() or until the profile changes.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/annotate/listing.h"
#include "analysis/annotate/symbol_hits.h"
#include "analysis/hist/picture/flame_tree.h"
#include "analysis/hist/row/call_graph.h"
#include "analysis/hist/row/row_tree.h"

namespace peregrine {

// One step of narrowing down. The steps so far are the way that a screen shows, and takes back one by one.
struct Zoom {
  enum class Kind : u8 { Thread, Comm, Socket, Dso, Kernel, Symbol };
  Kind kind = Kind::Dso;
  std::string name;  // as it is shown; of Dso and Symbol it is what is compared
  u64 value = 0;     // of Thread its tid, of Comm and Socket the number
};

struct BrowseLook {
  std::size_t table = 0;
  std::vector<Zoom> trail;
  std::string filter;          // rows that have it in a symbol, dso or comm, whatever the case
  bool search_chains = false;  // or samples that have it in a symbol of their chain
  double percent_limit = 0;
  bool relative = false;                // shares of what the trail leaves
  std::optional<u32> sort_member = {};  // of a group, whose sums order the rows, if not those that were asked for
};

// The rows of one look, in order.
struct BrowsePage {
  const RowTable* table = nullptr;
  std::vector<u32> rows;  // indices in table->rows()
  u64 total = 0;          // what 100 % is
  u64 samples = 0;        // that the trail leaves
  u64 period = 0;
};

struct TableLine {
  std::string name;
  u64 samples = 0, period = 0;
};

// A name with a sum: of callers and callees, of threads, of sockets.
struct NamedSum {
  std::string name;
  u64 period = 0, samples = 0;
  u64 value = 0;  // a thread's tid, a socket's number
};

// Who calls a function and whom it calls, each with the period that goes that way.
struct Butterfly {
  std::string name;
  u64 own = 0, whole = 0, total = 0;
  std::vector<NamedSum> callers, callees;  // largest first
};

struct AnnotatedCode {
  Listing listing;
  SymbolHits hits;
  std::vector<Hits> totals;  // of the profile, by event
  std::vector<u32> events;
  std::string dso;
  std::function<void(Listing&)> add_types;  // what type of data each instruction touches; may be none
};

struct Progress {
  bool complete = true;
  double share = 0;  // of what there is to read
};

class Queries {
 public:
  virtual ~Queries() = default;

  virtual std::vector<TableLine> tables() = 0;
  virtual const BrowsePage& page(const BrowseLook& look) = 0;
  // The rows of the last page as a tree, a level for each sort key; until the next page.
  virtual const RowTree& tree() = 0;
  // Of a row of the last page: its callers or callees.
  virtual CallGraph graph(u32 row) = 0;
  // Its own samples by thread or by socket; none where that is not known.
  virtual std::vector<NamedSum> parts(u32 row, Zoom::Kind by) = 0;
  // Of its own samples, those that were kept, in order of time.
  virtual std::vector<KeptSample> samples(u32 row) = 0;
  virtual Butterfly butterfly(const BrowseLook& look, const std::string& symbol) = 0;
  virtual FlameTree flames(const BrowseLook& look) = 0;
  // The function of a frame, or why it cannot be shown.
  virtual Result<AnnotatedCode> annotate(HistFrameId frame, std::size_t table) = 0;
  virtual HistFrameId frame_of(u32 row) = 0;
  virtual std::string describe_dso(HistFrameId frame) = 0;
  virtual std::string header() = 0;
  // Samples by time, in as many parts; empty where times are not known.
  virtual std::vector<u64> activity(std::size_t parts) = 0;
  virtual Progress progress() = 0;
};

// "abc" in "xABCy", of ASCII letters.
bool contains_any_case(std::string_view text, std::string_view part);

}  // namespace peregrine
