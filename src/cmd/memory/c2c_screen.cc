#include "cmd/memory/c2c_screen.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/text/counted.h"
#include "cmd/report/browse.h"
#include "cmd/script/script_places.h"
#include "output/tui/menu/list_view.h"
#include "output/tui/menu/popup.h"
#include "output/tui/screen/view_stack.h"

namespace peregrine::cmd {

namespace {

constexpr std::string_view kC2cKeys =
    "arrows, Page Up, Page Down, Home, End   walk through the lines\n"
    "Left, Right                             the rest of wide tables\n"
    "Enter, d                                what touches the line\n"
    "Tab                                     functions that share lines, and back (with iaddr in -c)\n"
    "Enter, e, +                             open and close a function\n"
    "n                                       nodes, what each did, its CPUs\n"
    "/, N                                    find a text, find it again\n"
    "q, Escape                               back, end\n";

constexpr std::string_view kNoFunctions =
    "Each row is of several functions, since -c leaves out the code address.\n"
    "To see functions, start c2c report with iaddr in -c, as in -c pid,iaddr.\n";

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

tui::ListText list_of(const SharingTable& table, std::string title, std::string hint) {
  tui::ListText text{.title = std::move(title), .head = lines_of(table.head), .lines = {}, .hint = std::move(hint)};
  for (const std::string& row : table.rows)
    for (std::string& line : lines_of(row)) text.lines.push_back(std::move(line));
  return text;
}

class SharingScreen {
 public:
  SharingScreen(const SharingView& view, SharingLook look)
      : lines_(view.lines),
        all_(view.all),
        functions_(view.functions),
        has_functions_(view.has_functions),
        look_(std::move(look)) {}

  // `above`: over the other view.
  std::unique_ptr<tui::View> lines_view(bool above = false) {
    return std::make_unique<tui::ListView>(
        [this] {
          return list_of(table_of_lines(lines_, all_, look_),
                         fmt::format("{}, {} found them changed elsewhere (HITM)",
                                     counted(lines_.size(), "shared cache line"), counted(all_.hitm(), "load")),
                         fmt::format("h: keys  Enter: what touches the line{}  /: find  q: end",
                                     has_functions_ ? "  Tab: functions" : ""));
        },
        [this, above](const tui::Key& key, std::size_t at) { return key_on_lines(key, at, above); });
  }

  std::unique_ptr<tui::View> functions_view(bool above = false) {
    return std::make_unique<tui::ListView>(
        [this] {
          FunctionTable table = table_of_functions(
              functions_, look_, [this](const FunctionPlace& place) { return open_.contains(place); });
          places_ = std::move(table.places);
          return list_of({.head = std::move(table.head), .rows = std::move(table.rows)},
                         functions_.empty()
                             ? why_no_functions(all_, look_.order)
                             : fmt::format("{} lines written by others, by load cycles",
                                           counted(functions_.size(), "function that loads", "functions that load")),
                         "h: keys  Enter: open  d: rows  Tab: lines  /: find  q: back");
        },
        [this, above](const tui::Key& key, std::size_t at) { return key_on_functions(key, at, above); });
  }

 private:
  std::unique_ptr<tui::View> rows_view(const SharedLine& line) {
    return std::make_unique<tui::ListView>(
        [this, &line] {
          return list_of(table_of_rows(line, lines_, look_),
                         fmt::format("cache line {:#x}: {}", line.address, counted(line.counts.records, "record")),
                         "h: keys  n: nodes  /: find  q: back");
        },
        [this](const tui::Key& key, std::size_t) { return key_on_rows(key); });
  }

  static tui::Answer open(std::unique_ptr<tui::View> view) {
    return {.kind = tui::Answer::Kind::Open, .view = std::move(view)};
  }

  std::optional<tui::Answer> key_on_functions(const tui::Key& key, std::size_t at, bool above) {
    if (key.is('h') || key.is('?')) return help();
    if (key.code == tui::Key::Code::Tab)
      return above ? tui::Answer{.kind = tui::Answer::Kind::Back} : open(lines_view(true));
    const bool toggles = key.code == tui::Key::Code::Enter || key.is('e') || key.is('+');
    if ((!toggles && !key.is('d')) || at >= places_.size()) return std::nullopt;
    const FunctionPlace place = places_[at];
    if (key.is('d') || place.line) {
      const ContendingWriter& writer = functions_[place.function].writers[place.writer.value_or(0)];
      return open(rows_view(*writer.lines[place.line.value_or(0)].line));
    }
    if (open_.erase(place) == 0) open_.insert(place);
    return tui::Answer{};
  }

  std::optional<tui::Answer> key_on_lines(const tui::Key& key, std::size_t at, bool above) {
    if (key.is('h') || key.is('?')) return help();
    if (key.code == tui::Key::Code::Tab && !has_functions_)
      return open(std::make_unique<tui::TextView>(" Functions ", kNoFunctions));
    if (key.code == tui::Key::Code::Tab)
      return above ? tui::Answer{.kind = tui::Answer::Kind::Back} : open(functions_view(true));
    if (key.code != tui::Key::Code::Enter && !key.is('d')) return std::nullopt;
    if (at >= lines_.size()) return tui::Answer{};
    return open(rows_view(lines_[at]));
  }

  std::optional<tui::Answer> key_on_rows(const tui::Key& key) {
    if (key.is('h') || key.is('?')) return help();
    if (!key.is('n')) return std::nullopt;
    look_.nodes = look_.nodes == NodeLook::Ids      ? NodeLook::Shares
                  : look_.nodes == NodeLook::Shares ? NodeLook::Cpus
                                                    : NodeLook::Ids;
    return tui::Answer{};
  }

  static tui::Answer help() { return open(std::make_unique<tui::TextView>(" Keys ", kC2cKeys)); }

  std::span<const SharedLine> lines_;
  const AccessCounts& all_;
  std::span<const ContendedFunction> functions_;
  bool has_functions_;
  SharingLook look_;
  std::set<FunctionPlace> open_;       // functions and writers with shown rows below
  std::vector<FunctionPlace> places_;  // of the shown rows
};

}  // namespace

Result<> show_shared_lines(const SharingView& view, SharingLook look, Invocation& call) {
  const tui::ResizeHold hold;
  auto screen = tui::open_screen(ScriptPlaces::find(call.config).plugins, {.colors = wants_colors(call)});
  if (!screen) return std::unexpected(std::move(screen.error()));
  SharingScreen shown(view, std::move(look));
  tui::show_views(**screen, view.functions_first ? shown.functions_view() : shown.lines_view());
  return {};
}

}  // namespace peregrine::cmd
