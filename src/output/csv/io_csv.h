// The figures of `io` as CSV. Pure.
#pragma once
#include <span>
#include <string_view>

#include "analysis/io/io_row.h"
#include "output/sink.h"

namespace peregrine {

// A header and one line per leaf, with bytes, pages and ns as plain numbers.
void print_io_csv(const IoNode& tree, std::span<const IoKey> keys, std::string_view separator, Sink& out);

}  // namespace peregrine
