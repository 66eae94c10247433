// What ReportView's keys do, in words.
#include "output/tui/report_view.h"

namespace peregrine::tui {

namespace {

constexpr std::string_view kReportHelp =
    "Moving\n"
    "  Up Down PgUp PgDn Space    lines and pages; the mouse wheel, too\n"
    "  Home End                   first and last line\n"
    "  Tab, Shift-Tab             the next, the previous event\n"
    "  Enter, Right, m            row menu\n"
    "  Esc, Left                  one step back: out of a zoom, a search, a view\n"
    "  u                          undo the last change of what is shown\n"
    "  q, Ctrl-C                  quit; q leaves a view\n"
    "\nCall chains\n"
    "  +                          open or fold one level\n"
    "  e, c                       open, fold all of a row\n"
    "  E, C                       open, fold all rows\n"
    "  V                          with the names of libraries\n"
    "  b                          who calls this function, and whom it calls\n"
    "  G                          flame graph\n"
    "\nFilter\n"
    "  /                          rows with a text, as it is typed\n"
    "  n                          keep stacks that contain text\n"
    "  d, t, k                    this library, thread, the kernel alone\n"
    "  S, Z                       this processor socket, this function alone\n"
    "  L                          minimum percentage\n"
    "  F                          % of filtered samples, or of all\n"
    "  0-9                        sort by event N of the group\n"
    "\nOther views\n"
    "  a                          the code of a function\n"
    "  H                          names of columns on, off\n";

constexpr std::string_view kRecorded =
    "  T                          samples over time, and a range of it\n"
    "  i                          recording info\n"
    "  r                          scripts over its samples\n"
    "  P                          write the table to perf.hist.N\n"
    "  X                          write what is shown now to perf.shown.N\n"
    "  s                          another recording in this folder\n"
    "  z                          as Z\n";

constexpr std::string_view kLive =
    "  i                          what is being sampled\n"
    "  P                          write the table to perf.hist.N\n"
    "  X                          write what is shown now to perf.shown.N\n"
    "\nLive\n"
    "  f                          freeze, go on\n"
    "  z                          reset counts at each refresh\n"
    "  K, U                       without the kernel, without user space\n";

}  // namespace

std::string help_text(bool live) { return std::string(kReportHelp).append(live ? kLive : kRecorded); }

}  // namespace peregrine::tui
