#include "cmd/c2c_screen.h"

#include <algorithm>
#include <optional>

#include "cmd/browse.h"
#include "cmd/script_places.h"
#include "output/tui/list_view.h"
#include "output/tui/popup.h"
#include "output/tui/view_stack.h"

namespace peregrine::cmd {

namespace {

constexpr std::string_view kC2cKeys =
    "arrows, Page Up, Page Down, Home, End   walk through the lines\n"
    "Left, Right                             the rest of wide tables\n"
    "Enter, d                                what touches the line\n"
    "n                                       nodes, what each did, its CPUs\n"
    "/, N                                    find a text, find it again\n"
    "q, Escape                               back, end\n";

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

tui::ListText list_of(SharingTable table, std::string title, std::string hint) {
  tui::ListText text{.title = std::move(title), .head = lines_of(table.head), .lines = {}, .hint = std::move(hint)};
  for (const std::string& row : table.rows)
    for (std::string& line : lines_of(row)) text.lines.push_back(std::move(line));
  return text;
}

class SharingScreen {
 public:
  SharingScreen(std::span<const SharedLine> lines, const AccessCounts& all, SharingLook look)
      : lines_(lines), all_(all), look_(std::move(look)) {}

  std::unique_ptr<tui::View> lines_view() {
    return std::make_unique<tui::ListView>(
        [this] {
          return list_of(table_of_lines(lines_, all_, look_),
                         fmt::format("{} shared cache lines, {} loads found them changed elsewhere (HITM)",
                                     lines_.size(), all_.hitm()),
                         "h: keys  Enter: what touches the line  /: find  q: end");
        },
        [this](const tui::Key& key, std::size_t at) { return key_on_lines(key, at); });
  }

 private:
  std::unique_ptr<tui::View> rows_view(const SharedLine& line) {
    return std::make_unique<tui::ListView>(
        [this, &line] {
          return list_of(table_of_rows(line, lines_, look_),
                         fmt::format("cache line {:#x}: {} records", line.address, line.counts.records),
                         "h: keys  n: nodes  /: find  q: back");
        },
        [this](const tui::Key& key, std::size_t) { return key_on_rows(key); });
  }

  std::optional<tui::Answer> key_on_lines(const tui::Key& key, std::size_t at) {
    if (key.is('h') || key.is('?')) return help();
    if (key.code != tui::Key::Code::Enter && !key.is('d')) return std::nullopt;
    if (at >= lines_.size()) return tui::Answer{};
    return tui::Answer{.kind = tui::Answer::Kind::Open, .view = rows_view(lines_[at])};
  }

  std::optional<tui::Answer> key_on_rows(const tui::Key& key) {
    if (key.is('h') || key.is('?')) return help();
    if (!key.is('n')) return std::nullopt;
    look_.nodes = look_.nodes == NodeLook::Ids      ? NodeLook::Shares
                  : look_.nodes == NodeLook::Shares ? NodeLook::Cpus
                                                    : NodeLook::Ids;
    return tui::Answer{};
  }

  static tui::Answer help() {
    return {.kind = tui::Answer::Kind::Open, .view = std::make_unique<tui::TextView>(" Keys ", kC2cKeys)};
  }

  std::span<const SharedLine> lines_;
  const AccessCounts& all_;
  SharingLook look_;
};

}  // namespace

Result<> show_shared_lines(std::span<const SharedLine> lines, const AccessCounts& all, SharingLook look,
                           Invocation& call) {
  const tui::ResizeHold hold;
  auto screen = tui::open_screen(ScriptPlaces::find(call.config).plugins, {.colors = wants_colors(call)});
  if (!screen) return std::unexpected(std::move(screen.error()));
  SharingScreen shown(lines, all, std::move(look));
  tui::show_views(**screen, shown.lines_view());
  return {};
}

}  // namespace peregrine::cmd
