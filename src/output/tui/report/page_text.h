// A page of rows as plain text, one row per line, for the files of P and X.
#pragma once
#include "analysis/browse/queries.h"
#include "output/sink.h"

namespace peregrine::tui {

void print_page(Sink& out, const BrowsePage& page);

}  // namespace peregrine::tui
