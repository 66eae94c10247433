// Values of record's options that are more than a number or a name: branch filters, registers, control groups, what is
// synthesised. The callbacks of the table in record_options.cc.
#pragma once
#include "cmd/record_options.h"

namespace peregrine::cmd {

Result<> choose_branches(RecordCommandOptions& options, const Use& use);        // -j
Result<> any_branch(RecordCommandOptions& options, const Use& use);             // -b
Result<> choose_intr_registers(RecordCommandOptions& options, const Use& use);  // -I
Result<> choose_user_registers(RecordCommandOptions& options, const Use& use);  // --user-regs
Result<> choose_cgroups(RecordCommandOptions& options, const Use& use);         // -G, binds to the events before it
Result<> choose_synthesis(RecordCommandOptions& options, const Use& use);       // --synth
Result<> only_user(RecordCommandOptions& options, const Use& use);              // --all-user
Result<> only_kernel(RecordCommandOptions& options, const Use& use);            // --all-kernel

}  // namespace peregrine::cmd
