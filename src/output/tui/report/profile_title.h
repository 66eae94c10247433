// The top line of row views: number of samples, event, and progress of reading. Also the colour of a percentage.
#pragma once
#include <cstddef>
#include <string>

#include "analysis/browse/queries.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/settings.h"

namespace peregrine::tui {

void draw_profile_title(Canvas& canvas, Queries& queries, const ReportSettings& settings, const BrowsePage& page,
                        std::size_t table);
// Why a page has no rows; empty while the first samples are still being read.
std::string why_no_rows(Queries& queries, const ReportSettings& settings, const BrowseLook& look);
Style heat(double percent);

}  // namespace peregrine::tui
