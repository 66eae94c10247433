// ReportView's row menu and its actions.
#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/browse/queries.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/graph_options.h"
#include "analysis/hist/row/row_table.h"
#include "output/text/report/report_graph.h"
#include "output/tui/annotate/annotate_view.h"
#include "output/tui/menu/popup.h"
#include "output/tui/menu/sample_menu.h"
#include "output/tui/menu/script_menu.h"
#include "output/tui/picture/butterfly_view.h"
#include "output/tui/report/report_view.h"
#include "output/tui/screen/settings.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {
namespace {

struct MenuEntries {
  std::vector<std::string> lines;
  std::vector<std::function<Answer()>> actions;

  void offer(std::string text, std::function<Answer()> act) {
    lines.push_back(std::move(text));
    actions.push_back(std::move(act));
  }
};

// Scripts get the samples of the row's comm, of its symbol, or all. `comm`, `symbol`: empty if the row has none.
void offer_scripts(MenuEntries& entries, const ReportSettings& settings, const std::string& comm,
                   const std::string& symbol, const std::string& name) {
  const auto script = [&settings](ScriptSamples of) {
    return [&settings, of = std::move(of)] {
      Answer answer = choose_script(settings, of);
      answer.kind = Answer::Kind::Swap;
      return answer;
    };
  };
  if (!comm.empty()) entries.offer("Run scripts for samples of " + comm, script({.comm = comm, .symbol = {}}));
  if (!symbol.empty()) entries.offer("Run scripts for samples of " + name, script({.comm = {}, .symbol = symbol}));
  entries.offer("Run scripts for all samples (same as 'r')", script({}));
}

}  // namespace

Answer ReportView::annotate() {
  if (line() == nullptr) return {};
  const HistFrame frame = queries_.frame(frame_of(*line()));
  auto code = queries_.annotate(frame, look_.table);
  if (!code)
    return open_view(std::make_unique<TextView>(
        " No code ", code.error().message + (code.error().hint.empty() ? "" : "\n\n" + code.error().hint)));
  const std::size_t table = look_.table;
  return open_view(std::make_unique<AnnotateView>(
      std::move(*code), [this, frame, table] { return queries_.annotate(frame, table); }, settings_));
}

Answer ReportView::show_callers() {
  if (line() == nullptr) return {};
  const std::string name = frame_text(page_->table->faces(), GraphKey::Function, frame_of(*line()));
  return open_view(std::make_unique<ButterflyView>(queries_, look_, name));
}

Answer ReportView::menu() {
  if (line() == nullptr) return {};
  const Line at = *line();
  const HistFrameId frame = frame_of(at);
  const FaceTable& faces = page_->table->faces();
  const FrameLook& look = faces.look(frame);
  const std::string name = frame_text(faces, GraphKey::Function, frame);
  MenuEntries entries;
  // Runs the view's key binding and closes the menu: a new view replaces it.
  const auto by_key = [this](char32_t key) {
    return [this, key] {
      Answer answer = letter(key);
      if (answer.kind == Answer::Kind::Open) answer.kind = Answer::Kind::Swap;
      if (answer.kind == Answer::Kind::Stay) answer.kind = Answer::Kind::Back;
      return answer;
    };
  };
  if (look.symbol.valid()) entries.offer("Annotate " + name, by_key('a'));
  entries.offer("Zoom into thread (same as 't')", by_key('t'));
  if (look.dso.valid()) entries.offer(fmt::format("Zoom into {} (same as 'd')", faces.text(look.dso)), by_key('d'));
  if (!queries_.parts(page_->rows[at.row], Zoom::Kind::Socket).empty())
    entries.offer("Zoom into a processor socket (same as 'S')", by_key('S'));
  entries.offer(fmt::format("Zoom into samples through {} (same as 'Z')", name), by_key('Z'));
  if (can_open(at))
    entries.offer(
        fmt::format("{} [{}] callchain (one level, same as '+'; whole: 'e', 'c')", is_open(at) ? "Fold" : "Open", name),
        by_key('+'));
  entries.offer(fmt::format("Callers and callees of {} (same as 'b')", name), by_key('b'));
  entries.offer("Flame graph (same as 'G')", by_key('G'));
  entries.offer("Browse map details", [this, frame] {
    return Answer{.kind = Answer::Kind::Swap,
                  .view = std::make_unique<TextView>(" Map ", queries_.describe_dso(frame))};
  });
  if (auto samples = queries_.samples(page_->rows[at.row]); !samples.empty() && settings_.run_script)
    entries.offer("Show individual samples",
                  [this, samples = std::move(samples)] { return choose_sample(settings_, samples); });
  if (settings_.scripts) {
    const Row& row = page_->table->rows()[page_->rows[at.row]];
    offer_scripts(entries, settings_, std::string(page_->table->group_text(row, SortKey::Comm)),
                  look.symbol.valid() ? std::string(faces.text(look.symbol)) : std::string(), name);
  }
  entries.offer("Filter rows (same as '/')", by_key('/'));
  if (settings_.files) entries.offer("Switch to another recording in this folder (same as 's')", by_key('s'));
  entries.offer("Exit", [] { return Answer{.kind = Answer::Kind::Quit}; });
  return open_view(std::make_unique<MenuView>(
      " " + name + " ", std::move(entries.lines),
      [actions = std::move(entries.actions)](std::size_t chosen) { return actions[chosen](); }));
}

}  // namespace peregrine::tui
