#include "cli/frame/config.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;

class ConfigFileTest : public ::testing::Test {
 protected:
  static constexpr uid_t kStranger = TemporaryFolder::kStranger;

  std::string write(const std::string& name, const std::string& pager) const {
    return folder_.write(name, "[core]\n\tpager = " + pager + "\n");
  }
  // The configured pager if the home directory is ours.
  std::string pager(std::vector<std::string> environment) {
    problems_.clear();
    environment.insert(environment.end(), {"HOME=" + home_, "PERF_CONFIG_NOSYSTEM=1"});
    return Config::load(environment, problems_).text("core.pager", "none");
  }

  TemporaryFolder folder_;
  std::string home_ = folder_.path();
  std::vector<std::string> problems_;
};

TEST_F(ConfigFileTest, ReadsTheUsersOwnFile) {
  write(".perfconfig", "mine");
  EXPECT_EQ(pager({}), "mine");
  EXPECT_TRUE(problems_.empty());
  EXPECT_EQ(pager({"PERF_CONFIG=" + write("other", "chosen")}), "chosen");
  EXPECT_EQ(pager({"PERF_CONFIG=/dev/null"}), "none");
  EXPECT_TRUE(problems_.empty());
}

TEST_F(ConfigFileTest, IgnoresFilesThatOthersCanWrite) {
  const std::string own = write(".perfconfig", "anybody's");
  ASSERT_EQ(::chmod(own.c_str(), 0666), 0);
  EXPECT_EQ(pager({}), "none");
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_EQ(problems_[0], "file " + own + " is world-writable, ignoring it (chmod o-w)");
}

TEST_F(ConfigFileTest, IgnoresFilesOfSomebodyElse) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const std::string own = write(".perfconfig", "theirs"), other = write("other", "theirs");
  for (const std::string& path : {own, other}) ASSERT_EQ(::chown(path.c_str(), kStranger, kStranger), 0);
  const std::vector<std::string> environments[] = {{}, {"PERF_CONFIG=" + other}};
  for (const auto& environment : environments) {
    EXPECT_EQ(pager(environment), "none");
    ASSERT_EQ(problems_.size(), 1u);
    EXPECT_NE(problems_[0].find("not owned by current user or root"), std::string::npos);
  }
}

TEST_F(ConfigFileTest, RootReadsNoFileInAnotherUsersHome) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const std::string own = write(".perfconfig", "root's, put there by its owner");
  ASSERT_EQ(::chown(home_.c_str(), kStranger, kStranger), 0);
  EXPECT_EQ(pager({}), "none");
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_EQ(problems_[0], home_ + " is not root's home directory, ignoring " + own);
  fs::remove(own);
  EXPECT_EQ(pager({}), "none");
  EXPECT_TRUE(problems_.empty());  // nothing was ignored
}

TEST_F(ConfigFileTest, WaitsForNoFifo) {
  ASSERT_EQ(::mkfifo((home_ + "/.perfconfig").c_str(), 0600), 0);
  EXPECT_EQ(pager({}), "none");
}

// The link leads to root's file when it is checked, and perhaps to the attacker's when it is opened.
TEST_F(ConfigFileTest, NeverReadsAStrangersFileThroughALinkThatIsSwapped) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  write("mine", "mine");
  ASSERT_EQ(::chown(write("theirs", "theirs").c_str(), kStranger, kStranger), 0);
  fs::create_symlink("mine", home_ + "/link");
  std::atomic<bool> stop = false;
  std::jthread attacker([&] {
    for (bool mine = false; !stop; mine = !mine) {
      fs::create_symlink(mine ? "mine" : "theirs", home_ + "/next");
      fs::rename(home_ + "/next", home_ + "/link");
    }
  });
  unsigned read = 0, refused = 0, stolen = 0;
  for (unsigned attempt = 0; attempt < 20'000 && (read < 500 || refused < 500); ++attempt) {
    const std::string found = pager({"PERF_CONFIG=" + home_ + "/link"});
    ++(found == "mine" ? read : found == "none" ? refused : stolen);
  }
  stop = true;
  EXPECT_EQ(stolen, 0u);
  EXPECT_GT(read, 0u);
  EXPECT_GT(refused, 0u);
}

TEST(Config, ReadsSectionsKeysAndComments) {
  std::vector<std::string> problems;
  const auto settings = parse_config(
      "# comment\n"
      "[report]\n"
      "\tsort_order = comm,dso   # trailing\n"
      "  Children\n"
      "[ui \"stdio\"]\n"
      "color = \" a # b \" ; comment\n"
      "nonsense line\n"
      "[broken\n"
      "x = 1\n",
      "f", problems);
  ASSERT_EQ(settings.size(), 3u);
  EXPECT_EQ(settings[0].key, "report.sort_order");
  EXPECT_EQ(settings[0].value, "comm,dso");
  EXPECT_EQ(settings[1].key, "report.children");
  EXPECT_EQ(settings[1].value, "true");
  EXPECT_EQ(settings[2].key, "ui.stdio.color");
  EXPECT_EQ(settings[2].value, " a # b ");
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0], "bad config file line 7 in f");
}

TEST(Config, TheLastValueWins) {
  const Config config = Config::of({}, {{"a.b", "no"}, {"a.n", "12"}, {"a.b", "on"}, {"a.bad", "1x"}});
  EXPECT_EQ(config.flag("a.b", false), true);
  EXPECT_EQ(config.number("a.n", 0), 12);
  EXPECT_EQ(config.number("a.none", 7), 7);
  EXPECT_FALSE(config.number("a.bad", 0));
  EXPECT_FALSE(config.flag("a.bad", false));
}

TEST(Config, KnowsWhereThingsLie) {
  const Config plain = Config::of({"HOME=/home/u", "HOMER=x"}, {});
  EXPECT_EQ(plain.buildid_directory(), "/home/u/.debug");
  EXPECT_EQ(plain.cache_directory(), "/home/u/.cache/peregrine");
  EXPECT_EQ(Config::of({"HOME=/h", "PERF_BUILDID_DIR=/b"}, {}).buildid_directory(), "/b");
  EXPECT_EQ(Config::of({"HOME=/h"}, {{"buildid.dir", "~/ids"}}).buildid_directory(), "/h/ids");
  EXPECT_EQ(Config::of({"HOME=/h", "XDG_CACHE_HOME=/c"}, {}).cache_directory(), "/c/peregrine");
  EXPECT_EQ(Config::of({}, {}).variable("HOME"), std::nullopt);
}

}  // namespace
}  // namespace peregrine
