#include "session/export/output_target.h"

#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

Result<int> fails_at_once(Sink&) { return fail(ErrorKind::NotFound, "nothing to write"); }
Result<int> prints_a_line(Sink& out) {
  out.append("line\n");
  return 0;
}

TEST(OutputTarget, HoldsWhatIsPrinted) {
  const TemporaryFolder folder;
  for (const Writing writing : {Writing::Whole, Writing::AsItGoes}) {
    const auto code = write_output(folder.path("out"), writing, ContentKind::Other, prints_a_line);
    ASSERT_TRUE(code) << code.error().message;
    EXPECT_EQ(*code, 0);
    EXPECT_EQ(folder.text("out"), "line\n");
  }
}

TEST(OutputTarget, IsAbsentAfterAFailureWithoutOutput) {
  const TemporaryFolder folder;
  for (const Writing writing : {Writing::Whole, Writing::AsItGoes}) {
    EXPECT_FALSE(write_output(folder.path("out"), writing, ContentKind::Other, fails_at_once));
    EXPECT_FALSE(folder.has("out"));
  }
}

TEST(OutputTarget, IsNotTheRecordingItself) {
  const TemporaryFolder folder;
  const std::string recording = folder.write("perf.data", "PERFILE2");
  EXPECT_FALSE(check_output(folder.path("./perf.data"), recording));
  EXPECT_TRUE(check_output(folder.path("other"), recording));
  EXPECT_TRUE(check_output("", recording));
}

}  // namespace
}  // namespace peregrine
