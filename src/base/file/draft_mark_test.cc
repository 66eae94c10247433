#include "base/file/draft_mark.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace peregrine {
namespace {

class DraftMarkFile : public ::testing::Test {
 protected:
  DraftMarkFile() : path_(::testing::TempDir() + "draft_mark_test") {
    std::filesystem::remove_all(path_);
    ::mkdir(path_.c_str(), 0700);
    folder_ = Fd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ~DraftMarkFile() override { std::filesystem::remove_all(path_); }

  std::string path_;
  Fd folder_;
};

TEST_F(DraftMarkFile, IsHeldUntilItsOwnerEnds) {
  std::string name;
  {
    auto mark = DraftMark::create(folder_.get(), "trace");
    ASSERT_TRUE(mark);
    name = mark->name();
    EXPECT_EQ(name, ".trace." + std::to_string(::getpid()) + ".new");
    EXPECT_FALSE(claim_abandoned_mark(folder_.get(), name));
  }
  const auto claimed = claim_abandoned_mark(folder_.get(), name);
  ASSERT_TRUE(claimed);
  EXPECT_TRUE(*claimed);
  EXPECT_FALSE(claim_abandoned_mark(folder_.get(), name)) << "claimed twice";
}

// Like a process in another PID namespace.
TEST_F(DraftMarkFile, IsHeldWhateverItsPidMeansHere) {
  const std::string foreign = ".trace.2147483647.new";
  {
    const auto mark = DraftMark::create(folder_.get(), "trace");
    ASSERT_TRUE(mark);
    ASSERT_EQ(::renameat(folder_.get(), mark->name().c_str(), folder_.get(), foreign.c_str()), 0);
    EXPECT_FALSE(claim_abandoned_mark(folder_.get(), foreign));
  }
  EXPECT_TRUE(claim_abandoned_mark(folder_.get(), foreign)) << "its owner has ended";
}

TEST_F(DraftMarkFile, TakesTheNextNameBesideAnAbandonedOne) {
  const std::string own = ".trace." + std::to_string(::getpid());
  ASSERT_TRUE(Fd(::openat(folder_.get(), (own + ".new").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)));
  const auto mark = DraftMark::create(folder_.get(), "trace");
  ASSERT_TRUE(mark);
  EXPECT_EQ(mark->name(), own + "-2.new");
}

TEST_F(DraftMarkFile, ThatIsGoneIsClaimedAsNothing) {
  const auto claimed = claim_abandoned_mark(folder_.get(), ".trace.1.new");
  ASSERT_TRUE(claimed);
  EXPECT_FALSE(*claimed);
}

TEST_F(DraftMarkFile, IsNotALink) {
  ASSERT_EQ(::symlinkat("/dev/null", folder_.get(), ".trace.1.new"), 0);
  EXPECT_FALSE(claim_abandoned_mark(folder_.get(), ".trace.1.new"));
}

TEST(DraftMark, BeginsTheNamesOfItsDrafts) {
  EXPECT_EQ(draft_mark_of(".trace.12.new", "trace"), ".trace.12.new");
  EXPECT_EQ(draft_mark_of(".trace.12-3.new.metadata", "trace"), ".trace.12-3.new");
  for (const char* file : {".trace.12.newer", ".trace.12", ".trace..new", ".trace.12-.new", ".trace.x.new",
                           ".other.12.new", "trace.12.new", "metadata"})
    EXPECT_EQ(draft_mark_of(file, "trace"), "") << file;
}

}  // namespace
}  // namespace peregrine
