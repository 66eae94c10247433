// The top line of row views: number of samples, event, and progress of reading. Also the colour of a percentage.
#pragma once
#include <cstddef>

#include "analysis/browse/queries.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/settings.h"

namespace peregrine::tui {

void draw_profile_title(Canvas& canvas, Queries& queries, const ReportSettings& settings, const BrowsePage& page,
                        std::size_t table);
Style heat(double percent);

}  // namespace peregrine::tui
