// The options of script: struct and table. Filled by the parser, read by script.cc.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cmd/recording/format_option.h"
#include "cmd/recording/recording.h"
#include "cmd/recording/trace_choice.h"
#include "output/text/field/script_fields.h"
#include "output/text/script/script_sample.h"

namespace peregrine::cmd {

struct ScriptOptions {
  std::string input;
  SymbolOptions symbols;
  ScriptFields fields;
  std::vector<std::string> field_warnings;
  std::string comms, pids, tids, cpus, times, symbol_list, dso_list, stop_at;
  unsigned max_stack = 127;
  bool stitch_lbr = false, accessing = false;
  bool merge_chains = true;  // --no-merge-callchains: false
  bool hide_chains = false;
  bool nanoseconds = false, relative = false, delta = false, latency = false;
  bool header = false, header_only = false, info = false;
  bool show_kernel_path = false;
  bool mmaps = false, tasks = false, switches = false, losses = false, namespaces = false, cgroups = false,
       rounds = false, bpf = false, text_pokes = false;
  TraceChoice traces;
  ScriptBranches branches = ScriptBranches::All;        // --call-trace, --call-ret-trace
  ScriptAddresses addresses = ScriptAddresses::AsPerf;  // --addr
  std::string graph_functions;
  bool guest_code = false;
  SwitchOptions switching;
  std::optional<u64> address_range;
  FormatOptions format;                                  // --format, -o
  std::string count_by, sum, histogram, pair, pair_key;  // answers instead of samples
  std::string heat_map;                                  // file for a picture of the pairs
  bool per_event = false;
  bool check_order = false;                  // -d
  bool dump = false, dump_unsorted = false;  // -D
  bool full_source_path = false;
  unsigned max_blocks = 0;      // 0: all
  bool mnemonics = false;       // --xed
  std::optional<bool> inlined;  // not said: where stacks were unwound
  bool all_cpus = false;        // for scripts that record
  std::string script;           // -s
  std::string generated;        // -g: the language
  bool list = false;            // -l
  std::string dlfilter;
  std::vector<std::string> dlfilter_arguments;
  bool list_dlfilters = false;
  int verbose = 0;
};

// Prints the recording; script.cc.
Result<int> script(ScriptOptions& options, Invocation& call);

}  // namespace peregrine::cmd
