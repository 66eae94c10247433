// show_live_screen(): a live profile on the interactive screen: the browser of report over rows that change.
#pragma once
#include "output/tui/screen/screen.h"
#include "session/live/live_settings.h"
#include "session/live/live_view.h"

namespace peregrine {

// Runs until q, a signal, or the end of the target. `view` and `screen` are borrowed until then.
void show_live_screen(LiveView& view, const LiveSettings& settings, tui::Screen& screen);

}  // namespace peregrine
