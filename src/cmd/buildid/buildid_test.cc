// `buildid-cache`, `buildid-list` and `kallsyms` on folders and recordings created by the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/frame/config.h"
#include "cmd/command_table.h"
#include "support/called_command.h"
#include "support/perf_data_builder.h"
#include "support/temporary_folder.h"

namespace peregrine::cmd {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class BuildIdCommands : public ::testing::Test {
 protected:
  // Uses a cache below the test's folder.
  Called cache(std::vector<std::string> arguments) {
    return called(kBuildidCache, std::move(arguments),
                  Config::of({"HOME=" + folder_.path(), "XDG_CACHE_HOME=" + folder_.path("xdg")},
                             {{"buildid.dir", folder_.path("cache")}}));
  }

  const TemporaryFolder folder_;
};

TEST_F(BuildIdCommands, SomethingMustBeRequested) {
  EXPECT_EQ(cache({}).error.message, "nothing to do");
  EXPECT_EQ(cache({"-v"}).error.message, "nothing to do");
  EXPECT_EQ(cache({"-l", "file"}).error.message, "unexpected argument 'file'");
  for (const std::vector<std::string>& change : {std::vector<std::string>{"-a", "f"},
                                                 {"-r", "f"},
                                                 {"-p", "f"},
                                                 {"-u", "f"},
                                                 {"-P"},
                                                 {"-M", "f"},
                                                 {"-k", "/proc/kcore"},
                                                 {"--quota", "1G"}}) {
    std::vector<std::string> arguments{"-l"};
    arguments.insert(arguments.end(), change.begin(), change.end());
    EXPECT_EQ(cache(arguments).error.message, "-l is exclusive.") << change[0];
  }
}

TEST_F(BuildIdCommands, AnEmptyCacheIsListedAsNothing) {
  const Called listed = cache({"-l"});
  EXPECT_EQ(listed.code, 0) << listed.error.message;
  EXPECT_EQ(listed.printed, "");
  EXPECT_EQ(cache({"--show-lines"}).code, 0);
  EXPECT_EQ(cache({"--clear-lines"}).code, 0) << "nothing to remove is no error";
}

TEST_F(BuildIdCommands, FilesWithoutABuildIdAreNotAdded) {
  const std::string text = folder_.write("text", "no ELF file");
  const Called added = cache({"-a", text});
  EXPECT_EQ(added.code, 0) << "as in linux-perf";
  EXPECT_THAT(added.said, HasSubstr(text));
  EXPECT_EQ(cache({"-l"}).printed, "");
}

TEST_F(BuildIdCommands, QuotasAreSizes) {
  for (const char* wrong : {"", "x", "5X", "-1"})
    EXPECT_EQ(cache({"--quota", wrong}).error.message,
              std::string("invalid --quota '") + wrong + "': must be a size such as 500M or 5G");
  EXPECT_EQ(cache({"--quota", "500M"}).error.message, "");
  EXPECT_EQ(cache({"--quota", "500M", "--no-quota"}).error.message, "nothing to do");
}

TEST_F(BuildIdCommands, ADisabledCacheIsReported) {
  const Config config = Config::of({"HOME=" + folder_.path()}, {{"buildid.dir", "/dev/null"}});
  for (const char* use : {"-l", "-P"})
    EXPECT_EQ(misuse_of(kBuildidCache, {use}, config), "the build-id cache is disabled: buildid.dir is /dev/null")
        << use;
}

TEST_F(BuildIdCommands, MissingBuildIdsAreThoseOfTheRecording) {
  const std::string id(40, 'b');
  support::PerfDataBuilder data;
  data.attr({{"type", 1}, {"freq", 99}, {"sample", "ip,tid,time"}});
  data.build_id({{"pid", 0xffffffff}, {"misc", 2}, {"id", id}, {"file", "/bin/loader"}});
  const std::string recording = recorded_in(folder_, data);
  EXPECT_EQ(called(kBuildidList, {"-i", recording}).printed, id + " /bin/loader\n");
  EXPECT_EQ(cache({"-M", recording}).printed, id + " /bin/loader\n");
}

TEST_F(BuildIdCommands, SymbolsAreLookedUpBelowTheSysroot) {
  ASSERT_EQ(::mkdir(folder_.path("proc").c_str(), 0700), 0);
  folder_.write("proc/kallsyms",
                "ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81000100 T vfs_read\n"
                "ffffffff81000200 T vfs_write\nffffffff81000300 T _etext\n");
  const auto symbols = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"--sysroot", folder_.path()});
    return called(kKallsyms, std::move(words));
  };
  EXPECT_THAT(symbols({"vfs_read"}).printed,
              StartsWith("vfs_read: [kernel] [kernel.kallsyms] 0xffffffff81000100-0xffffffff81000200 "));
  EXPECT_EQ(symbols({"none"}).printed, "none: not found\n");
  EXPECT_EQ(symbols({"none,vfs_read"}).printed, symbols({"none", "vfs_read"}).printed);
  EXPECT_EQ(symbols({}).error.message, "missing symbol name");
  EXPECT_EQ(symbols({"vfs_read"}).said, "");
  EXPECT_THAT(symbols({"-v", "vfs_read"}).said, HasSubstr("symbols of the kernel"));
}

}  // namespace
}  // namespace peregrine::cmd
