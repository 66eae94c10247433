#include "output/tui/timeline/timeline_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <expected>
#include <string_view>
#include <utility>

#include "base/number/whole_number.h"
#include "base/text/ascii.h"
#include "output/text/format/fitted_line.h"
#include "output/text/format/printable.h"
#include "output/tui/menu/popup.h"
#include "output/tui/screen/view_stack.h"

namespace peregrine::tui {

namespace {

constexpr u64 kShortest = 100;  // ns in view
constexpr std::size_t kBarSteps = 8;
constexpr std::string_view kKeys =
    "Left Right  move the cursor; at the edge, the view\n"
    "Up Down     choose a lane, or an event in the list\n"
    "+ - (w s)   zoom in and out at the cursor\n"
    "a d         earlier and later, by half a screen\n"
    "0           whole recording\n"
    "Tab         from the lanes to the list and back\n"
    "l           list all events, or those of the lane\n"
    ", .         previous and next event of the list\n"
    "Enter       all fields of the event\n"
    "/ n N       search; next, previous match\n"
    "            text, field=value, field>value, field~text\n"
    "f           list only events with this text in the name\n"
    "[ ]         set marker A or B at the cursor\n"
    "z x         zoom to the markers; remove them\n"
    "q           quit\n"
    "\n"
    "Bars: share of time that something ran. CPU lanes show\n"
    "the first letter of the task where it fits.\n"
    "Task lanes: . waits for a CPU, x is blocked.";

constexpr std::string_view kNoStates = "Lanes are empty: no switches recorded. Record sched:sched_switch to fill them.";

// "12.345678901", with the digits needed to distinguish times one step apart.
std::string time_text(u64 time, u64 step) {
  int digits = 9;
  for (u64 size = 10; size <= step && digits > 3; size *= 10) --digits;
  return fmt::format("{:.{}f}", static_cast<double>(time) / 1e9, digits);
}

std::string length_text(u64 length) {
  const auto value = static_cast<double>(length);
  if (length < 1'000) return fmt::format("{} ns", length);
  if (length < 1'000'000) return fmt::format("{:.1f} us", value / 1e3);
  if (length < 1'000'000'000) return fmt::format("{:.2f} ms", value / 1e6);
  return fmt::format("{:.3f} s", value / 1e9);
}

}  // namespace

LanesView::LanesView(TimelineQueries& queries, std::string name, Screen* screen)
    : queries_(queries), name_(std::move(name)), screen_(screen), span_(std::max<u64>(queries.timeline().length, 1)) {
  list_events();
}

void LanesView::layout(const Canvas& canvas) {
  names_ = std::min(18U, canvas.width() / 4);
  columns_ = std::max(canvas.width() - names_, 1U);
  const unsigned free = canvas.height() > 8 ? canvas.height() - 5 : 3;  // title, ruler, state, list header, hint
  lane_rows_ = std::min<unsigned>(std::max(free * 55 / 100, 1U), static_cast<unsigned>(queries_.lanes().size()));
  if (free / 2 < lane_rows_ && free < 12) lane_rows_ = std::max(free / 2, 1U);
  list_rows_ = std::max(free - lane_rows_, 1U);
  if (lane_ < first_lane_) first_lane_ = lane_;
  if (lane_ >= first_lane_ + lane_rows_) first_lane_ = lane_ - lane_rows_ + 1;
}

u64 LanesView::time_at(unsigned column) const {
  return from_ + whole_number(static_cast<double>(span_) * (column + 0.5) / columns_);
}

unsigned LanesView::column_of(u64 time) const {
  if (time <= from_) return 0;
  const double column = static_cast<double>(time - from_) * columns_ / static_cast<double>(span_);
  return std::min(static_cast<unsigned>(column), columns_ - 1);
}

TimelineQueries::Shown LanesView::shown() const {
  return {.lane = of_lane_ && lane_ < queries_.lanes().size() ? &queries_.lanes()[lane_] : nullptr, .event = filter_};
}

void LanesView::list_events() {
  list_.clear();
  if (!chosen_) chosen_ = queries_.first_at(time_, shown());
}

void LanesView::look(u64 from, u64 span) {
  const u64 length = std::max<u64>(queries_.timeline().length, 1);
  span_ = std::clamp(span, std::min(kShortest, length), length);
  from_ = std::min(from, length - span_);
}

void LanesView::zoom(double factor) {
  const double span =
      std::clamp(static_cast<double>(span_) * factor, 1.0, static_cast<double>(queries_.timeline().length));
  const double share = static_cast<double>(time_ - std::min(time_, from_)) / static_cast<double>(span_);
  const double from = static_cast<double>(time_) - span * share;
  look(whole_number(std::max(from, 0.0)), whole_number(span));
}

void LanesView::pan(i64 columns) {
  const u64 step = std::max<u64>(span_ / columns_, 1) * static_cast<u64>(std::abs(columns));
  look(columns < 0 ? from_ - std::min(from_, step) : from_ + step, span_);
  move_to(std::clamp(time_, from_, from_ + span_ - 1));
}

void LanesView::move_to(u64 time) {
  time_ = std::min(time, std::max<u64>(queries_.timeline().length, 1) - 1);
  if (time_ < from_ || time_ >= from_ + span_) look(time_ - std::min(time_, span_ / 2), span_);
  chosen_ = std::nullopt;
}

void LanesView::go_to(const EventPlace& place) {
  move_to(queries_.time(place));
  chosen_ = place;
}

void LanesView::draw(Canvas& canvas) {
  layout(canvas);
  draw_title(canvas);
  const auto& lanes = queries_.lanes();
  const std::size_t end = std::min(first_lane_ + lane_rows_, lanes.size());
  const auto cells = queries_.cells(std::span(lanes).subspan(first_lane_, end - first_lane_), from_, span_, columns_);
  for (std::size_t at = 0; at < cells.size(); ++at)
    draw_lane(canvas, static_cast<unsigned>(at) + 1, first_lane_ + at, cells[at]);
  draw_ruler(canvas);
  list_events();
  draw_events(canvas);
  const std::vector<LinePart> hint{{"+ -: zoom", 1}, {"a d: pan", 2},     {"Tab: list", 3}, {"/: search", 1},
                                   {"f: filter", 4}, {"[ ]: markers", 5}, {"?: keys"},      {"q: quit"}};
  canvas.put(0, canvas.height() - 1, fitted_line(hint, canvas.width()), Style::Dim);
}

void LanesView::draw_title(Canvas& canvas) {
  const u64 step = std::max<u64>(span_ / columns_, 1);
  std::vector<LinePart> parts{{"Timeline", 1}};
  if (!name_.empty()) parts.push_back({printable(name_), 2});
  parts.push_back({fmt::format("{}-{} s", time_text(from_, step), time_text(from_ + span_, step))});
  parts.push_back({length_text(span_) + " in view", 3});
  if (a_ && b_)
    parts.push_back({fmt::format("B-A {}{}", *b_ < *a_ ? "-" : "", length_text(*b_ < *a_ ? *a_ - *b_ : *b_ - *a_))});
  canvas.put(0, 0, fitted_line(std::move(parts), canvas.width()), Style::Title);
}

void LanesView::draw_lane(Canvas& canvas, unsigned y, std::size_t lane, const std::vector<LaneCell>& cells) {
  const TimelineLane& own = queries_.lanes()[lane];
  const bool chosen = lane == lane_;
  canvas.put(0, y, printable(own.name), chosen ? (in_list_ ? Style::Mark : Style::Selected) : Style::Plain, names_ - 1);
  std::string last_task;
  for (unsigned column = 0; column < cells.size(); ++column) {
    const LaneCell& cell = cells[column];
    const float share = std::min(cell.runs, 1.0F);
    const auto steps = static_cast<std::size_t>(std::ceil(share * kBarSteps));
    const unsigned x = names_ + column;
    if (steps > 0 && (cell.runs >= cell.waits || own.is_cpu)) {
      canvas.put(x, y, canvas.glyphs().bars[std::min(steps, kBarSteps) - 1], own.is_cpu ? Style::Kernel : Style::Warm);
    } else if (cell.blocked > cell.waits && cell.blocked > 0.02F) {
      canvas.put(x, y, U'x', Style::Error);
    } else if (cell.waits > 0.02F) {
      canvas.put(x, y, U'.', Style::Hot);
    }
  }
  if (!own.is_cpu) return;
  // The name of a task that fills several columns.
  for (unsigned column = 0; column < cells.size();) {
    unsigned end = column;
    while (end < cells.size() && cells[end].task == cells[column].task && cells[end].runs > 0.5F) ++end;
    constexpr unsigned kRoom = 5;
    if (const u32 task = cells[column].task; task != 0 && end >= column + kRoom) {
      const std::string name = printable(queries_.timeline().tasks[task].comm);
      canvas.put(names_ + column + 1, y, name, Style::Box, end - column - 2);
    }
    column = std::max(end, column + 1);
  }
}

void LanesView::draw_ruler(Canvas& canvas) {
  const unsigned y = lane_rows_ + 1;
  canvas.fill(names_, y, columns_, Style::Dim, canvas.glyphs().horizontal);
  const auto put_marker = [&](const std::optional<u64>& time, char32_t glyph) {
    if (time && *time >= from_ && *time < from_ + span_) canvas.put(names_ + column_of(*time), y, glyph, Style::Mark);
  };
  put_marker(a_, U'A');
  put_marker(b_, U'B');
  canvas.put(names_ + column_of(time_), y, canvas.glyphs().up_arrow, Style::Key);
  const u64 step = std::max<u64>(span_ / columns_, 1);
  const std::string at = time_text(time_, step) + " s";
  canvas.put(0, y, at, Style::Key, names_);
  std::string state = status_;
  if (state.empty() && lane_ < queries_.lanes().size()) {
    const TimelineLane& lane = queries_.lanes()[lane_];
    if (queries_.timeline().overview.lanes(SumKind::CpuRuns).empty())
      state = kNoStates;
    else if (const std::string at_time = queries_.state_at(lane, time_); !at_time.empty())
      state = lane.name + ": " + at_time;
  }
  canvas.put(0, y + 1, printable(state), status_.empty() ? Style::Plain : Style::Mark, canvas.width());
}

void LanesView::draw_events(Canvas& canvas) {
  const unsigned y = lane_rows_ + 3;
  std::string title =
      of_lane_ && lane_ < queries_.lanes().size() ? "Events of " + queries_.lanes()[lane_].name : "Events";
  if (!filter_.empty()) title += " with '" + filter_ + "'";
  canvas.fill(0, y, canvas.width(), Style::Header);
  canvas.put(0, y, printable(title), in_list_ ? Style::Selected : Style::Header, canvas.width());
  if (!chosen_) {
    canvas.put(2, y + 1, "No events from here on.", Style::Dim);
    return;
  }
  list_ = {*chosen_};
  for (const unsigned before = list_rows_ / 3; list_.size() <= before;) {
    const auto earlier = queries_.next(list_.front(), false, shown());
    if (!earlier) break;
    list_.insert(list_.begin(), *earlier);
  }
  while (list_.size() < list_rows_) {
    const auto later = queries_.next(list_.back(), true, shown());
    if (!later) break;
    list_.push_back(*later);
  }
  for (std::size_t at = 0; at < list_.size() && at < list_rows_; ++at)
    draw_event(canvas, y + 1 + static_cast<unsigned>(at), list_[at]);
}

void LanesView::draw_event(Canvas& canvas, unsigned y, const EventPlace& place) {
  const TimelineText text = queries_.text(place);
  const bool chosen = place == *chosen_;
  std::string line = fmt::format("{:>13}  [{:>3}]  {:<17.17}  {}", time_text(text.time, 1), text.cpu,
                                 printable(text.task), printable(text.event));
  for (const auto& [name, value] : text.fields)
    if (name == "stack")
      line += " | " + printable(value);
    else if (name.empty())
      line += " < " + printable(value);
    else
      line += fmt::format(" {}={}", printable(name), printable(value));
  if (chosen) canvas.fill(0, y, canvas.width(), in_list_ ? Style::Selected : Style::Mark);
  canvas.put(0, y, line, chosen ? (in_list_ ? Style::Selected : Style::Mark) : Style::Plain, canvas.width());
}

void LanesView::step_event(bool forwards) {
  if (!chosen_) list_events();
  if (!chosen_) return;
  if (const auto place = queries_.next(*chosen_, forwards, shown())) go_to(*place);
}

void LanesView::search(bool forwards) {
  const EventQuery query(wanted_);
  if (query.empty()) return;
  if (!chosen_) list_events();
  bool told = false, stopped = false;
  const auto stop = [&] { return stopped = stops_search(told); };
  const auto found = chosen_ ? queries_.find(*chosen_, forwards, shown(), query, stop) : std::nullopt;
  status_ = found     ? ""
            : stopped ? fmt::format("Search for '{}' stopped", wanted_)
                      : fmt::format("No {} event matches '{}'", forwards ? "later" : "earlier", wanted_);
  if (found) go_to(*found);
}

// Other keys are dropped.
bool LanesView::stops_search(bool& told) {
  if (screen_ == nullptr) return false;
  if (!std::exchange(told, true)) {
    status_ = fmt::format("Searching for '{}'; Esc stops", wanted_);
    Canvas canvas(screen_->width(), screen_->height(), screen_->ascii());
    draw(canvas);
    screen_->show(canvas);
  }
  const Key key = screen_->wait_key(0, {});
  return key.code == Key::Code::Escape || key.code == Key::Code::Gone || key.is(3);
}

Answer LanesView::ask_search() {
  const auto done = [this](const std::string& text, bool accepted) {
    if (accepted) wanted_ = text;
    if (accepted) search(true);
    return Answer{.kind = Answer::Kind::Back};
  };
  return open_view(std::make_unique<PromptView>("search:", wanted_, [](const std::string&) {}, done));
}

Answer LanesView::ask_filter() {
  const auto done = [this](const std::string& text, bool accepted) {
    if (accepted) filter_ = lower_case(text), chosen_ = std::nullopt;
    return Answer{.kind = Answer::Kind::Back};
  };
  return open_view(std::make_unique<PromptView>("events with:", filter_, [](const std::string&) {}, done));
}

Answer LanesView::show_event() {
  if (!chosen_) return {};
  const TimelineText text = queries_.text(*chosen_);
  std::string lines =
      fmt::format("{}\ntime {} s\nCPU {}\ntask {}\n", text.event, time_text(text.time, 1), text.cpu, text.task);
  for (const auto& [name, value] : text.fields) lines += fmt::format("{} {}\n", name.empty() ? "     " : name, value);
  return open_view(std::make_unique<TextView>(" Event ", lines));
}

// Movement; the arrows move in the lanes or in the list.
bool LanesView::move_key(const Key& key) {
  const std::size_t last = queries_.lanes().empty() ? 0 : queries_.lanes().size() - 1;
  const std::size_t page = std::max(lane_rows_, 2U) - 1;
  const unsigned column = column_of(time_);
  switch (key.code) {
    case Key::Code::Left:
      if (column == 0) pan(-1);
      move_to(column == 0 ? from_ : std::min(time_at(column - 1), time_ - std::min<u64>(time_, 1)));
      return true;
    case Key::Code::Right:
      if (column + 1 >= columns_) pan(1);
      move_to(std::max(time_at(std::min(column + 1, columns_ - 1)), time_ + 1));  // a column may be less than a ns
      return true;
    case Key::Code::Up:
    case Key::Code::WheelUp:
      if (in_list_)
        step_event(false);
      else
        lane_ -= lane_ > 0 ? 1 : 0;
      break;
    case Key::Code::Down:
    case Key::Code::WheelDown:
      if (in_list_)
        step_event(true);
      else
        lane_ = std::min(lane_ + 1, last);
      break;
    case Key::Code::PageUp:
      lane_ -= std::min(lane_, page);
      break;
    case Key::Code::PageDown:
      lane_ = std::min(lane_ + page, last);
      break;
    case Key::Code::Home:
      move_to(0);
      return true;
    case Key::Code::End:
      move_to(queries_.timeline().length);
      return true;
    case Key::Code::Click:
      if (key.y >= 1 && key.y <= lane_rows_) {
        lane_ = std::min(first_lane_ + key.y - 1, last);
        if (key.x >= names_) move_to(time_at(key.x - names_));
        in_list_ = false;
      } else if (key.y > lane_rows_ + 3 && key.y - lane_rows_ - 4 < list_.size()) {
        in_list_ = true;
        go_to(list_[key.y - lane_rows_ - 4]);
      }
      return true;
    default:
      return false;
  }
  if (of_lane_ && !in_list_) chosen_ = std::nullopt;
  return true;
}

bool LanesView::view_key(const Key& key) {
  constexpr double kCloser = 0.5;
  if (key.is('+') || key.is('=') || key.is('w'))
    zoom(kCloser);
  else if (key.is('-') || key.is('s'))
    zoom(1 / kCloser);
  else if (key.is('a'))
    pan(-static_cast<i64>(columns_ / 2));
  else if (key.is('d'))
    pan(static_cast<i64>(columns_ / 2));
  else if (key.is('0'))
    look(0, queries_.timeline().length);
  else if (key.is('['))
    a_ = time_;
  else if (key.is(']'))
    b_ = time_;
  else if (key.is('x'))
    a_ = b_ = std::nullopt;
  else if (key.is('z') && a_ && b_)
    look(std::min(*a_, *b_), std::max(*a_, *b_) - std::min(*a_, *b_) + 1);
  else if (key.is(',') || key.is('.'))
    step_event(key.is('.'));
  else if (key.is('n') || key.is('N'))
    search(key.is('n'));
  else if (key.is('l'))
    of_lane_ = !of_lane_, chosen_ = std::nullopt;
  else
    return false;
  return true;
}

Answer LanesView::key(const Key& key) {
  if (ends(key)) return {.kind = Answer::Kind::Quit};
  if (key.code == Key::Code::None || key.code == Key::Code::Resize) return {};
  status_.clear();
  if (move_key(key) || view_key(key)) return {};
  if (key.code == Key::Code::Tab || key.code == Key::Code::BackTab) in_list_ = !in_list_;
  if (key.code == Key::Code::Escape) in_list_ = false;
  if (key.code == Key::Code::Enter) return show_event();
  if (key.is('/')) return ask_search();
  if (key.is('f')) return ask_filter();
  if (asks_for_keys(key)) return show_keys(kKeys);
  return {};
}

Result<> show_timeline(const std::string& plugins, const ScreenOptions& options, TimelineQueries& queries,
                       const std::string& name) {
  const ResizeHold hold;
  auto screen = open_screen(plugins, options);
  if (!screen) return std::unexpected(std::move(screen.error()));
  show_views(**screen, std::make_unique<LanesView>(queries, name, screen->get()));
  return {};
}

}  // namespace peregrine::tui
