#include "output/text/system/check_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "event/kind/catalogue.h"
#include "output/text/system/event_list.h"
#include "output/text/system/junit_page.h"

namespace peregrine {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

Diagnosis four_findings() {
  return {
      .groups = {{.title = "Counters",
                  .findings = {{.what = "cycles", .verdict = Verdict::Works},
                               {.what = "tracepoints", .verdict = Verdict::Denied, .why = "tracefs is not readable"},
                               {.what = "LBR", .verdict = Verdict::Absent, .why = "no such hardware"}}},
                 {.title = "Limits", .findings = {{.what = "CPUs", .verdict = Verdict::Fact, .why = "8"}}}}};
}

std::string check_text(const Diagnosis& diagnosis, const CheckPage& page) {
  Sink out;
  print_diagnosis(diagnosis, page, out);
  return out.take();
}

TEST(CheckText, FindingsAreInColumnsBelowTheirGroup) {
  EXPECT_EQ(check_text(four_findings(), {.heading = "peregrine on Linux 6.1"}),
            "peregrine on Linux 6.1\n"
            "\nCounters\n"
            "  yes   cycles\n"
            "  NO    tracepoints  tracefs is not readable\n"
            "  -     LBR          no such hardware\n"
            "\nLimits\n"
            "        CPUs         8\n"
            "\n1 permission is missing. You cannot change this: ask the administrator, or run as root.\n");
}

TEST(CheckText, ColumnsAreCountedInCharacters) {
  Diagnosis diagnosis = four_findings();
  diagnosis.groups[0].findings[1].what = "trace, …";
  const std::string text = check_text(diagnosis, {});
  EXPECT_THAT(text, HasSubstr("  NO    trace, …  tracefs"));
  EXPECT_THAT(text, HasSubstr("  -     LBR       no such"));
}

TEST(CheckText, NothingIsDeniedOnAnEmptyPage) {
  EXPECT_EQ(check_text({}, {.heading = "x"}), "x\n\nNo permissions missing.\n");
}

TEST(CheckText, LongReasonsAreWrappedBelowThemselves) {
  Diagnosis diagnosis = four_findings();
  diagnosis.groups[0].findings[1].why = "alpha beta gamma delta epsilon zeta";
  const std::string text = check_text(diagnosis, {.columns = 10});
  EXPECT_THAT(text, HasSubstr("  NO    tracepoints  alpha beta gamma delta\n                     epsilon zeta\n"))
      << "a reason has at least 24 columns, however narrow the terminal";
  diagnosis.groups[0].findings[1].why = std::string(30, 'x') + " y";
  EXPECT_THAT(check_text(diagnosis, {.columns = 10}),
              HasSubstr("tracepoints  " + std::string(30, 'x') + "\n                     y\n"))
      << "a word is never cut";
}

TEST(CheckText, RemediesSayWhatTheyGive) {
  Diagnosis diagnosis = four_findings();
  diagnosis.remedies = {{.command = "sudo sysctl kernel.perf_event_paranoid=1", .gives = "the kernel's events"}};
  EXPECT_THAT(check_text(diagnosis, {}),
              EndsWith("\n1 permission is missing. To enable it:\n"
                       "\n  sudo sysctl kernel.perf_event_paranoid=1\n      the kernel's events\n"));
  diagnosis.remedies.push_back({.command = "sudo -i", .gives = "everything"});
  diagnosis.groups[0].findings[2].verdict = Verdict::Denied;
  EXPECT_THAT(check_text(diagnosis, {}),
              HasSubstr("\n2 permissions are missing. To enable them, least privilege first:\n"));
  EXPECT_THAT(check_text(diagnosis, {}), EndsWith("\n\n  sudo -i\n      everything\n"));
}

TEST(CheckText, EndsWithTheNextCommandsInColumns) {
  Diagnosis diagnosis;
  diagnosis.next = {{.command = "perf record -g ./program", .gives = "profile a program"},
                    {.command = "perf top", .gives = "live"}};
  EXPECT_THAT(check_text(diagnosis, {}), EndsWith("\nTo begin with:\n\n"
                                                  "  perf record -g ./program   profile a program\n"
                                                  "  perf top                   live\n"));
}

TEST(CheckText, ColoursMarksTitlesAndCommands) {
  Diagnosis diagnosis = four_findings();
  diagnosis.remedies = {{.command = "sudo -i", .gives = "everything"}};
  const std::string text = check_text(diagnosis, {.colour = true});
  EXPECT_THAT(text, HasSubstr("\n\033[1mCounters\033[m\n"
                              "  \033[32myes\033[m   cycles\n"
                              "  \033[31mNO\033[m    tracepoints  tracefs is not readable\n"
                              "  \033[33m-\033[m     LBR          no such hardware\n"));
  EXPECT_THAT(text, HasSubstr("\n        CPUs         8\n")) << "facts are neutral";
  EXPECT_THAT(text, HasSubstr("\n  \033[1msudo -i\033[m\n"));
}

std::string junit(std::string_view suite, const std::vector<JUnitCase>& cases) {
  Sink out;
  print_junit(suite, cases, out);
  return out.take();
}

TEST(JUnitPage, CountsOutcomesAndSumsTimes) {
  EXPECT_EQ(junit("self test", {{.name = "record", .seconds = 1.5},
                                {.name = "probe", .outcome = JUnitCase::Outcome::Skipped, .reason = "not root"},
                                {.name = "stat",
                                 .outcome = JUnitCase::Outcome::Failed,
                                 .reason = "no counts",
                                 .log = "$ stat\n",
                                 .seconds = 0.25}}),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
            " <testsuite name=\"self test\" tests=\"3\" failures=\"1\" skipped=\"1\" time=\"1.750\">\n"
            "  <testcase classname=\"self test\" name=\"record\" time=\"1.500\">\n"
            "  </testcase>\n"
            "  <testcase classname=\"self test\" name=\"probe\" time=\"0.000\">\n"
            "    <skipped message=\"not root\"/>\n"
            "  </testcase>\n"
            "  <testcase classname=\"self test\" name=\"stat\" time=\"0.250\">\n"
            "    <failure message=\"no counts\"/>\n"
            "    <system-out>$ stat\n</system-out>\n"
            "  </testcase>\n"
            " </testsuite>\n</testsuites>\n");
}

TEST(JUnitPage, AnEmptySuiteIsWellFormed) {
  EXPECT_EQ(junit("s", {}),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
            " <testsuite name=\"s\" tests=\"0\" failures=\"0\" skipped=\"0\" time=\"0.000\">\n"
            " </testsuite>\n</testsuites>\n");
}

TEST(JUnitPage, EscapesMarkupAndReplacesBytesThatXmlCannotHold) {
  const std::string page = junit("<&\">", {{.name = "]]>",
                                            .outcome = JUnitCase::Outcome::Failed,
                                            .reason = "a\tb\x1b[2J\x7f",
                                            .log = "</system-out>\xff é→😀 \xc2\x9b \xef\xbf\xbe"}});
  EXPECT_THAT(page, HasSubstr("<testsuite name=\"&lt;&amp;&quot;&gt;\" "));
  EXPECT_THAT(page, HasSubstr(" name=\"]]&gt;\" "));
  EXPECT_THAT(page, HasSubstr("<failure message=\"a\tb?[2J?\"/>"));
  EXPECT_THAT(page, HasSubstr("<system-out>&lt;/system-out&gt;? é→😀 ? ?</system-out>"));
}

std::string event_list(const std::vector<CatalogueEntry>& entries, const EventListStyle& style = {}) {
  Sink out;
  EventListText(style, out).print(entries);
  return out.take();
}

TEST(EventListText, AnEventWithoutDescriptionIsALineWithItsKind) {
  EXPECT_EQ(event_list({{.shown = "cpu-cycles OR cycles", .label = "Hardware event"},
                        {.shown = "evil\x1b[2J", .label = "Software event"}}),
            "  cpu-cycles OR cycles                               [Hardware event]\n"
            "  evil\\x1b[2J                                        [Software event]\n");
  EXPECT_EQ(event_list({}), "");
}

TEST(EventListText, DescribedEventsFollowTheHeadingOfTheirTopic) {
  const CatalogueEntry entry{.shown = "l1d.hits",
                             .label = "Kernel PMU event",
                             .topic = "cache",
                             .description = "counts hits",
                             .long_description = "counts hits, even of others",
                             .encoding = "cpu/event=0xd1/"};
  EXPECT_EQ(event_list({entry, entry}),
            "\ncache:\n"
            "  l1d.hits                                          \n       [counts hits]\n"
            "  l1d.hits                                          \n       [counts hits]\n");
  EXPECT_EQ(event_list({entry}, {.long_description = true, .details = true}),
            "\ncache:\n"
            "  l1d.hits                                          \n       [counts hits, even of others]\n        "
            "cpu/event=0xd1/\n");
  EXPECT_EQ(event_list({entry}, {.describe = false}),
            "  l1d.hits                                           [Kernel PMU event]\n");
}

TEST(EventListText, DescriptionsAreWrappedAtEightyColumns) {
  std::string description;
  for (int i = 0; i < 7; ++i) description += (i == 0 ? "" : " ") + std::string(10, static_cast<char>('a' + i));
  EXPECT_EQ(event_list({{.shown = "e", .description = description}}),
            "  e                                                 \n"
            "       [aaaaaaaaaa bbbbbbbbbb cccccccccc dddddddddd eeeeeeeeee ffffffffff\n"
            "        gggggggggg]\n");
  const std::string longest(200, 'x');
  EXPECT_EQ(event_list({{.shown = "e", .description = longest + " y"}}),
            "  e                                                 \n       [" + longest + "\n        y]\n");
}

TEST(EventListText, MetricsHaveHeadingsDescriptionsAndFormulas) {
  const EventListStyle style{.details = true}, brief{.describe = false};
  Sink out;
  EventListText text(style, out);
  text.heading("Metrics");
  text.described("ipc", "instructions per cycle", "a / b");
  text.described("none", "", "");
  EXPECT_EQ(out.take(), "\nMetrics:\n\n  ipc\n       [instructions per cycle]\n       [a / b]\n  none\n");
  EventListText(brief, out).described("ipc", "instructions per cycle", "a / b");
  EXPECT_EQ(out.take(), "  ipc\n");
}

TEST(EventListText, ATracepointMayHaveNoFields) {
  const EventListStyle style;
  Sink out;
  EventListText(style, out).format({.print_fmt = "\"x\""});
  EXPECT_EQ(out.take(), "       no fields\n       print fmt: \"x\"\n");
}

}  // namespace
}  // namespace peregrine
