#include "output/svg/flame_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <stack>

#include "analysis/hist/picture/stack_profile.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

FlameTree small_tree() {
  FlameTree tree;
  tree.boxes = {
      {.name = "all", .period = 1000, .samples = 10},
      {.name = "load", .kind = CodeKind::Comm, .period = 1000, .samples = 10, .depth = 1},
      {.name = "main", .kind = CodeKind::Application, .period = 750, .samples = 7, .depth = 2, .parent = 1},
      {.name = "do_syscall_64",
       .kind = CodeKind::Kernel,
       .period = 250,
       .samples = 1,
       .offset = 750,
       .depth = 2,
       .parent = 1},
  };
  tree.depth = 3;
  return tree;
}

std::string draw(const FlameTree& tree, const FlameText& text = {}) {
  Sink out;
  print_flame_graph(out, tree, text);
  return out.take();
}

// True if every tag is closed by a matching one; enough of XML for what we write.
bool well_formed(std::string_view text) {
  std::stack<std::string> open;
  if (const auto start = text.find("<![CDATA["); start != std::string_view::npos) {
    const auto end = text.find("]]>", start);
    return end != std::string_view::npos &&
           well_formed(std::string(text.substr(0, start)) + std::string(text.substr(end + 3)));
  }
  for (std::size_t at = text.find("?>") + 2; (at = text.find('<', at)) != std::string_view::npos;) {
    const std::size_t end = text.find('>', at);
    if (end == std::string_view::npos) return false;
    const std::string_view tag = text.substr(at + 1, end - at - 1);
    const std::string name(
        tag.substr(tag.starts_with('/') ? 1 : 0, tag.find_first_of(" /", 1) - (tag.starts_with('/') ? 1 : 0)));
    if (tag.starts_with('/')) {
      if (open.empty() || open.top() != name) return false;
      open.pop();
    } else if (!tag.ends_with('/')) {
      open.push(name);
    }
    at = end;
  }
  return open.empty();
}

TEST(FlameGraph, BoxesStandWhereTheirSharesSay) {
  const std::string svg = draw(small_tree());
  EXPECT_TRUE(well_formed(svg));
  EXPECT_THAT(
      svg,
      HasSubstr("<title>main (7 samples, 750 samples, 75.00%)</title><rect x=\"0.0000%\" y=\"64\" width=\"75.0000%\""));
  EXPECT_THAT(svg, HasSubstr("<title>do_syscall_64 (1 sample, 250 samples, 25.00%)</title><rect x=\"75.0000%\""));
  EXPECT_THAT(svg, HasSubstr(">kernel</text>"));
  EXPECT_THAT(svg, Not(HasSubstr(">library</text>")));
}

TEST(FlameGraph, AnIcicleHangs) {
  const std::string svg = draw(small_tree(), {.inverted = true});
  EXPECT_THAT(svg, HasSubstr("100.00%)</title><rect x=\"0.0000%\" y=\"64\" width=\"100.0000%\""));
  EXPECT_THAT(svg, HasSubstr("75.00%)</title><rect x=\"0.0000%\" y=\"100\" width=\"75.0000%\""));
}

TEST(FlameGraph, AComparisonIsColouredByChange) {
  FlameTree tree = small_tree();
  tree.compared = true;
  tree.boxes[1].before = 1000;
  tree.boxes[2].before = 500;
  tree.boxes[3].before = 350;
  tree.vanished = 150;
  const std::string svg = draw(tree);
  EXPECT_TRUE(well_formed(svg));
  EXPECT_THAT(svg, HasSubstr("75.00%; before 50.00%, +25.00)</title>"));
  EXPECT_THAT(svg, HasSubstr("fill=\"hsl(26,90%,58%)\""));
  EXPECT_THAT(svg, HasSubstr("fill=\"hsl(205,75%,58%)\""));
  EXPECT_THAT(svg, HasSubstr("15.00% was in stacks that no longer occur"));
}

TEST(FlameColors, AreNamed) {
  EXPECT_EQ(flame_colors("hot"), FlameColors::Hot);
  EXPECT_FALSE(flame_colors("Hot"));
  const FlameBox box{.name = "main", .kind = CodeKind::Kernel};
  EXPECT_NE(flame_fill(box, FlameColors::Kind), flame_fill(box, FlameColors::Hot));
}

TEST(FlameGraph, HostileNamesAreText) {
  FlameTree tree = small_tree();
  tree.boxes[2].name = "</title><script>alert('x')</script>]]>\x1b[2J\xff";
  const std::string svg = draw(tree, {.title = "<b>", .subtitle = "a & b"});
  EXPECT_TRUE(well_formed(svg));
  EXPECT_THAT(svg, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(svg, HasSubstr("&lt;/title&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;]]&gt;\\x1b[2J\\xff"));
  EXPECT_THAT(svg, HasSubstr("a &amp; b"));
}

TEST(FlameGraph, NothingRecordedIsStillAPicture) {
  FlameTree tree;
  tree.boxes.push_back({.name = "all"});
  tree.depth = 1;
  EXPECT_TRUE(well_formed(draw(tree)));
}

}  // namespace
}  // namespace peregrine
