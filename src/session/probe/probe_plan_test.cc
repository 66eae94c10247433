#include "session/probe/probe_plan.h"

#include <gtest/gtest.h>

#include "session/probe/probed_files.h"

namespace peregrine {
namespace {

class SilentListener : public SessionListener {
 public:
  void warning(std::string_view, std::string_view) override {}
  void note(std::string_view, std::string_view) override {}
  void verbatim(std::string_view) override {}
};

class ProbePlanTest : public ::testing::Test {
 protected:
  Error error_of(std::string_view definition) {
    ProbePlan plan(request_, home_, listener_);
    const auto planned = plan.plan(definition);
    EXPECT_FALSE(planned) << definition;
    EXPECT_TRUE(plan.take_probes().empty());
    return planned ? Error() : planned.error();
  }
  ProbeRequest request_;
  ProbeHome home_{.search_path = "/nonexistent", .build_ids = "/nonexistent", .program_name = "falcon"};
  SilentListener listener_;
};

TEST_F(ProbePlanTest, RejectsInvalidDefinitions) { EXPECT_EQ(error_of("=").kind, ErrorKind::Usage); }

TEST_F(ProbePlanTest, SaysHowToAddAnUnknownMarker) {
  const Error error = error_of("%sdt_shop:order");
  EXPECT_EQ(error.kind, ErrorKind::NotFound);
  EXPECT_NE(error.hint.find("falcon buildid-cache --add PROGRAM"), std::string::npos) << error.hint;
}

TEST_F(ProbePlanTest, ReportsAProgramThatDoesNotExist) {
  request_.program = "no-such-program";
  const Error error = error_of("main");
  EXPECT_EQ(error.kind, ErrorKind::NotFound);
  EXPECT_NE(error.message.find("no-such-program"), std::string::npos) << error.message;
}

TEST(FindProbedFile, LooksInTheSearchPath) {
  EXPECT_EQ(find_probed_file("true", "/nonexistent:/bin"), "/bin/true");
  EXPECT_EQ(find_probed_file("./true", "/bin"), "./true");
  EXPECT_EQ(find_probed_file("no-such-program", "/bin"), "no-such-program");
}

// Looks up programs as execvp(3) does. The root folder has a file of that name, but is not searched.
TEST(FindProbedFile, TakesAnEmptyEntryForTheCurrentFolder) {
  for (const char* path : {"", ":/nonexistent", "/nonexistent:", "/nonexistent::/nonexistent"})
    EXPECT_EQ(find_probed_file("etc", path), "etc") << path;
}

}  // namespace
}  // namespace peregrine
