// `config`: from its arguments to its output and the resulting user's file.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/frame/config.h"
#include "cmd/command_table.h"
#include "support/called_command.h"
#include "support/temporary_folder.h"

namespace peregrine::cmd {
namespace {

class ConfigCommand : public ::testing::Test {
 protected:
  // Calls it as a user with this home directory and these settings in the perfconfig files.
  Called configured(std::vector<std::string> arguments, std::vector<Setting> settings = {}) {
    return called(kConfig, std::move(arguments), Config::of({"HOME=" + home_.path()}, std::move(settings)));
  }

  const TemporaryFolder home_;
};

TEST_F(ConfigCommand, ListsEachSettingOnceWithTheValueThatWins) {
  const std::vector<Setting> settings{{"report.children", "true"}, {"ui.show", "x"}, {"report.children", "false"}};
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{}, {"-l"}, {"--list"}})
    EXPECT_EQ(configured(arguments, settings).printed, "report.children=false\nui.show=x\ncore.sandbox=false\n")
        << "in the order in which they first appear";
}

TEST_F(ConfigCommand, ShowsTheSettingsThatAreNamed) {
  const std::vector<Setting> settings{{"report.children", "true"}, {"buildid.dir", "/cache"}};
  const Called both = configured({"buildid.dir", "report.children"}, settings);
  EXPECT_EQ(both.code, 0);
  EXPECT_EQ(both.printed, "buildid.dir=/cache\nreport.children=true\n");
  const Called unset = configured({"report.group"}, settings);
  EXPECT_EQ(unset.code, 0);
  EXPECT_EQ(unset.printed, "") << "an unset one is no error";
}

TEST_F(ConfigCommand, ControlCharactersDoNotReachTheTerminal) {
  const Called shown = configured({"core.pager"}, {{"core.pager", "less\x1b[31m"}});
  EXPECT_FALSE(shown.printed.contains('\x1b')) << shown.printed;
  EXPECT_TRUE(shown.printed.starts_with("core.pager=less"));
}

TEST_F(ConfigCommand, WritesToTheFileOfTheUserAndReadsItBack) {
  const Called written = configured({"report.children=false", "buildid.dir=/my/cache"});
  EXPECT_EQ(written.code, 0);
  EXPECT_EQ(written.printed, "");
  ASSERT_TRUE(home_.has(".perfconfig"));
  EXPECT_EQ(configured({"--user", "report.children"}).printed, "report.children=false\n");
  EXPECT_EQ(configured({"--user", "-l"}).printed, "report.children=false\nbuildid.dir=/my/cache\n");
  configured({"report.children=true"});
  EXPECT_EQ(configured({"--user"}).printed, "report.children=true\nbuildid.dir=/my/cache\n") << "replaced, not added";
}

TEST_F(ConfigCommand, KeepsTheCommentsOfTheFile) {
  home_.write(".perfconfig", "# mine\n[report]\n\tchildren = true # for now\n");
  configured({"report.group=false"});
  const std::string text = home_.text(".perfconfig");
  EXPECT_TRUE(text.starts_with("# mine\n[report]\n")) << text;
  EXPECT_TRUE(text.contains("children = true # for now\n")) << text;
}

TEST_F(ConfigCommand, ValuesMayHaveEqualsSigns) {
  configured({"alias.slow=report --sort=dso"});
  EXPECT_EQ(configured({"--user", "alias.slow"}).printed, "alias.slow=report --sort=dso\n");
}

TEST_F(ConfigCommand, StopsAtTheFirstArgumentThatNamesNoSetting) {
  for (const char* wrong : {"children", "report.", ".children", "=x", ""}) {
    SCOPED_TRACE(wrong);
    const Called refused = configured({wrong, "report.children=false"});
    EXPECT_TRUE(!refused.error.message.empty() || refused.code != 0);
    EXPECT_FALSE(refused.said.empty() && refused.error.message.empty()) << "with a reason";
    EXPECT_FALSE(home_.has(".perfconfig")) << "nothing behind it was written";
  }
}

TEST_F(ConfigCommand, OnlyTheFileOfTheUserIsReadWithUser) {
  home_.write(".perfconfig", "[ui]\nshow-headers = false\n");
  EXPECT_EQ(configured({"--user"}, {{"report.children", "true"}}).printed, "ui.show-headers=false\n");
  EXPECT_EQ(configured({"--user", "report.children"}, {{"report.children", "true"}}).printed, "");
}

TEST_F(ConfigCommand, MisuseIsReported) {
  const Config config = Config::of({"HOME=" + home_.path()}, {});
  EXPECT_EQ(misuse_of(kConfig, {"--system", "--user"}, config), "only one config file at a time");
  EXPECT_EQ(misuse_of(kConfig, {"-l", "report.children"}, config), "--list takes no arguments");
  const Called homeless = called(kConfig, {"report.children=false"});
  EXPECT_EQ(homeless.error.kind, ErrorKind::NotFound);
  EXPECT_EQ(homeless.error.message, "cannot find ~/.perfconfig: HOME is not set");
}

}  // namespace
}  // namespace peregrine::cmd
