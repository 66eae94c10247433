// A page of rows as plain text, one line a row: what P and X write into files.
#pragma once
#include "analysis/browse/queries.h"
#include "output/sink.h"

namespace peregrine::tui {

void print_page(Sink& out, const BrowsePage& page);

}  // namespace peregrine::tui
