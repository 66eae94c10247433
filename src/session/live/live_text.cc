#include "session/live/live_text.h"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <mutex>
#include <utility>
#include <vector>

#include "analysis/annotate/symbol_hits.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/key/face_keys.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/row/row_table.h"
#include "analysis/hist/row/row_tree.h"
#include "base/result.h"
#include "base/types.h"
#include "output/terminal/terminal.h"
#include "output/text/annotate/annotate_page.h"
#include "output/text/format/printable.h"
#include "output/text/report/report_table.h"
#include "output/text/report/report_tree.h"
#include "output/text/report/top_page.h"
#include "session/report/event_tables.h"
#include "session/report/report_plan.h"
#include "session/report/report_request.h"

namespace peregrine {
namespace {

constexpr unsigned kHeadingRows = 4, kRowsBesideCode = 5;

}  // namespace

LiveText::LiveText(LiveView& view, LiveSettings settings, Terminal terminal, Sink& out)
    : view_(view),
      settings_(std::move(settings)),
      terminal_(terminal),
      out_(out),
      code_(view.profile().machine(), view.request().listing),
      mode_(terminal.keys) {}

Result<> LiveText::run() {
  for (;;) {
    auto woken = wait();
    if (!woken) return std::unexpected(std::move(woken.error()));
    if (*woken == LiveWake::Key) {
      char key = 0;
      if (::read(terminal_.keys, &key, 1) != 1) continue;
      auto goes_on = obey(key);
      if (!goes_on) return std::unexpected(std::move(goes_on.error()));
      if (!*goes_on) break;
      continue;
    }
    show();
    PEREGRINE_TRY(out_.flush());
    if (*woken == LiveWake::Ended) break;
  }
  return {};
}

Result<LiveWake> LiveText::wait() const {
  const int milliseconds = static_cast<int>(std::clamp(settings_.delay, 1u, 86'400u)) * 1000;
  return wait_live(view_.profile().ended_fd(), mode_.on() ? terminal_.keys : -1, milliseconds);
}

void LiveText::show() {
  view_.profile().look();
  const TerminalSize size = terminal_size(terminal_.screen);
  if (terminal_.clears) out_.append(kClearScreen);
  Sink heading;
  print_top_heading(heading, view_.heading(), terminal_.clears ? size.columns : 0);
  out_.append(heading.text());
  std::size_t rows = settings_.entries;
  if (rows == 0) rows = std::max(size.rows, kHeadingRows + 2) - kHeadingRows - (terminal_.clears ? 1 : 0);
  print_rows(settings_.annotated.empty() ? rows : std::min<std::size_t>(rows, kRowsBesideCode));
  if (!settings_.annotated.empty()) print_code();
  if (!terminal_.clears) out_.append('\n');
}

void LiveText::print_rows(std::size_t rows) {
  const Plan& plan = view_.plan();
  const ReportRequest& report = view_.request().report;
  view_.profile().with_names([&](Naming& naming) {
    const FaceTable faces(view_.profile().hists().frames(), naming, face_keys(plan.columns.keys));
    const bool several = plan.tables.size() > 1;
    for (const std::vector<u32>& events : plan.tables) {
      if (several) {
        if (view_.profile().hists().totals(events[0]).samples == 0) continue;
        out_.append("# ").append(table_name(plan.names, view_.evlist(), events)).append('\n');
      }
      const RowTable table(view_.profile().hists(), faces, naming, row_request(report, plan, events));
      TableText style;
      style.widths = parse_widths(report.look.column_widths);
      style.least_percent = settings_.least_percent;
      style.least_samples = settings_.least_samples;
      constexpr std::size_t kLeastRows = 3;  // on a small terminal; a number given by the user is exact
      style.most_rows =
          std::max<std::size_t>(several ? rows / plan.tables.size() : rows, settings_.entries == 0 ? kLeastRows : 1);
      style.titles = false;
      style.hidden = plan.hidden;
      style.graphs = plan.graphs;
      style.graph = plan.graph;
      Sink text;
      if (report.grouping.hierarchy)
        print_tree(text, RowTree(table, plan.columns.levels), style);
      else
        print_table(text, table, style);
      append_rows(text.text(), terminal_.clears ? style.most_rows : ~std::size_t{0});
    }
  });
}

void LiveText::print_code() {
  const std::scoped_lock lock(view_.profile().mutex());
  RecordedHits hits = view_.profile().hits();
  const auto named = [&](const SymbolHits& each) {
    return view_.profile().machine().dsos().symbol_name(each.dso, each.symbol) == settings_.annotated;
  };
  const auto found = std::ranges::find_if(hits.symbols, named);
  out_.append('\n');
  if (found == hits.symbols.end()) {
    out_.format("No samples in '{}' so far.\n", printable(settings_.annotated));
    return;
  }
  const HistFrame frame{.dso = found->dso.value, .symbol = found->symbol.value};
  const std::vector<u32> events = view_.plan().tables[0];
  code_.set_hits(std::move(hits));
  const auto code = code_.find(frame, events);
  if (!code) {
    out_.format("{}\n{}\n", code.error().message, code.error().hint);
    return;
  }
  print_annotate_page(out_,
                      {.listing = code->listing,
                       .hits = code->hits,
                       .totals = code->totals,
                       .events = events,
                       .dso = code->dso,
                       .dso_path = view_.profile().machine().dsos().at(code->hits.dso).name,
                       .event = table_name(view_.plan().names, view_.evlist(), events)},
                      {.code_bytes = view_.request().code_bytes});
}

// With call graphs, a row has many lines; limit the output to the lines and columns that fit on the screen.
void LiveText::append_rows(std::string_view text, std::size_t lines) {
  const unsigned width = terminal_size(terminal_.screen).columns;
  for (; !text.empty() && lines > 0; --lines) {
    const std::string_view line = text.substr(0, text.find('\n'));
    out_.append(terminal_.clears ? first_columns(line, width) : line).append('\n');
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
}

Result<std::string> LiveText::read_line() {
  mode_.pause();
  char line[256];
  const ssize_t size = ::read(terminal_.keys, line, sizeof line);
  mode_.resume();
  if (size < 0) return fail_errno("reading an answer");
  std::string text(line, static_cast<std::size_t>(size));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

Result<std::string> LiveText::ask(std::string_view question) {
  out_.append(question).append(": ");
  PEREGRINE_TRY(out_.flush());
  return read_line();
}

Result<char> LiveText::ask_key() {
  print_top_keys(out_, live_keys(settings_));
  PEREGRINE_TRY(out_.flush());
  pollfd waited{terminal_.keys, POLLIN, 0};
  char key = 0;
  if (::poll(&waited, 1, -1) > 0 && ::read(terminal_.keys, &key, 1) != 1) key = 'q';  // the terminal has gone
  return key;
}

Result<bool> LiveText::obey(char key) {
  if (!is_live_key(key)) {
    auto asked = ask_key();
    if (!asked) return std::unexpected(std::move(asked.error()));
    key = *asked;
  }
  auto goes_on = apply_live_key(key, settings_, [this](std::string_view question) { return ask(question); });
  if (!goes_on || !*goes_on) return goes_on;
  view_.profile().hide(settings_.hide_kernel, settings_.hide_user);
  view_.profile().set_zero(settings_.zero);
  return true;
}

}  // namespace peregrine
