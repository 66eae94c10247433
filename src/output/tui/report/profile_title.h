// The top line of views of rows: how many samples, of which event, and how much of a recording was read so far. And the
// colour of a share.
#pragma once
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/settings.h"

namespace peregrine::tui {

void draw_profile_title(Canvas& canvas, Queries& queries, const ReportSettings& settings, const BrowsePage& page,
                        std::size_t table);
Style heat(double percent);

}  // namespace peregrine::tui
