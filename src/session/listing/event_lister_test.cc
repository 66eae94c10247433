#include "session/listing/event_lister.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/metric/metric_catalogue.h"
#include "event/source.h"
#include "session/events/metric_files.h"
#include "session/listing/attr_list.h"
#include "support/kept_messages.h"
#include "support/temporary_folder.h"
#include "sys/root.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A server without access to hardware events.
class EventListerTest : public ::testing::Test {
 protected:
  std::string listed(std::vector<std::string> words) {
    request_.words = std::move(words);
    Sink out;
    const auto done = list_events(request_, [](u32 type, u64) { return type != 0; }, out, messages_);
    EXPECT_TRUE(done);
    return out.take();
  }

  ListRequest request_{.sources = EventSources(Root(PEREGRINE_FIXTURES "/sysroot/server")), .program_name = "falcon"};
  testing::KeptMessages messages_;
};

TEST_F(EventListerTest, SelectsKinds) {
  EXPECT_THAT(listed({"sw"}), HasSubstr("context-switches OR cs"));
  EXPECT_EQ(listed({"hw"}).find("cycles"), std::string::npos) << "they cannot be opened";
  EXPECT_THAT(listed({"pmu"}), HasSubstr("power/energy-pkg/"));
}

TEST_F(EventListerTest, SelectsByPartsOfNamesAndTellsWhatMatchesNothing) {
  const std::string text = listed({"page-fault"});
  EXPECT_THAT(text, HasSubstr("page-faults OR faults"));
  EXPECT_THAT(text, Not(HasSubstr("context-switches")));
  EXPECT_EQ(messages_.take(), "");
  listed({"no-such-event"});
  EXPECT_THAT(messages_.take(), HasSubstr("note: no event name contains 'no-such-event'\n"));
  listed({"context-swiches"});
  EXPECT_THAT(messages_.take(), HasSubstr("hint: did you mean 'context-switches'?\n"));
  listed({"sdt_none"});
  EXPECT_THAT(messages_.take(), HasSubstr("hint: add programs with SDT events: falcon buildid-cache --add"));
}

TEST_F(EventListerTest, PrintsNamesOnlyForCompletion) {
  request_.raw_dump = true;
  EXPECT_THAT(listed({"sw"}), StartsWith("alignment-faults "));
  EXPECT_EQ(listed({"no-such-event"}), "");
  EXPECT_EQ(messages_.take(), "") << "no notes in output for programs";
}

TEST_F(EventListerTest, PrintsOneJsonArray) {
  request_.json = true;
  const std::string text = listed({"sw"});
  EXPECT_THAT(text, StartsWith("["));
  EXPECT_THAT(text, ::testing::EndsWith("\n]\n"));
  EXPECT_THAT(text, HasSubstr("\"EventName\": \"page-faults\""));
}

TEST_F(EventListerTest, CountsInsteadOfListing) {
  request_.summary = true;
  const std::string text = listed({"sw"});
  EXPECT_THAT(text, HasSubstr("  Software event\n"));
  EXPECT_THAT(text, Not(HasSubstr("page-faults")));
}

TEST_F(EventListerTest, ListsOnlyEventsOfOnePmu) {
  request_.unit = "power";
  const std::string text = listed({});
  EXPECT_THAT(text, HasSubstr("power/energy-pkg/"));
  EXPECT_THAT(text, Not(HasSubstr("page-faults")));
}

TEST_F(EventListerTest, WarnsAboutAKindOfCoreThatDoesNotExist) {
  request_.cpu_type = "atom";
  listed({"pmu"});
  EXPECT_THAT(messages_.take(), HasSubstr("warning: this machine has no 'atom' cores\n"));
}

TEST(EventAttrs, AreJsonLinesWithTheGroupLeader) {
  EventSources sources(Root(PEREGRINE_FIXTURES "/sysroot/server"));
  testing::KeptMessages messages;
  Sink out;
  ASSERT_TRUE(print_event_attrs("{cs,faults}", sources, out, messages));
  const std::string text = out.take();
  EXPECT_THAT(text, StartsWith("{\"event\":\"cs\",\"leader\":0,\"attr\":\"01000000"));  // type 1: software
  EXPECT_THAT(text, HasSubstr("\n{\"event\":\"faults\",\"leader\":0,\"attr\":\""));
  EXPECT_FALSE(print_event_attrs("no-such-event", sources, out, messages));
}

TEST(MetricFiles, AreReadDespiteTheProblemsOfOthers) {
  const TemporaryFolder folder;
  const std::vector<std::string> files = {
      folder.path("absent.json"), folder.write("broken.json", "{"),
      folder.write("mine.json", R"([{"MetricName": "MyRatio", "MetricExpr": "instructions / cycles"},
                                    {"MetricName": "Bad", "MetricExpr": "1 +"}])")};
  testing::KeptMessages messages;
  const MetricCatalogue catalogue = load_metrics(files, messages);
  EXPECT_NE(catalogue.find("myratio"), nullptr);
  EXPECT_EQ(catalogue.find("Bad"), nullptr);
  const std::string told = messages.take();
  for (const char* name : {"absent.json", "broken.json", "mine.json"}) EXPECT_THAT(told, HasSubstr(name));
}

}  // namespace
}  // namespace peregrine
