// Values of record's options that need parsing: branch filters, registers, control groups, kinds of synthesised
// records. Callbacks of the table in record_options.cc.
#pragma once
#include "base/result.h"
#include "cli/option/option.h"
#include "cmd/record/record_options.h"

namespace peregrine::cmd {

Result<> choose_branches(RecordCommandOptions& options, const Use& use);        // -j
Result<> any_branch(RecordCommandOptions& options, const Use& use);             // -b
Result<> choose_intr_registers(RecordCommandOptions& options, const Use& use);  // -I
Result<> choose_user_registers(RecordCommandOptions& options, const Use& use);  // --user-regs
Result<> choose_cgroups(RecordCommandOptions& options, const Use& use);         // -G, binds to the events before it
Result<> choose_synthesis(RecordCommandOptions& options, const Use& use);       // --synth
Result<> only_user(RecordCommandOptions& options, const Use& use);              // --all-user
Result<> only_kernel(RecordCommandOptions& options, const Use& use);            // --all-kernel
Result<> add_events(RecordCommandOptions& options, const Use& use);             // -e
Result<> add_pfm_events(RecordCommandOptions& options, const Use& use);         // --pfm-events
Result<> add_filter(RecordCommandOptions& options, const Use& use);             // --filter, binds to the -e before it
Result<> choose_frequency(RecordCommandOptions& options, const Use& use);       // -F
Result<> want_callgraph(RecordCommandOptions& options, const Use& use);    // -g, with the mode chosen by --call-graph
Result<> choose_callgraph(RecordCommandOptions& options, const Use& use);  // --call-graph
Result<> choose_ring_size(RecordCommandOptions& options, const Use& use);  // -m
Result<> no_inherit(RecordCommandOptions& options, const Use& use);        // -i
Result<> no_bpf_event(RecordCommandOptions& options, const Use& use);      // --no-bpf-event

}  // namespace peregrine::cmd
