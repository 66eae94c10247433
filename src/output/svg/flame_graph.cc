#include "output/svg/flame_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "analysis/hist/picture/stack_profile.h"
#include "base/types.h"
#include "output/svg/flame_script.h"
#include "output/text/format/grouped_number.h"
#include "output/text/format/printable.h"

namespace peregrine {
namespace {

constexpr unsigned kFlameRow = 18;       // height of a level, including the gap
constexpr unsigned kFlameTop = 64;       // title and buttons
constexpr unsigned kFlameBottom = 44;    // details and legend
constexpr double kFlameCharacter = 6.6;  // approximate width of a character at 11 px

// Truncates the name to fit into `pixels`.
std::string fitting(std::string_view name, double pixels) {
  const double room = pixels / kFlameCharacter;
  if (room < 3) return {};
  if (static_cast<double>(display_width(name)) <= room) return std::string(name);
  std::size_t end = 0;
  // Cuts between characters, not inside the bytes of one.
  for (std::size_t shown = 0; end < name.size() && static_cast<double>(shown + 2) < room; ++shown) do
      ++end;
    while (end < name.size() && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80);
  return std::string(name.substr(0, end)) + "..";
}

class FlamePrinter {
 public:
  FlamePrinter(Sink& out, const FlameTree& tree, const FlameText& text)
      : out_(out),
        tree_(tree),
        text_(text),
        height_(kFlameTop + tree.depth * kFlameRow + kFlameBottom),
        whole_(static_cast<double>(std::max<u64>(tree.boxes.empty() ? 0 : tree.boxes[0].period, 1))) {}
  void print();

 private:
  void print_head();
  void print_box(const FlameBox& box);
  void print_kinds();
  void print_changes();
  void print_swatch(std::string_view fill, std::string_view word);
  std::string fill_of(const FlameBox& box) const;
  double share(u64 period) const { return static_cast<double>(period) / whole_; }

  Sink& out_;
  const FlameTree& tree_;
  const FlameText& text_;
  unsigned height_;
  double whole_;
  unsigned legend_end_ = 10;
};

std::string FlamePrinter::fill_of(const FlameBox& box) const {
  if (tree_.compared && box.kind != CodeKind::All) return change_fill(share(box.period), share(box.before));
  return flame_fill(box, text_.colors);
}

void FlamePrinter::print_head() {
  out_.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  out_.format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{}\" height=\"{}\" id=\"page\" "
      "data-row=\"{}\" data-unit=\"{}\" data-down=\"{}\">\n",
      text_.width, height_, kFlameRow, xml_text(text_.unit), text_.inverted ? 1 : 0);
  out_.format("<title>{}</title>\n", xml_text(text_.title));
  out_.append("<style>").append(kFlameStyle).append("</style>\n");
  out_.format("<rect class=\"back\" width=\"100%\" height=\"{}\"/>\n", height_);
  out_.format("<text id=\"title\" x=\"50%\" y=\"24\">{}</text>\n", xml_text(text_.title));
  out_.format("<text id=\"subtitle\" x=\"50%\" y=\"42\">{}</text>\n", xml_text(text_.subtitle));
  out_.append("<text class=\"button\" id=\"reset\" x=\"10\" y=\"24\">Reset zoom</text>\n");
  out_.append("<text class=\"button\" id=\"search\" x=\"100%\" dx=\"-10\" y=\"24\">Search</text>\n");
  out_.append("<text id=\"matched\" x=\"100%\" dx=\"-10\" y=\"42\"> </text>\n");
}

void FlamePrinter::print_box(const FlameBox& box) {
  const std::string name = printable(box.name);
  const double left = share(box.offset) * 100, width = share(box.period) * 100;
  const unsigned top = kFlameTop + (text_.inverted ? box.depth : tree_.depth - 1 - box.depth) * kFlameRow;
  out_.format("<g><title>{} ({}, {} {}, {:.2f}%", xml_text(name), grouped_count(box.samples, "sample"),
              grouped_number(box.period), xml_text(text_.unit), width);
  if (tree_.compared)
    out_.format("; before {:.2f}%, {:+.2f}", share(box.before) * 100, width - share(box.before) * 100);
  out_.append(")</title>");
  out_.format("<rect x=\"{:.4f}%\" y=\"{}\" width=\"{:.4f}%\" height=\"{}\" fill=\"{}\"/>", left, top, width,
              kFlameRow - 1, fill_of(box));
  out_.format("<text x=\"{:.4f}%\" dx=\"3\" y=\"{}\">{}</text></g>\n", left, top + 13,
              xml_text(fitting(name, width / 100 * text_.width - 6)));
}

void FlamePrinter::print_swatch(std::string_view fill, std::string_view word) {
  const unsigned y = height_ - 12;
  out_.format("<rect x=\"{}\" y=\"{}\" width=\"11\" height=\"11\" fill=\"{}\"/>", legend_end_, y - 10, fill);
  out_.format("<text x=\"{}\" y=\"{}\">{}</text>", legend_end_ + 16, y, word);
  legend_end_ += 36 + static_cast<unsigned>(static_cast<double>(word.size()) * kFlameCharacter);
}

void FlamePrinter::print_kinds() {
  for (const CodeLook& look : kCodeLooks)
    if (std::ranges::any_of(tree_.boxes, [&](const FlameBox& box) { return box.kind == look.kind; }))
      print_swatch(hsl(look.hue, look.saturation, look.lightness), look.word);
}

void FlamePrinter::print_changes() {
  print_swatch(change_fill(0, 0.1), "less than before");
  print_swatch(change_fill(0.1, 0.1), "unchanged");
  print_swatch(change_fill(0.1, 0), "more than before");
  if (tree_.vanished > 0)
    out_.format("<text x=\"{}\" y=\"{}\">{:.2f}% was in stacks that no longer occur</text>", legend_end_ + 10,
                height_ - 12, share(tree_.vanished) * 100);
}

void FlamePrinter::print() {
  print_head();
  out_.append("<g id=\"boxes\">\n");
  for (const FlameBox& box : tree_.boxes) print_box(box);
  out_.append("</g>\n");
  out_.format("<text id=\"details\" x=\"10\" y=\"{}\"> </text>\n<g id=\"legend\">", height_ - 28);
  if (tree_.compared)
    print_changes();
  else if (text_.colors == FlameColors::Kind)
    print_kinds();
  if (tree_.pruned > 0)
    out_.format("<text x=\"100%\" dx=\"-10\" y=\"{}\" class=\"right\">{} too narrow to show</text>", height_ - 12,
                grouped_count(tree_.pruned, "branch", "branches"));
  out_.append("</g>\n");
  out_.append("<script><![CDATA[").append(kFlameScript).append("]]></script>\n</svg>\n");
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

void print_flame_graph(Sink& out, const FlameTree& tree, const FlameText& text) {
  FlamePrinter(out, tree, text).print();
}

}  // namespace peregrine
