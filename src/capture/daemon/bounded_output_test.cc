#include "capture/daemon/bounded_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

class BoundedOutputTest : public ::testing::Test {
 protected:
  Result<BoundedOutput> open() const { return BoundedOutput::open(fd_.get(), folder_.path()); }

  TemporaryFolder folder_;
  Fd fd_ = folder_.open();
};

TEST_F(BoundedOutputTest, AppendsAndStartsAnew) {
  auto output = open();
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_FALSE(output->append("one\n"));
  EXPECT_FALSE(output->append("two\n"));
  EXPECT_FALSE(output->append(""));
  EXPECT_EQ(folder_.text("output"), "one\ntwo\n");
  EXPECT_EQ(folder_.mode("output"), 0600u);
  ASSERT_TRUE(open());
  EXPECT_EQ(folder_.text("output"), "") << "a new daemon does not go on with the text of the last one";
}

TEST_F(BoundedOutputTest, KeepsTheTextBeforeInAnotherFile) {
  auto output = open();
  ASSERT_TRUE(output) << output.error().message;
  const std::string full(BoundedOutput::kLimit, 'a');
  EXPECT_FALSE(output->append(full)) << "it is just full";
  EXPECT_FALSE(folder_.has("output.old"));
  EXPECT_TRUE(output->append("b"));
  EXPECT_EQ(folder_.text("output"), "b");
  EXPECT_EQ(folder_.text("output.old"), full);
}

TEST_F(BoundedOutputTest, SplitsATextAtTheLimit) {
  auto output = open();
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_FALSE(output->append("head"));
  EXPECT_TRUE(output->append(std::string(BoundedOutput::kLimit, 'x') + "tail"));
  EXPECT_EQ(folder_.text("output.old"), "head" + std::string(BoundedOutput::kLimit - 4, 'x'));
  EXPECT_EQ(folder_.text("output"), "xxxxtail");
  EXPECT_TRUE(output->append(std::string(2 * BoundedOutput::kLimit, 'y')));
  EXPECT_EQ(std::filesystem::file_size(folder_.path("output")), 8u) << "only the newest text is kept";
}

TEST_F(BoundedOutputTest, LosesTextInsteadOfReplacingWhatIsNotItsOwn) {
  auto output = open();
  ASSERT_TRUE(output) << output.error().message;
  std::filesystem::create_directory(folder_.path("output.old"));
  EXPECT_FALSE(output->append(std::string(BoundedOutput::kLimit, 'a')));
  EXPECT_FALSE(output->append("lost"));
  EXPECT_EQ(std::filesystem::file_size(folder_.path("output")), BoundedOutput::kLimit);
  EXPECT_TRUE(std::filesystem::is_directory(folder_.path("output.old")));
}

TEST_F(BoundedOutputTest, FollowsNoLink) {
  const std::string victim = folder_.write("victim", "precious");
  std::filesystem::create_symlink(victim, folder_.path("output"));
  const auto output = open();
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().message, "'" + folder_.path("output") + "' is a symbolic link");
  EXPECT_EQ(folder_.text("victim"), "precious");
}

}  // namespace
}  // namespace peregrine
