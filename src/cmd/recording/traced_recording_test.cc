#include "cmd/recording/traced_recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace peregrine::cmd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RecordArguments, AreTheOutputThenOptionsThenTheCommand) {
  EXPECT_THAT(record_arguments("", {}), IsEmpty());
  EXPECT_THAT(record_arguments("x.data", {}), ElementsAre("--output=x.data"));
  EXPECT_THAT(record_arguments("", {"dd", "-v"}), ElementsAre("--", "dd", "-v"));
  EXPECT_THAT(record_arguments("x.data", {"true"}, {"--timeout=5"}),
              ElementsAre("--output=x.data", "--timeout=5", "--", "true"));
}

}  // namespace
}  // namespace peregrine::cmd
