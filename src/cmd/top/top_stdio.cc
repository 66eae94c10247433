#include "cmd/top/top_stdio.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "analysis/hist/key/face_keys.h"
#include "base/number/real_number.h"
#include "cmd/report/event_tables.h"
#include "cmd/report/report_plan.h"
#include "output/terminal/terminal.h"
#include "output/text/annotate/annotate_page.h"
#include "output/text/format/printable.h"
#include "output/text/report/report_table.h"
#include "output/text/report/report_tree.h"

namespace peregrine::cmd {

namespace {

constexpr std::string_view kClearScreen = "\x1b[H\x1b[2J\x1b[3J";
constexpr unsigned kHeadingRows = 4, kRowsBesideCode = 5;

double share(u64 part, u64 whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string target_text(const TopView& view, const TopOptions& options) {
  const TargetRequest& target = options.record.target;
  if (!target.pids.empty()) return "target_pid: " + target.pids;
  if (!target.tids.empty()) return "target_tid: " + target.tids;
  if (!target.user.empty()) return "uid: " + target.user;
  if (!target.cpus.empty())
    return fmt::format("all, CPU{}: {}", target.cpus.find_first_of(",-") == std::string::npos ? "" : "s", target.cpus);
  return fmt::format("all, {} CPU{}", view.cpus, view.cpus == 1 ? "" : "s");
}

// "4000Hz cpu-clock": the first event, as it is sampled.
std::string event_text(const TopView& view) {
  if (view.evlist().empty()) return {};
  const abi::EventAttr& attr = view.evlist()[0].attr;
  std::string rate;
  if (attr.has(abi::attr_flag::Freq))
    rate = fmt::format("{}Hz ", attr.sample_period);
  else if (attr.sample_period > 1)
    rate = fmt::format("{} ", attr.sample_period);
  std::string names = view.plan.names.empty() ? "" : view.plan.names[0];
  if (const std::size_t more = view.plan.tables.size(); more > 1) names += fmt::format(" and {} more", more - 1);
  return rate + names;
}

}  // namespace

TopHeading heading_of(const TopView& view, const TopOptions& options) {
  const LiveCounts& counts = view.profile->counts();
  return {.samples_per_second = counts.seconds > 0 ? static_cast<double>(counts.samples) / counts.seconds : 0,
          .kernel = share(counts.kernel, counts.samples),
          .user = share(counts.user, counts.samples),
          .guest_kernel = share(counts.guest_kernel, counts.samples),
          .guest_user = share(counts.guest_user, counts.samples),
          .exact = share(counts.exact, counts.samples),
          .guests = counts.guest_kernel + counts.guest_user > 0,
          .lost = counts.lost,
          .all_lost = counts.all_lost,
          .dropped = counts.dropped,
          .all_dropped = counts.all_dropped,
          .event = event_text(view),
          .target = target_text(view, options),
          .own_cost = counts.own_cost};
}

TopStdio::TopStdio(TopView& view, TopOptions& options, Invocation& call)
    : view_(view),
      options_(options),
      call_(call),
      code_(view.profile->machine(), listing_request(options)),
      mode_(STDIN_FILENO),
      clears_(call.out_is_terminal) {}

Result<> TopStdio::run() {
  for (;;) {
    auto woken = wait();
    if (!woken) return std::unexpected(std::move(woken.error()));
    if (*woken == Woken::Key) {
      char key = 0;
      if (::read(STDIN_FILENO, &key, 1) != 1) continue;
      auto goes_on = obey(key);
      if (!goes_on) return std::unexpected(std::move(goes_on.error()));
      if (!*goes_on) break;
      continue;
    }
    show();
    PEREGRINE_TRY(call_.out.flush());
    if (*woken == Woken::Ended) break;
  }
  return {};
}

Result<TopStdio::Woken> TopStdio::wait() const {
  pollfd waited[] = {{view_.profile->ended_fd(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
  const int milliseconds = static_cast<int>(std::clamp(options_.delay, 1u, 86'400u)) * 1000;
  const int ready = ::poll(waited, mode_.on() ? 2 : 1, milliseconds);
  if (ready < 0 && errno != EINTR) return fail_errno("waiting for a key");
  if (waited[0].revents != 0) return Woken::Ended;
  return ready > 0 ? Woken::Key : Woken::Timer;
}

void TopStdio::show() {
  view_.profile->look();
  const TerminalSize size = terminal_size(STDOUT_FILENO);
  if (clears_) call_.out.append(kClearScreen);
  Sink heading;
  print_top_heading(heading, heading_of(view_, options_), clears_ ? size.columns : 0);
  call_.out.append(heading.text());
  std::size_t rows = options_.entries;
  if (rows == 0) rows = std::max(size.rows, kHeadingRows + 2) - kHeadingRows - (clears_ ? 1 : 0);
  print_rows(options_.annotated.empty() ? rows : std::min<std::size_t>(rows, kRowsBesideCode));
  if (!options_.annotated.empty()) print_code();
  if (!clears_) call_.out.append('\n');
}

void TopStdio::print_rows(std::size_t rows) {
  const Plan& plan = view_.plan;
  const ReportOptions& report = options_.report;
  view_.profile->with_names([&](Naming& naming) {
    const FaceTable faces(view_.profile->hists().frames(), naming, face_keys(plan.columns.keys));
    const bool several = plan.tables.size() > 1;
    for (const std::vector<u32>& events : plan.tables) {
      if (several) {
        if (view_.profile->hists().totals(events[0]).samples == 0) continue;
        call_.out.append("# ").append(table_name(plan.names, view_.evlist(), events)).append('\n');
      }
      const RowTable table(view_.profile->hists(), faces, naming, row_request(report, plan, events));
      TableText style;
      style.widths = parse_widths(report.column_widths);
      style.least_percent = report.percent_limit;
      style.least_samples = options_.least_samples;
      constexpr std::size_t kLeastRows = 3;  // of a small terminal; a number that the user gave is exact
      style.most_rows =
          std::max<std::size_t>(several ? rows / plan.tables.size() : rows, options_.entries == 0 ? kLeastRows : 1);
      style.titles = false;
      style.hidden = plan.hidden;
      style.graphs = plan.graphs;
      style.graph = plan.graph;
      Sink text;
      if (report.hierarchy)
        print_tree(text, RowTree(table, plan.columns.levels), style);
      else
        print_table(text, table, style);
      append_rows(text.text(), clears_ ? style.most_rows : ~std::size_t{0});
    }
  });
}

void TopStdio::print_code() {
  const std::scoped_lock lock(view_.profile->mutex());
  RecordedHits hits = view_.profile->hits();
  const auto named = [&](const SymbolHits& each) {
    return view_.profile->machine().dsos().symbol_name(each.dso, each.symbol) == options_.annotated;
  };
  const auto found = std::ranges::find_if(hits.symbols, named);
  call_.out.append('\n');
  if (found == hits.symbols.end()) {
    call_.out.format("No sample was in a function named {} so far.\n", printable(options_.annotated));
    return;
  }
  const HistFrame frame{.dso = found->dso.value, .symbol = found->symbol.value};
  const std::vector<u32> events = view_.plan.tables[0];
  code_.set_hits(std::move(hits));
  const auto code = code_.find(frame, events);
  if (!code) {
    call_.out.format("{}\n{}\n", code.error().message, code.error().hint);
    return;
  }
  print_annotate_page(call_.out,
                      {.listing = code->listing,
                       .hits = code->hits,
                       .totals = code->totals,
                       .events = events,
                       .dso = code->dso,
                       .dso_path = view_.profile->machine().dsos().at(code->hits.dso).name,
                       .event = table_name(view_.plan.names, view_.evlist(), events)},
                      {.code_bytes = options_.code_bytes});
}

// Call graphs make a row many lines: a screen takes what fits, and of each line what fits.
void TopStdio::append_rows(std::string_view text, std::size_t lines) {
  const unsigned width = terminal_size(STDOUT_FILENO).columns;
  for (; !text.empty() && lines > 0; --lines) {
    const std::string_view line = text.substr(0, text.find('\n'));
    call_.out.append(clears_ ? first_columns(line, width) : line).append('\n');
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
}

std::vector<TopKey> TopStdio::keys() const {
  const auto yes = [](bool on) { return std::string(on ? "yes" : "no"); };
  std::vector<TopKey> keys{
      {"d", "refresh interval in seconds", fmt::format("{}", options_.delay)},
      {"e", "number of rows", options_.entries == 0 ? "all" : fmt::format("{}", options_.entries)},
      {"f", "show rows with more samples than", fmt::format("{}", options_.least_samples)},
      {"F", "hide rows below this percentage", fmt::format("{:g}%", options_.report.percent_limit)},
      {"K", "hide kernel functions", yes(options_.hide_kernel)},
      {"U", "hide user-space functions", yes(options_.hide_user)},
      {"z", "reset counts at each refresh", yes(options_.zero)}};
  keys.push_back({"s", "annotate a function", options_.annotated.empty() ? "none" : options_.annotated});
  keys.push_back({"S", "stop annotating", ""});
  keys.push_back({"qQ", "quit", ""});
  return keys;
}

Result<std::string> TopStdio::read_line() {
  mode_.pause();
  char line[256];
  const ssize_t size = ::read(STDIN_FILENO, line, sizeof line);
  mode_.resume();
  if (size < 0) return fail_errno("reading an answer");
  std::string text(line, static_cast<std::size_t>(size));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

Result<std::string> TopStdio::ask(std::string_view question) {
  call_.out.append(question).append(": ");
  PEREGRINE_TRY(call_.out.flush());
  return read_line();
}

Result<char> TopStdio::ask_key() {
  print_top_keys(call_.out, keys());
  PEREGRINE_TRY(call_.out.flush());
  pollfd waited{STDIN_FILENO, POLLIN, 0};
  char key = 0;
  if (::poll(&waited, 1, -1) > 0 && ::read(STDIN_FILENO, &key, 1) != 1) key = 'q';  // the terminal has gone
  return key;
}

Result<bool> TopStdio::obey(char key) {
  constexpr std::string_view kKnown = "deEfFKUzsSqQ";
  if (kKnown.find(key) == kKnown.npos) {
    auto asked = ask_key();
    if (!asked) return std::unexpected(std::move(asked.error()));
    key = *asked;
  }
  const auto number = [&](std::string_view question, auto& value) -> Result<> {
    auto answer = ask(question);
    if (!answer) return std::unexpected(std::move(answer.error()));
    using Number = std::remove_reference_t<decltype(value)>;
    if constexpr (std::is_floating_point_v<Number>) {
      value = parse_percent(*answer).value_or(value);
    } else {
      Number given{};
      const char* end = answer->data() + answer->size();
      if (!answer->empty() && std::from_chars(answer->data(), end, given).ec == std::errc()) value = given;
    }
    return {};
  };
  switch (key) {
    case 'd':
      PEREGRINE_TRY(number("Refresh interval in seconds", options_.delay));
      options_.delay = std::max(options_.delay, 1u);
      break;
    case 'e':
      PEREGRINE_TRY(number("Number of rows (0: all)", options_.entries));
      break;
    case 'f':
      PEREGRINE_TRY(number("Show rows with more samples than", options_.least_samples));
      break;
    case 'F':
      PEREGRINE_TRY(number("Minimum percentage", options_.report.percent_limit));
      break;
    case 's': {
      auto name = ask("Function");
      if (!name) return std::unexpected(std::move(name.error()));
      if (!name->empty()) options_.annotated = std::move(*name);
      break;
    }
    case 'S':
      options_.annotated.clear();
      break;
    case 'K':
      options_.hide_kernel = !options_.hide_kernel;
      break;
    case 'U':
      options_.hide_user = !options_.hide_user;
      break;
    case 'z':
      options_.zero = !options_.zero;
      break;
    case 'q':
    case 'Q':
      return false;
    default:
      break;
  }
  view_.profile->hide(options_.hide_kernel, options_.hide_user);
  view_.profile->set_zero(options_.zero);
  return true;
}

}  // namespace peregrine::cmd
