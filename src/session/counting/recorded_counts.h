// The counts of `stat record`, read from a recording and printed again, with the recorded or a different aggregation.
// For stat report.
#pragma once
#include <optional>
#include <string>

#include "analysis/stat/stat_place.h"
#include "analysis/stat/stat_table.h"
#include "base/result.h"
#include "pipeline/counting/stat_reader.h"
#include "session/counting/stat_printer.h"

namespace peregrine {

// Unset: the recorded aggregation. Errors (Usage): per-thread counts cannot be aggregated by CPU.
Result<StatLayout> recorded_layout(const StatReader& reader, std::optional<StatAggregation> aggregation);

// The recorded command line in quotes, for the title.
std::string recorded_command(const StatReader& reader);

// Prints all intervals and the totals. Errors: those of the reader.
Result<> print_recorded_counts(StatReader& reader, const StatLayout& layout, StatPrinter& printer);

}  // namespace peregrine
