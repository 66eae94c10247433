#include "output/tui/access/sharing_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/sharing/access_counts.h"
#include "analysis/sharing/function_sharing.h"
#include "analysis/sharing/line_sharing.h"
#include "base/text/counted.h"
#include "output/text/access/sharing_functions.h"
#include "output/text/access/sharing_text.h"
#include "output/tui/menu/list_view.h"
#include "output/tui/menu/popup.h"
#include "output/tui/screen/view.h"
#include "output/tui/screen/view_stack.h"

namespace peregrine::tui {

namespace {

constexpr std::string_view kSharingKeys =
    "arrows, Page Up, Page Down, Home, End   move\n"
    "Left, Right                             scroll wide tables\n"
    "Enter, d                                show accesses to the line\n"
    "Tab                                     functions, and back (-c with iaddr)\n"
    "Enter, e, +                             expand, collapse a function\n"
    "n                                       nodes, accesses of each, CPUs\n"
    "/, N                                    search, search again\n"
    "q, Escape                               back, quit\n";

constexpr std::string_view kNoSharingFunctions =
    "Each row covers several functions because -c omits the code address.\n"
    "To see functions, add iaddr to -c: c2c report -c pid,iaddr\n";

std::vector<std::string> text_lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

ListText sharing_list_of(const SharingTable& table, std::string title, std::string hint) {
  ListText text{.title = std::move(title), .head = text_lines_of(table.head), .lines = {}, .hint = std::move(hint)};
  for (const std::string& row : table.rows)
    for (std::string& line : text_lines_of(row)) text.lines.push_back(std::move(line));
  return text;
}

class SharingViews {
 public:
  SharingViews(const SharingView& view, SharingLook look)
      : lines_(view.lines),
        all_(view.all),
        functions_(view.functions),
        has_functions_(view.has_functions),
        look_(std::move(look)) {}

  // `above`: opened on top of the other view.
  std::unique_ptr<View> lines_view(bool above = false) {
    return std::make_unique<ListView>(
        [this] {
          return sharing_list_of(
              table_of_lines(lines_, all_, look_),
              fmt::format("{}, {} of lines modified elsewhere (HITM)", counted(lines_.size(), "shared cache line"),
                          counted(all_.hitm(), "load")),
              fmt::format("h: keys  Enter: accesses{}  /: find  q: quit", has_functions_ ? "  Tab: functions" : ""));
        },
        [this, above](const Key& key, std::size_t at) { return key_on_lines(key, at, above); });
  }

  std::unique_ptr<View> functions_view(bool above = false) {
    return std::make_unique<ListView>(
        [this] {
          FunctionTable table = table_of_functions(
              functions_, look_, [this](const FunctionPlace& place) { return open_.contains(place); });
          places_ = std::move(table.places);
          return sharing_list_of({.head = std::move(table.head), .rows = std::move(table.rows)},
                                 functions_.empty() ? why_no_functions(all_, look_.order)
                                                    : fmt::format("{} lines written by others, sorted by load cycles",
                                                                  counted(functions_.size(), "function that loads",
                                                                          "functions that load")),
                                 "h: keys  Enter: open  d: rows  Tab: lines  /: find  q: back");
        },
        [this, above](const Key& key, std::size_t at) { return key_on_functions(key, at, above); });
  }

 private:
  std::unique_ptr<View> rows_view(const SharedLine& line) {
    return std::make_unique<ListView>(
        [this, &line] {
          return sharing_list_of(
              table_of_rows(line, lines_, look_),
              fmt::format("cache line {:#x}: {}", line.address, counted(line.counts.records, "record")),
              "h: keys  n: nodes  /: find  q: back");
        },
        [this](const Key& key, std::size_t) { return key_on_rows(key); });
  }

  static Answer open(std::unique_ptr<View> view) { return {.kind = Answer::Kind::Open, .view = std::move(view)}; }

  std::optional<Answer> key_on_functions(const Key& key, std::size_t at, bool above) {
    if (asks_for_keys(key)) return show_keys(kSharingKeys);
    if (key.code == Key::Code::Tab) return above ? Answer{.kind = Answer::Kind::Back} : open(lines_view(true));
    const bool toggles = key.code == Key::Code::Enter || key.is('e') || key.is('+');
    if ((!toggles && !key.is('d')) || at >= places_.size()) return std::nullopt;
    const FunctionPlace place = places_[at];
    if (key.is('d') || place.line) {
      const ContendingWriter& writer = functions_[place.function].writers[place.writer.value_or(0)];
      return open(rows_view(*writer.lines[place.line.value_or(0)].line));
    }
    if (open_.erase(place) == 0) open_.insert(place);
    return Answer{};
  }

  std::optional<Answer> key_on_lines(const Key& key, std::size_t at, bool above) {
    if (asks_for_keys(key)) return show_keys(kSharingKeys);
    if (key.code == Key::Code::Tab && !has_functions_)
      return open(std::make_unique<TextView>(" Functions ", kNoSharingFunctions));
    if (key.code == Key::Code::Tab) return above ? Answer{.kind = Answer::Kind::Back} : open(functions_view(true));
    if (key.code != Key::Code::Enter && !key.is('d')) return std::nullopt;
    if (at >= lines_.size()) return Answer{};
    return open(rows_view(lines_[at]));
  }

  std::optional<Answer> key_on_rows(const Key& key) {
    if (asks_for_keys(key)) return show_keys(kSharingKeys);
    if (!key.is('n')) return std::nullopt;
    look_.nodes = look_.nodes == NodeLook::Ids      ? NodeLook::Shares
                  : look_.nodes == NodeLook::Shares ? NodeLook::Cpus
                                                    : NodeLook::Ids;
    return Answer{};
  }

  std::span<const SharedLine> lines_;
  const AccessCounts& all_;
  std::span<const ContendedFunction> functions_;
  bool has_functions_;
  SharingLook look_;
  std::set<FunctionPlace> open_;       // functions and writers that are expanded
  std::vector<FunctionPlace> places_;  // by visible row
};

}  // namespace

Result<> show_sharing(const std::string& plugins, const ScreenOptions& options, const SharingView& view,
                      SharingLook look) {
  const ResizeHold hold;
  auto screen = open_screen(plugins, options);
  if (!screen) return std::unexpected(std::move(screen.error()));
  show_sharing(**screen, view, std::move(look));
  return {};
}

void show_sharing(Screen& screen, const SharingView& view, SharingLook look) {
  SharingViews shown(view, std::move(look));
  show_views(screen, view.functions_first ? shown.functions_view() : shown.lines_view());
}

}  // namespace peregrine::tui
