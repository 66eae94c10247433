// ScriptLinesRequest: which lines script prints for the samples of a recording. ScriptStacks: how to read their stacks,
// for lines, profiles and users' scripts alike.
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

// Records to show in addition to the samples.
struct ShownRecords {
  bool mmaps = false, tasks = false, switches = false, losses = false, namespaces = false, cgroups = false,
       rounds = false, bpf = false, text_pokes = false;
};

struct ScriptLinesRequest {
  ScriptFields fields;
  std::string format = {};                // "" and "perf": columns; "ftrace", "lttng", "csv", "jsonl", "binary"
  std::vector<std::string> columns = {};  // fields of binary rows; none: the default ones
  ScriptStacks stacks = {};
  ShownRecords records = {};
  // Comma-separated lists.
  std::string symbols = {};               // only samples in these; hexadecimal numbers can also be addresses
  std::string dsos = {};                  // only samples in these
  std::string stop_at = {};               // symbols that end call chains
  std::string graph_functions = {};       // only these and their callees
  std::optional<u64> address_range = {};  // bytes at each address in `symbols`
  bool merge_chains = true;               // merge deferred call chains into their samples
  bool nanoseconds = false, relative = false, delta = false, latency = false;
  ScriptBranches branches = ScriptBranches::All;
  ScriptAddresses addresses = ScriptAddresses::AsPerf;
  std::optional<bool> inlined = {};  // unset: inlined functions of unwound chains only
  unsigned max_blocks = 0;           // 0: all
  bool mnemonics = false;
  bool detailed_counters = false;  // events of branch counters, with their names
  bool decoded = false;            // samples were decoded from hardware traces and form a stream
  bool check_order = false;        // count misordered samples instead of printing them
  bool dump = false;               // every record as numbers and bytes, in time order
  bool dump_unsorted = false;      // the same, in file order
  std::string dump_stem = {};      // write samples to a file per event, STEM.EVENT.dump; empty: do not
  bool full_source_path = false;

  bool dumps() const { return dump || dump_unsorted; }
  // Deferred chains are separate records. Formats for programs always have complete chains.
  bool shows_deferred_chains() const { return !merge_chains && !stacks.hidden && (format.empty() || format == "perf"); }
};

}  // namespace peregrine
