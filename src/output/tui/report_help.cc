// What ReportView's keys do, in words.
#include "output/tui/report_view.h"

namespace peregrine::tui {

namespace {

constexpr std::string_view kReportHelp =
    "Moving\n"
    "  Up Down PgUp PgDn Space    lines and pages; the mouse wheel, too\n"
    "  Home End                   first and last line\n"
    "  Tab, Shift-Tab             the next, the previous event\n"
    "  Enter, Right, m            what can be done with a row\n"
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
    "\nLess at a time\n"
    "  /                          rows with a text, as it is typed\n"
    "  n                          the same in any frame of the chains\n"
    "  d, t, k                    this library, thread, the kernel alone\n"
    "  S, Z                       this processor socket, this function alone\n"
    "  L                          least percentage\n"
    "  F                          shares of what is left, or of all\n"
    "  0-9                        rows by that event of a group\n"
    "\nOther views\n"
    "  a                          the code of a function\n"
    "  H                          names of columns on, off\n";

constexpr std::string_view kRecorded =
    "  T                          samples over time, and a range of it\n"
    "  i                          what is known of the recording\n"
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
    "  z                          each look shows what is new only\n"
    "  K, U                       without the kernel, without user space\n";

}  // namespace

std::string help_text(bool live) { return std::string(kReportHelp).append(live ? kLive : kRecorded); }

}  // namespace peregrine::tui
