// Queries: everything a screen can ask about a profile. Implemented by HistQueries over a Hists, and by a table in
// tests.
//
// A screen describes how to look at the profile and gets rows; it computes nothing. Results are valid until the next
// page() or until the profile changes.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/annotate/listing.h"
#include "analysis/annotate/symbol_hits.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/kept_samples.h"
#include "analysis/hist/picture/flame_tree.h"
#include "analysis/hist/row/call_graph.h"
#include "analysis/hist/row/row_table.h"
#include "analysis/hist/row/row_tree.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// One step of narrowing down. The screen shows the steps and removes them one at a time.
struct Zoom {
  enum class Kind : u8 { Thread, Comm, Socket, Dso, Kernel, Symbol };
  Kind kind = Kind::Dso;
  std::string name;  // as shown; for Dso and Symbol it is also compared
  u64 value = 0;     // for Thread its tid, for Comm and Socket the number
};

struct BrowseLook {
  std::size_t table = 0;
  std::vector<Zoom> trail;
  std::string filter;          // case-insensitive text in a symbol, dso or comm
  bool search_chains = false;  // alternatively: keep samples with this text in a symbol of their chain
  double percent_limit = 0;
  bool relative = false;                // percentages of what passes the trail
  std::optional<u32> sort_member = {};  // sort by this group member's sums instead of the default
};

// The rows for one look, in order.
struct BrowsePage {
  const RowTable* table = nullptr;
  std::vector<u32> rows;  // indices into table->rows()
  u64 total = 0;          // 100 %
  u64 samples = 0;        // that pass the trail
  u64 period = 0;
};

struct TableLine {
  std::string name;
  u64 samples = 0, period = 0;
};

// A name with a sum, e.g. a caller, callee, thread or socket.
struct NamedSum {
  std::string name;
  u64 period = 0, samples = 0;
  u64 value = 0;  // a thread's tid, a socket's number
};

// Callers and callees of a function, each with the period of that edge.
struct Butterfly {
  std::string name;
  u64 own = 0, whole = 0, total = 0;
  std::vector<NamedSum> callers, callees;  // largest first
};

struct AnnotatedCode {
  Listing listing;
  SymbolHits hits;
  std::vector<Hits> totals;  // of the whole profile, by event
  std::vector<u32> events;
  std::string dso;
  std::function<void(Listing&)> add_types;  // adds the data type each instruction accesses; may be empty
};

struct Progress {
  bool complete = true;
  double share = 0;  // fraction of the recording that was read
};

// In ns since the first sample of the recording.
struct ActivityTime {
  u64 start = 0;
  u64 length = 0;  // 0: unknown
};

class Queries {
 public:
  virtual ~Queries() = default;

  virtual std::vector<TableLine> tables() = 0;
  virtual const BrowsePage& page(const BrowseLook& look) = 0;
  // The rows of the last page as a tree with a level per sort key; valid until the next page.
  virtual const RowTree& tree() = 0;
  // Callers or callees of a row of the last page.
  virtual CallGraph graph(u32 row) = 0;
  // A row's self samples by thread or socket; empty if unknown.
  virtual std::vector<NamedSum> parts(u32 row, Zoom::Kind by) = 0;
  // The same for the samples with the row's function in their chain.
  virtual std::vector<NamedSum> parts_through(u32 row, Zoom::Kind by) = 0;
  // The kept self samples of a row, ordered by time.
  virtual std::vector<KeptSample> samples(u32 row) = 0;
  virtual Butterfly butterfly(const BrowseLook& look, const std::string& symbol) = 0;
  virtual FlameTree flames(const BrowseLook& look) = 0;
  // The frame with this id. In a live profile, ids change with each look; frames do not.
  virtual HistFrame frame(HistFrameId id) = 0;
  // The code of a frame's function, or why it cannot be shown.
  virtual Result<AnnotatedCode> annotate(const HistFrame& frame, std::size_t table) = 0;
  virtual HistFrameId frame_of(u32 row) = 0;
  virtual std::string describe_dso(HistFrameId frame) = 0;
  virtual std::string header() = 0;
  // Samples over time, split into that many parts; empty if times are unknown.
  virtual std::vector<u64> activity(std::size_t parts) = 0;
  // The time that activity() covers.
  virtual ActivityTime activity_time() = 0;
  virtual Progress progress() = 0;
};

// Case-insensitive (ASCII) search: "abc" is in "xABCy".
bool contains_any_case(std::string_view text, std::string_view part);

}  // namespace peregrine
