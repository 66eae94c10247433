#include "symbol/lookup/build_id_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <span>

#include "symbol/elf/build_id.h"
#include "symbol/lookup/debug_file.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;

class BuildIdCacheTest : public ::testing::Test {
 protected:
  BuildIdCacheTest() {
    std::string pattern = (fs::temp_directory_path() / "cache.XXXXXX").string();
    top_ = ::mkdtemp(pattern.data());
    program_ = fs::read_symlink("/proc/self/exe").string();
    if (const auto id = read_build_id(program_)) id_ = *id;
  }
  ~BuildIdCacheTest() override { fs::remove_all(top_); }

  BuildIdCache cache() const { return BuildIdCache(top_ + "/cache"); }
  std::string link() const {
    return fmt::format("{}/cache/.build-id/{}/{}", top_, id_.hex().substr(0, 2), id_.hex().substr(2));
  }

  std::string top_, program_;
  BuildId id_;
};

TEST_F(BuildIdCacheTest, KeepsAFileWhereLinuxPerfLooksForIt) {
  if (id_.empty()) GTEST_SKIP() << "this program was linked without a build-id";
  ASSERT_TRUE(cache().add_file(id_, "/opt/load", program_));
  EXPECT_EQ(fs::read_symlink(link()), fmt::format("../../opt/load/{}", id_.hex()));
  EXPECT_EQ(fs::file_size(link() + "/elf"), fs::file_size(program_));
  EXPECT_EQ(cache().find(id_), "elf");
  const auto entries = cache().entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].name, "/opt/load");
  EXPECT_EQ(entries[0].id, id_);
  EXPECT_THAT(cache().ids_of("/opt/load"), ::testing::ElementsAre(id_));
  // Adding it again changes nothing.
  ASSERT_TRUE(cache().add_file(id_, "/opt/load", program_));
  EXPECT_EQ(cache().entries().size(), 1u);
}

// Root's cache must not reveal the kernel's addresses to everybody.
TEST_F(BuildIdCacheTest, KeepsFilesAndFoldersPrivate) {
  if (id_.empty()) GTEST_SKIP() << "this program was linked without a build-id";
  const BuildId image = *BuildId::parse("00112233445566778899aabbccddeeff00112233");
  ASSERT_TRUE(cache().add_file(id_, "/opt/load", program_));
  ASSERT_TRUE(cache().add_image(image, "[vdso]", "vdso", std::as_bytes(std::span("x"))));
  ASSERT_TRUE(cache().new_kernel_copy(image, "2026"));
  struct stat status{};
  for (const auto& entry : fs::recursive_directory_iterator(top_ + "/cache")) {
    ASSERT_EQ(::lstat(entry.path().c_str(), &status), 0);
    if (!S_ISLNK(status.st_mode)) EXPECT_EQ(status.st_mode & 0077, 0u) << entry.path();
    EXPECT_EQ(status.st_mode & 0600, 0600u) << entry.path();
  }
  ASSERT_EQ(::stat((top_ + "/cache").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

// linux-perf created it with mode 0755.
TEST_F(BuildIdCacheTest, ClosesTheUsualFolderToOthers) {
  const BuildId image = *BuildId::parse("00112233445566778899aabbccddeeff00112233");
  const auto mode_after = [&](const std::string& name, mode_t before) -> unsigned {
    fs::create_directory(top_ + name);
    struct stat status{};
    EXPECT_EQ(::chmod((top_ + name).c_str(), before), 0);
    EXPECT_TRUE(BuildIdCache(top_ + name).add_image(image, "[vdso]", "vdso", std::as_bytes(std::span("x"))));
    EXPECT_EQ(::stat((top_ + name).c_str(), &status), 0);
    return status.st_mode & 0777;
  };
  EXPECT_EQ(mode_after("/.debug", 0755), 0700u);
  EXPECT_EQ(mode_after("/shared", 0755), 0755u) << "chosen by the user";
  fs::create_directory(top_ + "/linked");
  fs::create_directory_symlink("../shared", top_ + "/linked/.debug");
  fs::permissions(top_ + "/shared", fs::perms(0750));
  EXPECT_EQ(mode_after("/linked/.debug", 0755), 0755u) << "a link to what others may share";
}

TEST_F(BuildIdCacheTest, KeepsWhatItsOwnerChangesLater) {
  if (id_.empty()) GTEST_SKIP() << "this program was linked without a build-id";
  fs::copy_file(program_, top_ + "/theirs");
  ASSERT_TRUE(cache().add_file(id_, "/opt/load", top_ + "/theirs"));
  std::ofstream(top_ + "/theirs", std::ios::in | std::ios::out).seekp(1000) << "rewritten";
  const auto kept = read_file(link() + "/elf"), original = read_file(program_);
  ASSERT_TRUE(kept && original);
  EXPECT_TRUE(*kept == *original);
}

TEST_F(BuildIdCacheTest, ReplacesALinkToAFileOfSomebodyElse) {
  if (id_.empty()) GTEST_SKIP() << "this program was linked without a build-id";
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  constexpr uid_t kStranger = 12345;
  ASSERT_TRUE(cache().add_file(id_, "/opt/load", program_));
  fs::copy_file(program_, top_ + "/theirs");
  ASSERT_EQ(::chown((top_ + "/theirs").c_str(), kStranger, kStranger), 0);
  fs::remove(link() + "/elf");
  fs::create_hard_link(top_ + "/theirs", link() + "/elf");  // as linux-perf keeps it
  ASSERT_TRUE(cache().add_file(id_, "/opt/load", top_ + "/theirs"));
  struct stat status{};
  ASSERT_EQ(::stat((link() + "/elf").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 0u);
  EXPECT_EQ(status.st_nlink, 1u);
}

TEST_F(BuildIdCacheTest, RemovesWhatItKept) {
  if (id_.empty()) GTEST_SKIP() << "this program was linked without a build-id";
  ASSERT_TRUE(cache().add_file(id_, "/opt/load", program_));
  EXPECT_TRUE(*cache().remove(id_));
  EXPECT_FALSE(*cache().remove(id_));
  EXPECT_FALSE(fs::exists(top_ + "/cache/opt/load/" + id_.hex()));
  EXPECT_TRUE(cache().entries().empty());
}

TEST_F(BuildIdCacheTest, KeepsImagesThatAreNoFiles) {
  const BuildId id = *BuildId::parse("00112233445566778899aabbccddeeff00112233");
  const std::string_view text = "ffffffff81000000 T _text\n";
  ASSERT_TRUE(cache().add_image(id, "[kernel.kallsyms]", "kallsyms", std::as_bytes(std::span(text))));
  const auto entries = cache().entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].name, "[kernel.kallsyms]");
  EXPECT_EQ(entries[0].leaf, "kallsyms");
}

TEST_F(BuildIdCacheTest, RefusesAFileOfAnotherBuildId) {
  const auto added = cache().add_file(*BuildId::parse("0011"), "/opt/load", program_);
  ASSERT_FALSE(added);
  EXPECT_FALSE(fs::exists(top_ + "/cache/.build-id"));
}

TEST_F(BuildIdCacheTest, NeverLeavesTheCache) {
  if (id_.empty()) GTEST_SKIP() << "this program was linked without a build-id";
  EXPECT_FALSE(cache().add_file(id_, "/opt/../../../escape", program_));
  EXPECT_FALSE(fs::exists(top_ + "/escape"));
  // A link planted in the cache is not followed.
  fs::create_directories(top_ + "/cache");
  fs::create_directories(top_ + "/outside");
  fs::create_directory_symlink(top_ + "/outside", top_ + "/cache/opt");
  EXPECT_FALSE(cache().add_file(id_, "/opt/load", program_));
  EXPECT_TRUE(fs::is_empty(top_ + "/outside"));
}

TEST_F(BuildIdCacheTest, RemovesNothingOutsideTheCache) {
  const BuildId id = *BuildId::parse("00112233445566778899aabbccddeeff00112233");
  const std::string victim = top_ + "/outside/" + id.hex();
  fs::create_directories(victim);
  std::ofstream(victim + "/elf") << "precious";
  fs::create_directories(top_ + "/cache/.build-id/00");
  fs::create_symlink("../../../outside/" + id.hex(), top_ + "/cache/.build-id/00/" + id.hex().substr(2));
  EXPECT_FALSE(cache().remove(id));
  EXPECT_TRUE(fs::exists(victim + "/elf"));
}

TEST_F(BuildIdCacheTest, MakesRoomByDroppingWhatWasNotUsedForLongest) {
  const std::string text(10'000, 'x');
  const char* ids[] = {"00112233445566778899aabbccddeeff00112233", "11112233445566778899aabbccddeeff00112233",
                       "22112233445566778899aabbccddeeff00112233"};
  long used = 3'000'000'000;  // seconds: later than any current clock
  for (const char* hex : ids) {
    const BuildId id = *BuildId::parse(hex);
    ASSERT_TRUE(cache().add_image(id, "[vdso]", "vdso", std::as_bytes(std::span(text))));
    const std::string file = build_id_cache_path(top_ + "/cache", id, "vdso");
    const timespec times[2] = {{used, 0}, {used, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
    used -= 1000;
  }
  const auto none = cache().shrink_to(1'000'000);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
  const auto dropped = cache().shrink_to(30'000);
  ASSERT_TRUE(dropped);
  ASSERT_EQ(dropped->size(), 1u);
  EXPECT_EQ((*dropped)[0].id.hex(), ids[2]);
  EXPECT_EQ(cache().entries().size(), 2u);
}

TEST_F(BuildIdCacheTest, CopiesOfAKernelAreListedNewestFirst) {
  const BuildId id = *BuildId::parse("00112233445566778899aabbccddeeff00112233");
  EXPECT_TRUE(cache().kernel_copies(id).empty());
  for (const char* stamp : {"2026010100000000", "2026020100000000"}) {
    const auto folder = cache().new_kernel_copy(id, stamp);
    ASSERT_TRUE(folder);
    EXPECT_FALSE(fs::exists(*folder));
    fs::create_directory(*folder);
  }
  const auto copies = cache().kernel_copies(id);
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_TRUE(copies[0].ends_with("/2026020100000000"));
}

}  // namespace
}  // namespace peregrine
