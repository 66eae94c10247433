// Comparison of branch stacks: cycles of blocks (-c cycles) and hot streams (--stream).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cmd/diff/diff_file.h"
#include "cmd/export/rows_writer.h"

namespace peregrine::cmd {

// The keys of a DiffFile's blocks.
Columns block_columns();

// One event of the baseline. `columns`: of the functions; `writer`: null for text.
void compare_blocks(const DiffOptions& options, const Columns& columns,
                    const std::vector<std::unique_ptr<DiffFile>>& files, u32 event, RowsWriter* writer,
                    Invocation& call);
void compare_streams(const std::vector<std::unique_ptr<DiffFile>>& files, u32 event, Invocation& call);

// Errors: Usage, what the options want of the recordings and these do not have.
Result<> check_branches(const DiffOptions& options, std::size_t files);
Result<> check_stacks(const DiffOptions& options, const OpenedRecording& recording, std::string_view name);

}  // namespace peregrine::cmd
