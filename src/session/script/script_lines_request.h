// ScriptLinesRequest: which lines script prints of the samples of a recording. ScriptStacks: how their stacks are read,
// which is the same for lines, for profiles and for users' scripts.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/types.h"
#include "output/text/field/script_fields.h"
#include "output/text/field/script_frames.h"
#include "output/text/field/script_plan.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct ScriptStacks {
  unsigned max_stack = 127;  // frames
  bool hidden = false;       // only the sampled address
  bool stitch_lbr = false;   // join the branch stacks of successive samples
  bool accessing = false;    // see ReplayOptions

  void apply(ReplayOptions& replay) const {
    replay.unwind = !hidden;
    replay.max_stack = max_stack;
    replay.stitch_branches = stitch_lbr;
    replay.accessing = accessing;
  }
};

// Records that are shown beside the samples.
struct ShownRecords {
  bool mmaps = false, tasks = false, switches = false, losses = false, namespaces = false, cgroups = false,
       rounds = false, bpf = false, text_pokes = false;
};

struct ScriptLinesRequest {
  ScriptFields fields;
  std::string format = {};                // "" and "perf": columns; "ftrace", "lttng", "csv", "jsonl", "binary"
  std::vector<std::string> columns = {};  // of binary rows; none: the usual ones
  ScriptStacks stacks = {};
  ShownRecords records = {};
  // Lists, separated by commas.
  std::string symbols = {};               // only samples in these; hexadecimal numbers are addresses as well
  std::string dsos = {};                  // only samples in these
  std::string stop_at = {};               // symbols that end call chains
  std::string graph_functions = {};       // only these and what they call
  std::optional<u64> address_range = {};  // bytes at each address of `symbols`
  bool merge_chains = true;               // deferred call chains become part of their samples
  bool nanoseconds = false, relative = false, delta = false, latency = false;
  ScriptBranches branches = ScriptBranches::All;
  ScriptAddresses addresses = ScriptAddresses::AsPerf;
  std::optional<bool> inlined = {};  // nothing: inlined functions of unwound chains only
  unsigned max_blocks = 0;           // 0: all
  bool mnemonics = false;
  bool detailed_counters = false;  // events of branch counters with their names
  bool decoded = false;            // the samples were decoded from hardware traces and come as a stream
  bool check_order = false;        // count misordered samples instead of printing them
  bool dump = false;               // every record as numbers and bytes, by time
  bool dump_unsorted = false;      // the same, in file order
  std::string dump_stem = {};      // samples go to a file per event, STEM.EVENT.dump; empty: they do not
  bool full_source_path = false;

  bool dumps() const { return dump || dump_unsorted; }
  // Deferred chains are records of their own. Formats for programs always have whole chains.
  bool shows_deferred_chains() const { return !merge_chains && !stacks.hidden && (format.empty() || format == "perf"); }
};

}  // namespace peregrine
