#include "output/svg/flame_graph.h"

#include <algorithm>
#include <array>

#include "output/svg/flame_script.h"
#include "output/text/printable.h"

namespace peregrine {
namespace {

constexpr unsigned kRow = 18;       // height of a level, with its gap
constexpr unsigned kTop = 64;       // title and buttons
constexpr unsigned kBottom = 44;    // details and legend
constexpr double kCharacter = 6.6;  // width of one at 11 px, roughly

// Okabe and Ito's palette, lightened: told apart with any kind of colour vision, and by lightness in print.
struct Kind {
  FlameKind kind;
  std::string_view word;
  unsigned hue, saturation, lightness;
};
constexpr std::array kKinds{
    Kind{FlameKind::Comm, "process", 0, 0, 84},         Kind{FlameKind::Application, "program", 202, 77, 74},
    Kind{FlameKind::Library, "library", 164, 52, 68},   Kind{FlameKind::Jit, "JIT", 327, 45, 78},
    Kind{FlameKind::Kernel, "kernel", 41, 92, 66},      Kind{FlameKind::Module, "module", 26, 85, 62},
    Kind{FlameKind::Unresolved, "no symbol", 0, 0, 76},
};

const Kind& look_of(FlameKind kind) {
  const auto found = std::ranges::find(kKinds, kind, &Kind::kind);
  return found == kKinds.end() ? kKinds[0] : *found;
}

// A shade of its kind's colour that depends on the name only: neighbours differ, and two graphs can be compared.
std::string fill_of(const FlameBox& box) {
  const Kind& kind = look_of(box.kind);
  u32 hash = 2166136261u;
  for (const char c : box.name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  const unsigned spread = box.kind == FlameKind::All || box.kind == FlameKind::Comm ? 1 : 12;
  return fmt::format("hsl({},{}%,{}%)", kind.hue, kind.saturation, kind.lightness + (hash >> 8) % spread);
}

std::string grouped(u64 value) {
  std::string digits = fmt::format("{}", value);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

// The name as far as it fits into `pixels`.
std::string fitting(std::string_view name, double pixels) {
  const double room = pixels / kCharacter;
  if (room < 3) return {};
  if (static_cast<double>(display_width(name)) <= room) return std::string(name);
  std::size_t end = 0;
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
        height_(kTop + tree.depth * kRow + kBottom),
        whole_(static_cast<double>(std::max<u64>(tree.boxes.empty() ? 0 : tree.boxes[0].period, 1))) {}
  void print();

 private:
  void print_head();
  void print_box(const FlameBox& box);
  void print_legend();

  Sink& out_;
  const FlameTree& tree_;
  const FlameText& text_;
  unsigned height_;
  double whole_;
};

void FlamePrinter::print_head() {
  out_.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  out_.format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{}\" height=\"{}\" id=\"page\" "
      "data-row=\"{}\" data-unit=\"{}\">\n",
      text_.width, height_, kRow, xml_text(text_.unit));
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
  const double left = static_cast<double>(box.offset) / whole_ * 100,
               share = static_cast<double>(box.period) / whole_ * 100;
  const unsigned top = kTop + (tree_.depth - 1 - box.depth) * kRow;
  out_.format("<g><title>{} ({} {}, {} {}, {:.2f}%)</title>", xml_text(name), grouped(box.samples),
              box.samples == 1 ? "sample" : "samples", grouped(box.period), xml_text(text_.unit), share);
  out_.format("<rect x=\"{:.4f}%\" y=\"{}\" width=\"{:.4f}%\" height=\"{}\" fill=\"{}\"/>", left, top, share, kRow - 1,
              fill_of(box));
  out_.format("<text x=\"{:.4f}%\" dx=\"3\" y=\"{}\">{}</text></g>\n", left, top + 13,
              xml_text(fitting(name, share / 100 * text_.width - 6)));
}

void FlamePrinter::print_legend() {
  const unsigned y = height_ - 12;
  out_.format("<text id=\"details\" x=\"10\" y=\"{}\"> </text>\n<g id=\"legend\">", height_ - 28);
  unsigned x = 10;
  for (const Kind& kind : kKinds) {
    if (std::ranges::none_of(tree_.boxes, [&](const FlameBox& box) { return box.kind == kind.kind; })) continue;
    out_.format("<rect x=\"{}\" y=\"{}\" width=\"11\" height=\"11\" fill=\"hsl({},{}%,{}%)\"/>", x, y - 10, kind.hue,
                kind.saturation, kind.lightness);
    out_.format("<text x=\"{}\" y=\"{}\">{}</text>", x + 16, y, kind.word);
    x += 36 + static_cast<unsigned>(static_cast<double>(kind.word.size()) * kCharacter);
  }
  if (tree_.pruned > 0)
    out_.format("<text x=\"{}\" y=\"{}\">{} branches too narrow to show</text>", x + 10, y, grouped(tree_.pruned));
  out_.append("</g>\n");
}

void FlamePrinter::print() {
  print_head();
  out_.append("<g id=\"boxes\">\n");
  for (const FlameBox& box : tree_.boxes) print_box(box);
  out_.append("</g>\n");
  print_legend();
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
