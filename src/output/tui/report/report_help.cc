// ReportView's help screen.
#include <string>
#include <string_view>

#include "output/tui/report/report_view.h"

namespace peregrine::tui {

namespace {

constexpr std::string_view kReportHelp =
    "Moving\n"
    "  Up Down PgUp PgDn Space    lines and pages; the mouse wheel, too\n"
    "  Home End                   first and last line\n"
    "  Tab, Shift-Tab             the next, the previous event\n"
    "  Enter, Right, m            row menu\n"
    "  Esc, Left                  go back: from a zoom, a search, a view\n"
    "  u                          undo the last filter or zoom\n"
    "  q, Ctrl-C                  quit; q leaves a view\n"
    "\nCall chains\n"
    "  +                          expand or collapse one level\n"
    "  e, c                       expand, collapse a whole row\n"
    "  E, C                       expand, collapse all rows\n"
    "  V                          show library names\n"
    "  b                          callers and callees of this function\n"
    "  G                          flame graph\n"
    "\nFilter\n"
    "  /                          show only rows that contain text, as you type\n"
    "  n                          keep stacks that contain text\n"
    "  d, t, k                    show only this library, thread, the kernel\n"
    "  S, Z                       show only this processor socket, this function\n"
    "  L                          minimum percentage\n"
    "  F                          % of filtered samples, or of all\n"
    "  0-9                        sort by event N of the group\n"
    "\nOther views\n"
    "  a                          the code of a function\n"
    "  H                          show, hide column titles\n";

constexpr std::string_view kRecorded =
    "  T                          samples over time; select a range\n"
    "  i                          recording info\n"
    "  r                          run a script on the samples\n"
    "  P                          write the table to perf.hist.N\n"
    "  X                          write the visible rows to perf.shown.N\n"
    "  s                          open another recording in this folder\n"
    "  z                          same as Z\n";

constexpr std::string_view kLive =
    "  i                          sampling info\n"
    "  P                          write the table to perf.hist.N\n"
    "  X                          write the visible rows to perf.shown.N\n"
    "\nLive\n"
    "  f                          pause, resume sampling\n"
    "  z                          reset counts at each refresh\n"
    "  K, U                       hide kernel, user-space functions\n";

}  // namespace

std::string help_text(bool live) { return std::string(kReportHelp).append(live ? kLive : kRecorded); }

}  // namespace peregrine::tui
