// SharingSession: the cache lines that CPUs contend for, from one pass over a recording of data accesses, and the names
// of the code that accessed them. For c2c report.
//
//   SharingSession session(recording, request);
//   PEREGRINE_TRY(session.read(listener));
//   print_shared_lines(session.lines(), session.all(), session.look(), out);
//
// The recording must outlive the session. Main thread only.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hist/row/graph_options.h"
#include "analysis/sharing/access_counts.h"
#include "analysis/sharing/function_sharing.h"
#include "analysis/sharing/line_sharing.h"
#include "base/result.h"
#include "machine/resolver/resolver.h"
#include "machine/source/source_table.h"
#include "output/sink.h"
#include "output/text/access/sharing_text.h"
#include "session/memory/sharing_callers.h"
#include "session/recording/traced_recording.h"
#include "session/session_listener.h"

namespace peregrine {

// What distinguishes the rows of a line.
struct SharingGrouping {
  std::string fields = "iaddr";  // as given by the user, comma-separated
  SharingKeys keys = {};
};
// "pid,tid,iaddr,dso" or a subset. Errors: Usage, an unknown field.
Result<SharingGrouping> parse_sharing_grouping(std::string_view fields);

struct SharingRequest {
  SharingGrouping grouping;
  std::string display;  // sort lines by "tot", "lcl", "rmt", "peer"; empty: by the recorded architecture
  NodeLook nodes = NodeLook::Ids;
  GraphOptions graph;
  bool stitch_branches = false;
  bool double_lines = false;  // treat neighbouring lines as one
  bool show_all = false;      // include lines with few or no HITMs
  bool shows_source = true;
};
// Errors: Usage, the request is for functions, but its rows merge different code.
Result<> check_has_functions(const SharingGrouping& grouping);

class SharingSession {
 public:
  SharingSession(TracedRecording& recording, SharingRequest request);
  SharingSession(const SharingSession&) = delete;
  SharingSession& operator=(const SharingSession&) = delete;

  // Errors: Usage, an unknown `display`; a broken file.
  Result<> read(SessionListener& listener);

  // Everything below is valid after read(). False: the recording has no samples of data accesses, so there is nothing
  // to show.
  bool any() const { return all_.records != 0; }
  const AccessCounts& all() const { return all_; }
  std::span<const SharedLine> all_lines() const { return all_lines_; }
  std::span<const SharedLine> lines() const { return lines_; }  // the contended ones, sorted
  std::span<const ContendedFunction> functions() const { return functions_; }
  // False: the rows do not distinguish code addresses, so each may cover several functions.
  bool has_functions() const { return look_.keys.code; }
  const SharingLook& look() const { return look_; }

 private:
  void name_code();

  TracedRecording& recording_;
  SharingRequest request_;
  std::optional<SharingCallers> callers_;
  std::optional<Resolver> resolver_;
  std::optional<SourceTable> sources_;
  AccessCounts all_;
  std::vector<SharedLine> all_lines_, lines_;
  std::vector<ContendedFunction> functions_;
  SharingLook look_;
};

// How a session is printed as text.
struct SharingText {
  bool functions = false;  // show functions that share lines instead of lines
  bool statistics_only = false;
};
void print_sharing(const SharingSession& session, const SharingText& text, Sink& out);

}  // namespace peregrine
