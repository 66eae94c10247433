#include "session/live/live_settings.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

class LiveKeys : public ::testing::Test {
 protected:
  // Whether to continue.
  bool press(char key, std::string answer = "") {
    asked_.clear();
    auto goes_on = apply_live_key(key, settings_, [&](std::string_view question) -> Result<std::string> {
      asked_ = question;
      return answer;
    });
    return goes_on.value_or(false);
  }

  LiveSettings settings_;
  std::string asked_;
};

TEST_F(LiveKeys, AskForNumbers) {
  EXPECT_TRUE(press('e', "12"));
  EXPECT_EQ(asked_, "Number of rows (0: all)");
  EXPECT_EQ(settings_.entries, 12u);
  press('f', "7");
  EXPECT_EQ(settings_.least_samples, 7u);
  press('F', "2.5");
  EXPECT_EQ(settings_.least_percent, 2.5);
}

TEST_F(LiveKeys, IgnoreInvalidAnswers) {
  press('d', "5");
  press('d', "soon");
  EXPECT_EQ(settings_.delay, 5u);
  press('d', "");
  EXPECT_EQ(settings_.delay, 5u);
  press('d', "0");
  EXPECT_EQ(settings_.delay, 1u);
}

TEST_F(LiveKeys, Toggle) {
  press('K');
  press('U');
  press('z');
  EXPECT_TRUE(settings_.hide_kernel && settings_.hide_user && settings_.zero);
  press('K');
  EXPECT_FALSE(settings_.hide_kernel);
  EXPECT_EQ(asked_, "");
}

TEST_F(LiveKeys, ChooseTheAnnotatedFunction) {
  press('s', "work");
  press('s', "");
  EXPECT_EQ(settings_.annotated, "work");
  press('S');
  EXPECT_EQ(settings_.annotated, "");
}

TEST_F(LiveKeys, Quit) {
  EXPECT_FALSE(press('q'));
  EXPECT_FALSE(press('Q'));
  EXPECT_TRUE(press('x'));
}

TEST_F(LiveKeys, PassOnErrorsOfTheTerminal) {
  const auto failed = apply_live_key(
      'd', settings_, [](std::string_view) -> Result<std::string> { return fail(ErrorKind::System, "gone"); });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "gone");
}

TEST_F(LiveKeys, AllHaveALineOfHelp) {
  for (const TopKey& key : live_keys(settings_))
    for (const char letter : key.key) EXPECT_TRUE(is_live_key(letter)) << letter;
  EXPECT_FALSE(is_live_key('x'));
}

}  // namespace
}  // namespace peregrine
