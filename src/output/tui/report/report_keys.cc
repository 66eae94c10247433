// ReportView's key bindings: linux-perf's and some additional ones.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/browse/queries.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/row/graph_options.h"
#include "base/number/real_number.h"
#include "base/types.h"
#include "output/text/report/report_graph.h"
#include "output/tui/menu/popup.h"
#include "output/tui/menu/script_menu.h"
#include "output/tui/picture/flame_view.h"
#include "output/tui/picture/timeline_view.h"
#include "output/tui/report/report_view.h"
#include "output/tui/screen/screen.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

namespace {

Answer back() { return {.kind = Answer::Kind::Back}; }

Answer show_text(std::string title, const std::string& text) {
  return open_view(std::make_unique<TextView>(std::move(title), text));
}

}  // namespace

void ReportView::remember() { before_.push_back(look_); }

Answer ReportView::key(const Key& key) {
  if (key.code == Key::Code::None || key.code == Key::Code::Resize) return {};
  status_.clear();
  if (key.code == Key::Code::Click || key.code == Key::Code::DoubleClick) {
    if (key.y < top_ || key.y >= top_ + height_ || cursor_.first + key.y - top_ >= lines_.size()) return {};
    const std::size_t chosen = cursor_.first + key.y - top_;
    const bool again = chosen == cursor_.at;
    cursor_.at = chosen;
    if (key.x < 2 + 3 * (lines_[chosen].depth + 1) && can_open(lines_[chosen])) {
      toggle(lines_[chosen]);
      return {};
    }
    return again ? menu() : Answer{};
  }
  if (cursor_.move(key, lines_.size(), height_)) return {};
  switch (key.code) {
    case Key::Code::Enter:
    case Key::Code::Right:
      return menu();
    case Key::Code::Escape:
    case Key::Code::Left:
    case Key::Code::Backspace:
      return zoom_out();
    case Key::Code::Tab:
      return switch_table(1);
    case Key::Code::BackTab:
      return switch_table(-1);
    case Key::Code::Char:
      return letter(key.glyph);
    default:
      return {};
  }
}

// Each group of keys handles the letters that it knows; the first match wins.
Answer ReportView::letter(char32_t letter) {
  if (settings_.live_key && settings_.live_key(letter, status_)) return {};
  if (fold(letter)) return {};
  if (auto answer = narrow(letter)) return std::move(*answer);
  if (auto answer = leave_for(letter)) return std::move(*answer);
  switch (letter) {
    case 'q':
    case 3:
      return {.kind = Answer::Kind::Quit};
    case 'm':
      return menu();
    case 'H':
      headers_ = !headers_;
      return {};
    case 'V':
      verbose_ = !verbose_;
      return {};
    case 'P':
    case 'X':
      write(letter);
      return {};
    default:
      if (letter >= '0' && letter <= '9') return sort_by_member(static_cast<u32>(letter - '0'));
      say("press ? for keys");
      return {};
  }
}

// Sorts the rows by event `member` of the group.
Answer ReportView::sort_by_member(u32 member) {
  if (member >= page_->table->members()) {
    say(page_->table->members() == 1 ? std::string("not a group of events")
                                     : fmt::format("the group has only {} events", page_->table->members()));
    return {};
  }
  remember();
  look_.sort_member = member;
  cursor_ = {};
  ask_page();
  say(fmt::format("sorted by event {} of the group", member));
  return {};
}

bool ReportView::fold(char32_t letter) {
  switch (letter) {
    case '+':
      if (line() != nullptr) toggle(*line());
      return true;
    case 'e':
    case 'c':
      if (line() != nullptr) {
        const u32 row = line()->row;
        open_all_of(row, letter == 'e' && (line()->node != 0 || !is_open(*line())));
        make_lines();
        const auto found = std::ranges::find_if(lines_, [&](const Line& each) { return each.row == row; });
        cursor_.at = static_cast<std::size_t>(found - lines_.begin());
        cursor_.settle(lines_.size(), height_);
      }
      return true;
    case 'E':
    case 'C':
      open_everything(letter == 'E');
      return true;
    default:
      return false;
  }
}

std::optional<Answer> ReportView::narrow(char32_t letter) {
  switch (letter) {
    case 'd':
      return zoom_dso();
    case 't':
      return zoom_part(Zoom::Kind::Thread);
    case 'S':
      return zoom_part(Zoom::Kind::Socket);
    case 'k':
      return zoom({.kind = Zoom::Kind::Kernel, .name = "the kernel"});
    case 'z':
    case 'Z':
      return zoom_symbol();
    case '/':
    case 'n':
      remember();
      look_.search_chains = letter == 'n';
      return find();
    case 'L':
      return set_limit();
    case 'F':
      remember();
      look_.relative = !look_.relative;
      ask_page();
      say(look_.relative ? "% of filtered samples" : "% of all samples");
      return Answer{};
    case 'u':
      return undo();
    default:
      return std::nullopt;
  }
}

std::optional<Answer> ReportView::leave_for(char32_t letter) {
  switch (letter) {
    case 'h':
    case '?':
      return show_keys(help_text(settings_.live));
    case 'a':
      return annotate();
    case 'b':
      return show_callers();
    case 'G':
      return open_view(std::make_unique<FlameView>(queries_.flames(look_)));
    case 'T':
      return open_view(std::make_unique<TimelineView>(queries_));
    case 'i':
      return show_text(settings_.live ? " Sampling info " : " Recording info ", queries_.header());
    case 's':
      return switch_file();
    case 'r':
      if (settings_.live) return std::nullopt;
      return choose_script(settings_, {});
    default:
      return std::nullopt;
  }
}

void ReportView::write(char32_t letter) {
  if (!settings_.print || !settings_.export_rows) return;
  const auto written = letter == 'P' ? settings_.print() : settings_.export_rows(look_);
  ask_page();  // print() requested a page with another look
  say(written ? fmt::format("wrote {}", *written) : written.error().message);
}

Answer ReportView::zoom(Zoom step) {
  remember();
  const auto same = std::ranges::find_if(
      look_.trail, [&](const Zoom& zoom) { return zoom.kind == step.kind && zoom.name == step.name; });
  if (same != look_.trail.end())
    look_.trail.erase(same);
  else
    look_.trail.push_back(std::move(step));
  cursor_ = {};
  ask_page();
  return {};
}

Answer ReportView::zoom_dso() {
  if (line() == nullptr) return {};
  const FrameLook& look = page_->table->faces().look(frame_of(*line()));
  if (!look.dso.valid()) return {};
  return zoom({.kind = Zoom::Kind::Dso, .name = std::string(page_->table->faces().text(look.dso))});
}

Answer ReportView::zoom_symbol() {
  if (line() == nullptr) return {};
  return zoom(
      {.kind = Zoom::Kind::Symbol, .name = frame_text(page_->table->faces(), GraphKey::Function, frame_of(*line()))});
}

// Zooms into one of the row's threads or sockets, which the user picks if there are several. Zooms out if already
// zoomed in.
Answer ReportView::zoom_part(Zoom::Kind kind) {
  if (line() == nullptr) return {};
  const auto of_kind = [kind](const Zoom& zoom) { return zoom.kind == kind; };
  if (std::ranges::any_of(look_.trail, of_kind)) {
    remember();
    std::erase_if(look_.trail, of_kind);
    ask_page();
    return {};
  }
  const bool threads = kind == Zoom::Kind::Thread;
  const u32 row = page_->rows[line()->row];
  const std::vector<NamedSum> parts = queries_.parts(row, kind);
  const auto into = [this, kind](const NamedSum& part) {
    return zoom({.kind = kind, .name = part.name, .value = part.value});
  };
  if (parts.empty() && threads) {
    const std::vector<NamedSum> through = queries_.parts_through(row, kind);
    if (through.size() == 1) return into(through[0]);
    say(through.empty() ? "the threads of this row are unknown" : "this row has samples of several threads");
    return {};
  }
  if (parts.empty()) {
    say("the processor sockets of this row's samples are unknown");
    return {};
  }
  if (parts.size() == 1 && !threads) return into(parts[0]);
  std::vector<std::string> lines;
  for (const NamedSum& part : parts)
    lines.push_back(fmt::format(
        "{:>6.2f}%  {}",
        page_->total == 0 ? 0.0 : 100 * static_cast<double>(part.period) / static_cast<double>(page_->total),
        part.name));
  return open_view(std::make_unique<MenuView>(threads ? " Which thread " : " Which socket ", std::move(lines),
                                              [into, parts](std::size_t chosen) {
                                                into(parts[chosen]);
                                                return back();
                                              }));
}

Answer ReportView::zoom_out() {
  if (!look_.filter.empty()) {
    remember();
    look_.filter.clear();
    ask_page();
    return {};
  }
  if (!look_.trail.empty()) {
    remember();
    look_.trail.pop_back();
    ask_page();
    return {};
  }
  const auto seen = [](const TableLine& table) { return table.samples != 0; };
  return std::ranges::count_if(queries_.tables(), seen) > 1 && !settings_.live ? back() : open_view(ask_to_quit());
}

Answer ReportView::undo() {
  if (before_.empty()) {
    say("nothing to undo");
    return {};
  }
  look_ = before_.back();
  before_.pop_back();
  ask_page();
  return {};
}

// Filters rows while the user types; Esc restores the previous filter.
Answer ReportView::find() {
  return open_view(std::make_unique<PromptView>(
      look_.search_chains ? "in any frame:" : "rows with:", look_.filter,
      [this](const std::string& text) {
        look_.filter = text;
        cursor_ = {};
        ask_page();
      },
      [this](const std::string&, bool accepted) {
        if (!accepted) {
          look_ = before_.back();
          before_.pop_back();
        }
        ask_page();  // even if no letter was typed: `n` searches the chains for the text that `/` searched the rows for
        return back();
      }));
}

Answer ReportView::set_limit() {
  return open_view(std::make_unique<PromptView>(
      "minimum percentage:", fmt::format("{:g}", look_.percent_limit), [](const std::string&) {},
      [this](const std::string& text, bool accepted) {
        const auto limit = parse_percent(text);
        if (accepted && limit && *limit <= 100) {
          remember();
          look_.percent_limit = *limit;
          ask_page();
        } else if (accepted) {
          say("percentage must be between 0 and 100");
        }
        return back();
      }));
}

Answer ReportView::switch_table(int step) {
  const std::vector<TableLine> tables = queries_.tables();
  const std::size_t count = tables.size();
  for (std::size_t tried = 0; tried < count; ++tried) {
    look_.table = (look_.table + (step > 0 ? 1 : count - 1)) % count;
    if (tables[look_.table].samples != 0) break;
  }
  cursor_ = {};
  ask_page();
  if (count == 1) say("there is only one event");
  return {};
}

Answer ReportView::switch_file() {
  const std::vector<std::string> files = settings_.files ? settings_.files() : std::vector<std::string>();
  if (files.empty()) {
    say("no other recording in this folder");
    return {};
  }
  return open_view(std::make_unique<MenuView>(" Which recording ", files, [files](std::size_t chosen) {
    return Answer{.kind = Answer::Kind::Leave, .word = "open " + files[chosen]};
  }));
}

}  // namespace peregrine::tui
