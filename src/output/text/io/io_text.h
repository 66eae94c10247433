// The table of `io`: system calls, page cache and block I/O, as a tree by process, file and operation.
#pragma once
#include "analysis/io/io_row.h"
#include "output/sink.h"

namespace peregrine {

// At most `most` parts of each node; 0: all.
void print_io_tree(const IoNode& tree, unsigned most, Sink& out);

}  // namespace peregrine
