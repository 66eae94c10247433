// AnnotateView's key bindings, which are linux-perf's.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "analysis/annotate/listing.h"
#include "analysis/annotate/symbol_hits.h"
#include "analysis/browse/queries.h"
#include "output/tui/annotate/annotate_view.h"
#include "output/tui/menu/popup.h"
#include "output/tui/menu/script_menu.h"
#include "output/tui/screen/screen.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

namespace {

constexpr std::string_view kAnnotateHelp =
    "Up Down PgUp PgDn Home End   move\n"
    "H                            go to the hottest instruction\n"
    "Tab, Shift-Tab               next hottest, previous hottest instruction\n"
    "Enter, Right                 follow the jump\n"
    "/                            search\n"
    "n, N                         next match, previous match\n"
    "j                            show, hide arrows at jumps\n"
    "J                            show the number of jumps to each instruction\n"
    "o                            show addresses and bytes of all instructions\n"
    "O                            offsets: at jump targets, also at calls, everywhere\n"
    "f                            show addresses instead of offsets\n"
    "s                            show, hide source\n"
    "k                            show, hide line numbers\n"
    "l                            show, hide file names\n"
    "t                            percentages, periods, samples\n"
    "p                            % of this function, of the whole event\n"
    "b                            by period, by number of samples\n"
    "c                            min/max cycles, if branches have cycles\n"
    "T                            show types of accessed data\n"
    "P                            write the code to FUNCTION.annotation\n"
    "r                            run a script on the samples of the function\n"
    "q, Esc, Left                 back\n"
    "h, ?                         this list\n"
    "Ctrl-C                       quit\n";

}  // namespace

Answer AnnotateView::key(const Key& key) {
  if (key.code == Key::Code::None) return {};
  status_.clear();
  if (cursor_.move(key, lines_.size(), height_)) return {};
  switch (key.code) {
    case Key::Code::Escape:
    case Key::Code::Left:
    case Key::Code::Backspace:
      return {.kind = Answer::Kind::Back};
    case Key::Code::Tab:
      go_to_hottest(hot_place_ + 1);
      return {};
    case Key::Code::BackTab:
      go_to_hottest(hot_place_ + hottest_.size() - std::min<std::size_t>(hottest_.size(), 1));
      return {};
    case Key::Code::Enter:
    case Key::Code::Right:
      if (lines_.empty()) return {};
      if (const std::size_t target = target_of(lines_[cursor_.at].instruction); target != kNone)
        go_to(target);
      else
        status_ = "not a jump within this function";
      return {};
    case Key::Code::Click:
      if (key.y >= 2 && key.y < height_ + 2) cursor_.at = cursor_.first + key.y - 2;
      cursor_.settle(lines_.size(), height_);
      return {};
    case Key::Code::Char:
      return letter(key.glyph);
    default:
      return {};
  }
}

Answer AnnotateView::letter(char32_t letter) {
  if (look(letter) || count(letter)) return {};
  switch (letter) {
    case 'q':
      return {.kind = Answer::Kind::Back};
    case 3:
      return {.kind = Answer::Kind::Quit};
    case 'h':
    case '?':
      return show_keys(kAnnotateHelp);
    case 'H':
      go_to_hottest(0);
      return {};
    case '/':
      return search();
    case 'n':
    case 'N':
      if (wanted_.empty()) return search();
      if (!search_from(cursor_.at, letter == 'N')) status_ = letter == 'N' ? "not found above" : "not found below";
      return {};
    case 'P':
      print();
      return {};
    case 'r':
      if (!settings_.scripts) break;
      return choose_script(settings_, {.comm = {}, .symbol = code_.listing.symbol});
    default:
      break;
  }
  status_ = "press ? for keys";
  return {};
}

// Keys that change how instructions and source are shown.
bool AnnotateView::look(char32_t letter) {
  switch (letter) {
    case 's':
      toggle_source();
      return true;
    case 'o':
      raw_ = !raw_;
      return true;
    case 'O':
      offsets_ = offsets_ == Offsets::Targets ? Offsets::Calls
                 : offsets_ == Offsets::Calls ? Offsets::All
                                              : Offsets::Targets;
      return true;
    case 'f':
      addresses_ = !addresses_;
      return true;
    case 'k':
      numbers_ = !numbers_;
      return true;
    case 'l':
      files_ = !files_;
      return true;
    case 'j':
      arrows_ = !arrows_;
      return true;
    case 'J':
      jump_counts_ = !jump_counts_;
      return true;
    case 'T':
      toggle_types();
      return true;
    default:
      return false;
  }
}

// Keys that change what the first columns show.
bool AnnotateView::count(char32_t letter) {
  switch (letter) {
    case 't':
      column_ = column_ == Column::Percent  ? Column::Period
                : column_ == Column::Period ? Column::Samples
                                            : Column::Percent;
      return true;
    case 'p':
      type_.base = type_.base == PercentBase::Symbol ? PercentBase::Recording : PercentBase::Symbol;
      return true;
    case 'b':
      type_.of = type_.of == PercentOf::Period ? PercentOf::Samples : PercentOf::Period;
      find_hottest();
      return true;
    case 'c':
      if (flow_.timed())
        cycles_ = cycles_ == Cycles::Mean ? Cycles::Bounds : Cycles::Mean;
      else
        status_ = "no branch cycles recorded for this code";
      return true;
    default:
      return false;
  }
}

void AnnotateView::toggle_source() {
  const std::size_t instruction = lines_.empty() ? 0 : lines_[cursor_.at].instruction;
  source_ = !source_;
  if (!source_) beside_ = false;
  make_lines();
  if (!lines_.empty()) go_to(instruction);
}

void AnnotateView::toggle_types() {
  types_ = !types_;
  const auto known = [](const ListingLine& line) { return !line.data_type.empty(); };
  if (!types_ || std::ranges::any_of(code_.listing.lines, known)) return;
  if (code_.add_types) code_.add_types(code_.listing);
  if (std::ranges::none_of(code_.listing.lines, known))
    status_ = "no data types: only for x86-64 or arm64 code built with -g";
}

void AnnotateView::print() {
  if (!settings_.print_code) return;
  const auto written = settings_.print_code(code_);
  status_ = written ? "wrote " + *written : written.error().message;
}

bool AnnotateView::search_from(std::size_t start, bool backwards) {
  for (std::size_t at = start; backwards ? at-- > 0 : ++at < lines_.size();) {
    const Line& line = lines_[at];
    const std::string text = line.source == kNone ? text_of(line.instruction)
                                                  : code_.listing.lines[line.instruction].source[line.source].text;
    if (!contains_any_case(text, wanted_)) continue;
    cursor_.at = at;
    cursor_.settle(lines_.size(), height_);
    return true;
  }
  return false;
}

Answer AnnotateView::search() {
  const std::size_t start = cursor_.at;
  return {.kind = Answer::Kind::Open,
          .view = std::make_unique<PromptView>(
              "find:", "",
              [this, start](const std::string& text) {
                wanted_ = text;
                cursor_.at = start;
                if (!text.empty()) search_from(start, false);
              },
              [this, start](const std::string&, bool accepted) {
                if (!accepted) {
                  wanted_.clear();
                  cursor_.at = start;
                }
                return Answer{.kind = Answer::Kind::Back};
              })};
}

}  // namespace peregrine::tui
