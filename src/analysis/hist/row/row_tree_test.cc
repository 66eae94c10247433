#include "analysis/hist/row/row_tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/naming.h"
#include "base/container/string_pool.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;

class TreeWords : public Naming {
 public:
  u32 id(std::string_view text) { return words_.intern(text).value; }
  std::string_view dso(u32 id) override { return words_.view(StringId(id)); }
  SymbolName symbol(u32, u32 id) override { return {words_.view(StringId(id)), id * u64{16}, id * u64{16} + 16}; }
  std::string text(SortKey, u64 value) override { return std::string(words_.view(StringId(static_cast<u32>(value)))); }

 private:
  StringPool words_;
};

struct RowTreeTest : ::testing::Test {
  void add(std::string_view comm, std::string_view dso, std::string_view symbol, u64 period) {
    const u64 values[] = {0, words.id(comm)};
    hists.add({.group = hists.groups().intern(values),
               .leaf = hists.frames().intern({.dso = words.id(dso), .symbol = words.id(symbol)}),
               .period = period});
    hists.totals(0).period += period;
  }
  std::string describe(const RowTree& tree, u32 id) {
    const RowNode& node = tree.node(id);
    const Row& row = tree.table().rows()[node.row];
    std::string text;
    for (const SortKey key : tree.levels()[node.level]) {
      const FrameLook& look = tree.table().frame_look(row);
      text += key == SortKey::Comm ? tree.table().group_text(row, key)
                                   : tree.table().faces().text(key == SortKey::Dso ? look.dso : look.symbol);
      text += " ";
    }
    text += fmt::format("{}", tree.weight(id));
    for (const u32 child : node.children) text += "(" + describe(tree, child) + ")";
    return text;
  }
  std::vector<std::string> tree(const std::string& sort) {
    const Columns columns = *parse_columns({.sort = sort});
    const FaceTable faces(hists.frames(), words, {.dso = true, .symbol = true});
    const RowTable table(hists, faces, words, {.columns = columns});
    const RowTree made(table, columns.levels);
    std::vector<std::string> result;
    for (const u32 root : made.roots()) result.push_back(describe(made, root));
    return result;
  }
  TreeWords words;
  Hists hists{2};
};

TEST_F(RowTreeTest, EachKeyIsALevelAndParentsAreSums) {
  add("sh", "libc", "malloc", 10);
  add("sh", "libc", "free", 20);
  add("sh", "sh", "main", 25);
  add("cc", "libc", "free", 30);
  EXPECT_THAT(tree("comm,dso,sym"),
              ElementsAre("sh 55(libc 30(free 20)(malloc 10))(sh 25(main 25))", "cc 30(libc 30(free 30))"));
}

TEST_F(RowTreeTest, BracedKeysAreOneLevel) {
  add("sh", "libc", "malloc", 10);
  add("sh", "libc", "free", 20);
  add("cc", "libc", "free", 30);
  EXPECT_THAT(tree("{comm,dso},sym"), ElementsAre("cc libc 30(free 30)", "sh libc 30(free 20)(malloc 10)"));
}

}  // namespace
}  // namespace peregrine
