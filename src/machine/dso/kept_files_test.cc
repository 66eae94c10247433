#include "machine/dso/kept_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <ctime>
#include <filesystem>

namespace peregrine {
namespace {

const BuildId kFirst = *BuildId::parse("0102030405060708"), kSecond = *BuildId::parse("1112131415161718");

struct KeptFilesTest : ::testing::Test {
  const std::string folder = ::testing::TempDir() + "/kept_files_test";
  void SetUp() override { std::filesystem::remove_all(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }
};

TEST_F(KeptFilesTest, StayBelowTheirQuota) {
  const KeptFiles kept(folder, 200);
  const std::string hundred(100, 'x');
  ASSERT_TRUE(kept.save(KeptKind::Lines, kFirst, hundred));
  const timespec long_ago[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (folder + "/0102030405060708.lines").c_str(), long_ago, 0), 0);
  ASSERT_TRUE(kept.save(KeptKind::Frames, kFirst, hundred));
  EXPECT_EQ(kept.files().size(), 2u);
  ASSERT_TRUE(kept.save(KeptKind::Frames, kSecond, hundred));
  const auto left = kept.files();
  ASSERT_EQ(left.size(), 2u) << "one too many: the oldest of any kind went";
  EXPECT_EQ(left[0].kind, KeptKind::Frames);
  EXPECT_EQ(left[1].kind, KeptKind::Frames);
  EXPECT_FALSE(kept.open(KeptKind::Lines, kFirst));
  ASSERT_TRUE(kept.save(KeptKind::Lines, kFirst, std::string(201, 'x')));
  EXPECT_FALSE(kept.open(KeptKind::Lines, kFirst)) << "what does not fit is not kept";
}

TEST_F(KeptFilesTest, UseMakesThemYoung) {
  const KeptFiles kept(folder, 1000);
  ASSERT_TRUE(kept.save(KeptKind::Lines, kFirst, "abc"));
  const timespec long_ago[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (folder + "/0102030405060708.lines").c_str(), long_ago, 0), 0);
  const auto opened = kept.open(KeptKind::Lines, kFirst);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->size, 3u);
  EXPECT_GT(kept.files().front().used, 1000);
}

TEST_F(KeptFilesTest, WithoutAQuotaThereIsNothing) {
  ASSERT_TRUE(KeptFiles(folder, 1000).save(KeptKind::Lines, kFirst, "abc"));
  const KeptFiles none(folder, 0);
  EXPECT_FALSE(none);
  EXPECT_FALSE(none.open(KeptKind::Lines, kFirst));
  ASSERT_TRUE(none.save(KeptKind::Lines, kSecond, "abc"));
  EXPECT_EQ(KeptFiles(folder, 1000).files().size(), 1u);
}

TEST_F(KeptFilesTest, OtherFilesOfTheFolderAreNotTheirs) {
  const KeptFiles kept(folder, 1000);
  ASSERT_TRUE(kept.save(KeptKind::Lines, kFirst, "abc"));
  for (const char* name : {"0102030405060708.kallsyms", "lines", ".lines", "zz.lines", "0102.lines.7"})
    std::filesystem::copy(folder + "/0102030405060708.lines", folder + "/" + name);
  std::filesystem::create_symlink("0102030405060708.lines", folder + "/1112131415161718.lines");
  EXPECT_EQ(kept.files().size(), 1u);
  EXPECT_FALSE(kept.open(KeptKind::Lines, kSecond)) << "links are not followed";
}

}  // namespace
}  // namespace peregrine
