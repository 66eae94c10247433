#include "pipeline/build_id/build_id_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/fd.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;

class BuildIdStore : public ::testing::Test {
 protected:
  BuildIdStore() {
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/root/proc");
    std::ofstream(folder_ + "/root/proc/kallsyms") << "ffffffff81000000 T _stext\n";
    std::ofstream(folder_ + "/victim") << "mine";
  }
  ~BuildIdStore() override { fs::remove_all(folder_); }

  std::size_t add(const std::string& name) {
    FoundBuildId found;
    found.entry.id = BuildId::from_bytes(std::vector<std::byte>(20, std::byte{0xab}));
    found.entry.name = name;
    found.file = folder_ + "/root" + name;
    return add_to_build_id_cache(Root(folder_ + "/root"), folder_ + "/cache", {found});
  }
  std::string victim() const { return read_file(folder_ + "/victim").value_or("gone"); }

  std::string folder_ = ::testing::TempDir() + "build_id_store_test";
  std::string id_ = [] {
    std::string hex;
    for (int i = 0; i < 20; ++i) hex += "ab";
    return hex;
  }();
};

TEST_F(BuildIdStore, KeepsTheKernelsSymbols) {
  EXPECT_EQ(add("[kernel.kallsyms]"), 0u);
  EXPECT_EQ(read_file(folder_ + "/cache/[kernel.kallsyms]/" + id_ + "/kallsyms"), "ffffffff81000000 T _stext\n");
  EXPECT_TRUE(fs::is_symlink(folder_ + "/cache/.build-id/ab/" + id_.substr(2)));
}

// Names come from mapped paths, which are chosen by whoever mapped them.
TEST_F(BuildIdStore, LeavesTheCacheFolderUnderNoName) {
  for (const char* name : {"/../victim", "../victim", "/a/../../victim", "/..", ""}) EXPECT_EQ(add(name), 1u) << name;
  EXPECT_FALSE(fs::exists(folder_ + "/cache"));
  EXPECT_EQ(victim(), "mine");
}

TEST_F(BuildIdStore, WritesThroughNoLink) {
  const std::string place = folder_ + "/cache/[kernel.kallsyms]/" + id_;
  fs::create_directories(place);
  fs::create_symlink(folder_ + "/victim", place + "/kallsyms");
  add("[kernel.kallsyms]");
  EXPECT_EQ(victim(), "mine");
  fs::remove(place + "/kallsyms");
  fs::remove_all(folder_ + "/cache/.build-id");
  fs::create_symlink(folder_ + "/absent", place + "/kallsyms");
  add("[kernel.kallsyms]");
  EXPECT_FALSE(fs::exists(folder_ + "/absent"));
}

}  // namespace
}  // namespace peregrine
