// The screen of `c2c report`: the cache lines that CPUs contend for, the code that accesses each, and the functions
// that share them.
#pragma once
#include <span>
#include <string>

#include "analysis/sharing/access_counts.h"
#include "analysis/sharing/function_sharing.h"
#include "analysis/sharing/line_sharing.h"
#include "base/result.h"
#include "output/text/access/sharing_text.h"
#include "output/tui/screen/screen.h"

namespace peregrine::tui {

// Everything referred to must outlive the screen.
struct SharingView {
  std::span<const SharedLine> lines;  // in the order of the list
  const AccessCounts& all;
  std::span<const ContendedFunction> functions;
  bool has_functions = true;  // false: each row may cover several functions
  bool functions_first = false;
};

// Shows the lines, or the functions, until the user leaves. `plugins`: the folder with the screen's plug-in. Errors: as
// open_screen().
Result<> show_sharing(const std::string& plugins, const ScreenOptions& options, const SharingView& view,
                      SharingLook look);
// On a screen that is already open.
void show_sharing(Screen& screen, const SharingView& view, SharingLook look);

}  // namespace peregrine::tui
