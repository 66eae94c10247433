#include "output/text/annotate/annotate_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/csv/annotate_csv.h"
#include "output/json/annotate_json.h"
#include "output/text/annotate/annotate_color.h"

namespace peregrine {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Two instructions at 0x401000, hit by 1 and 3 of the recording's 8 samples.
struct AnnotatedWork {
  AnnotatedWork() {
    listing.symbol = "work";
    listing.code.address = 0x401000;
    listing.code.bytes.resize(5);
    listing.lines.resize(2);
    listing.lines[0].code = {.address = 0x401000, .size = 4, .mnemonic = "add", .operands = "%rsi,%rax"};
    listing.lines[0].place = "/src/work.c:12";
    listing.lines[1].code = {.address = 0x401004, .size = 1, .mnemonic = "ret"};
    listing.lines[1].offset = 4;
    EventHits event;
    event.total = {.samples = 4, .period = 1000};
    event.offsets = {{.offset = 0, .hits = {.samples = 1, .period = 250}},
                     {.offset = 4, .hits = {.samples = 3, .period = 750}}};
    hits.events = {event};
  }
  AnnotatePage page() const {
    return {.listing = listing,
            .hits = hits,
            .totals = totals,
            .events = {0},
            .dso = "prog",
            .dso_path = "/opt/prog",
            .event = "cpu-clock"};
  }
  Listing listing;
  SymbolHits hits;
  std::vector<Hits> totals = {{.samples = 8, .period = 4000}};
};

std::string annotate_page(const AnnotatedWork& work, const AnnotateStyle& style = {}) {
  Sink out;
  print_annotate_page(out, work.page(), style);
  return out.take();
}

TEST(AnnotatePage, EachLineHasItsShareAddressAndInstruction) {
  const std::string title =
      " Percent |\tSource code & Disassembly of prog for cpu-clock (4 samples, percent: local period)";
  EXPECT_EQ(annotate_page(AnnotatedWork()), title + '\n' + std::string(title.size() + 5, '-') +
                                                "\n"
                                                "   25.00 :   401000: add    %rsi,%rax\n"
                                                "   75.00 :   401004: ret\n");
}

TEST(AnnotatePage, ColumnsMayHoldSamplesOrPeriods) {
  EXPECT_THAT(annotate_page(AnnotatedWork(), {.column = AnnotateColumn::Samples}), HasSubstr("\n       1 :   401000:"));
  const std::string text = annotate_page(AnnotatedWork(), {.column = AnnotateColumn::Period});
  EXPECT_THAT(text, StartsWith(" Period      |\tSource"));
  EXPECT_THAT(text, HasSubstr("\n         750 :   401004:"));
}

TEST(AnnotatePage, PercentagesMayBeOfTheRecordingOrOfSamples) {
  const PercentType global{.base = PercentBase::Recording, .of = PercentOf::Samples};
  const std::string text = annotate_page(AnnotatedWork(), {.type = global});
  EXPECT_THAT(text, HasSubstr("percent: global hits)"));
  EXPECT_THAT(text, HasSubstr("\n   12.50 :   401000:"));
  EXPECT_THAT(text, HasSubstr("\n   37.50 :   401004:"));
}

TEST(AnnotatePage, ASymbolWithoutHitsHasSharesOfZero) {
  AnnotatedWork work;
  work.hits.events = {EventHits{}};
  work.totals = {Hits{}};
  EXPECT_THAT(annotate_page(work), EndsWith("\n    0.00 :   401000: add    %rsi,%rax\n"
                                            "    0.00 :   401004: ret\n"));
}

TEST(AnnotatePage, AGroupHasAColumnPerEvent) {
  AnnotatedWork work;
  work.hits.events.push_back(EventHits{});
  work.totals.push_back(Hits{});
  AnnotatePage page = work.page();
  page.events = {1, 0};
  Sink out;
  print_annotate_page(out, page, {});
  const std::string text = out.take();
  EXPECT_THAT(text, StartsWith(" Percent         |\tSource"));
  EXPECT_THAT(text, HasSubstr("(0 samples, ")) << "numbers are those of the first";
  EXPECT_THAT(text, HasSubstr("\n    0.00   75.00 :   401004:"));
}

TEST(AnnotatePage, SourceLinesPrecedeTheirInstruction) {
  AnnotatedWork work;
  work.listing.lines[1].source = {{.number = 13, .text = "\treturn x;\x1b"}, {.number = 14}, {.text = "a remark"}};
  EXPECT_THAT(annotate_page(work), HasSubstr("\n         : 13     \\x09return x;\\x1b\n"
                                             "         : 14\n"
                                             "         :        a remark\n"
                                             "   75.00 :   401004:"));
}

TEST(AnnotatePage, SectionsAreNamedOnceAndTheSymbolBelow) {
  AnnotatedWork work;
  work.listing.code.sections = {{.name = ".text", .begin = 0, .end = 4}, {.name = "", .begin = 4, .end = 5}};
  const std::string text = annotate_page(work);
  EXPECT_THAT(text, HasSubstr("-\n"
                              "         :\n         :\n         :\n"
                              "         : 3      Disassembly of section .text:\n"
                              "         :\n"
                              "         : 5      0000000000401000 <work>:\n"
                              "   25.00 :   401000:"));
  EXPECT_THAT(text, HasSubstr("         :\n"
                              "         : 5      0000000000401004 <work+0x4>:\n"
                              "   75.00 :   401004:"));
}

TEST(AnnotatePage, LongInstructionsTakeSeveralRowsOfBytes) {
  AnnotatedWork work;
  work.listing.code.bytes.assign(9, std::byte{0x90});
  work.listing.lines.resize(1);
  work.listing.lines[0].code.size = 9;
  work.hits.events[0].offsets[1].offset = 8;  // inside the instruction
  EXPECT_THAT(annotate_page(work, {.code_bytes = true}),
              EndsWith("\n   25.00 :   401000: 90 90 90 90 90 90 90    add    %rsi,%rax\n"
                       "   75.00 :   401007: 90 90\n"));
}

TEST(AnnotatePage, NamesTargetsAndData) {
  AnnotatedWork work;
  work.listing.lines[0].code.data = 0x404010;
  work.listing.lines[0].data = "counter";
  work.listing.lines[0].data_type = "struct foo +0x8 (next)";
  work.listing.lines[1].code.mnemonic = "call";
  work.listing.lines[1].code.operands = "401100";
  work.listing.lines[1].target = "puts@plt\n";
  const std::string text = annotate_page(work);
  EXPECT_THAT(text, HasSubstr(" add    %rsi,%rax        # 404010 <counter>\t\t# data-type: struct foo +0x8 (next)\n"));
  EXPECT_THAT(text, HasSubstr(" call   401100 <puts@plt\\x0a>\n"));
}

TEST(AnnotatePage, PlacesFollowHotLinesOnly) {
  AnnotatedWork work;
  work.listing.lines[1].place = "/src/work.c:13";
  EXPECT_THAT(annotate_page(work, {.places = true}), HasSubstr("%rsi,%rax // work.c:12\n"));
  EXPECT_THAT(annotate_page(work, {.places = true, .full_paths = true}), HasSubstr(" ret // /src/work.c:13\n"));
  work.hits.events[0].offsets.pop_back();
  EXPECT_THAT(annotate_page(work, {.places = true}), EndsWith(" ret\n")) << "nothing hit it";
}

TEST(AnnotatePage, HitsBehindTheLastInstructionAreNotLost) {
  AnnotatedWork work;
  work.hits.events[0].offsets[1].offset = 5;
  EXPECT_THAT(annotate_page(work), EndsWith(" ret\n   75.00 :   after the last instruction\n"));
}

TEST(AnnotatePage, ListsHitAddressesFirstOnRequest) {
  EXPECT_THAT(annotate_page(AnnotatedWork(), {.hits = true}),
              HasSubstr("-\n                          401000: 1\n                          401004: 3\n                 "
                        "  h->nr_samples: 4\n"));
}

TEST(AnnotatePage, ColoursGoByTheShare) {
  EXPECT_THAT(annotate_page(AnnotatedWork(), {.colors = true}),
              HasSubstr("\n\x1b[31m   75.00\x1b[m : \x1b[35m  401004:\x1b[m\x1b[34m ret\x1b[m\n"));
}

TEST(EndOfLine, IsWhereTheNextLineBeginsOrTheCodeEnds) {
  AnnotatedWork work;
  EXPECT_EQ(end_of_line(work.listing, 0), 4u);
  EXPECT_EQ(end_of_line(work.listing, 1), 5u);
  work.listing.code.bytes.resize(64);
  EXPECT_EQ(end_of_line(work.listing, 1), 64u) << "padding behind the last instruction";
  work.listing.code.bytes.clear();
  EXPECT_EQ(end_of_line(work.listing, 1), 5u) << "without the bytes";
}

std::string hot_places(const AnnotatedWork& work, const AnnotateStyle& style = {}) {
  Sink out;
  print_hot_places(out, work.page(), style);
  return out.take();
}

constexpr std::string_view kHotPlacesTitle =
    "\nSorted summary for file /opt/prog\n----------------------------------------------\n\n";

TEST(HotPlaces, TheHottestComesFirstAndCodeWithoutSourceHasItsAddress) {
  EXPECT_EQ(hot_places(AnnotatedWork()), std::string(kHotPlacesTitle) + "   75.00 prog[401004]\n   25.00 work.c:12\n");
  EXPECT_THAT(hot_places(AnnotatedWork(), {.full_paths = true}), EndsWith(" /src/work.c:12\n"));
}

TEST(HotPlaces, InstructionsOfOneLineAreSummed) {
  AnnotatedWork work;
  work.listing.lines[1].place = work.listing.lines[0].place;
  EXPECT_EQ(hot_places(work), std::string(kHotPlacesTitle) + "  100.00 work.c:12\n");
}

TEST(HotPlaces, SaysThatNothingIsHot) {
  AnnotatedWork work;
  work.hits.events = {EventHits{}};
  EXPECT_EQ(hot_places(work), std::string(kHotPlacesTitle) + " no line has more than 0.5 %\n");
}

TEST(AnnotateColor, HasTwoThresholds) {
  EXPECT_EQ(percent_color(5.0), Color::Red);
  EXPECT_EQ(percent_color(4.99), Color::Green);
  EXPECT_EQ(percent_color(0.5), Color::None);
  EXPECT_EQ(percent_color(0), Color::None);
}

TEST(ShortPlace, HasNoFolder) {
  EXPECT_EQ(short_place("/usr/src/work.c:8", false), "work.c:8");
  EXPECT_EQ(short_place("/usr/src/work.c:8", true), "/usr/src/work.c:8");
  EXPECT_EQ(short_place("work.c:8", false), "work.c:8");
  EXPECT_EQ(short_place("/src/\x1b.c:1", true), "/src/\\x1b.c:1");
}

TEST(AnnotateCsv, HasALinePerInstructionAndMember) {
  AnnotatedWork work;
  work.listing.lines[1].target = "exit,now";
  work.listing.lines[1].data_type = "struct foo";
  work.hits.events.push_back(EventHits{});
  work.totals.push_back(Hits{});
  AnnotatePage page = work.page();
  page.events = {0, 1};
  Sink out;
  print_annotate_csv_titles(out, true);
  print_annotate_csv(out, page, {"cycles", "faults"}, {}, true);
  EXPECT_EQ(out.take(),
            "event,symbol,dso,offset,address,code,samples,period,percent,target,place,data_type\n"
            "cycles,work,/opt/prog,0,0x401000,\"add %rsi,%rax\",1,250,25,,/src/work.c:12,\n"
            "cycles,work,/opt/prog,4,0x401004,ret,3,750,75,\"exit,now\",,struct foo\n"
            "faults,work,/opt/prog,0,0x401000,\"add %rsi,%rax\",0,0,0,,/src/work.c:12,\n"
            "faults,work,/opt/prog,4,0x401004,ret,0,0,0,\"exit,now\",,struct foo\n");
  print_annotate_csv_titles(out, false);
  EXPECT_THAT(out.take(), EndsWith("target,place\n"));
}

TEST(AnnotateCsv, WithoutNamesTheEventIsThePages) {
  AnnotatedWork work;
  work.listing.lines.resize(1);
  Sink out;
  print_annotate_csv(out, work.page(), {}, {.base = PercentBase::Recording}, false);
  EXPECT_EQ(out.take(), "cpu-clock,work,/opt/prog,0,0x401000,\"add %rsi,%rax\",4,1000,25,,/src/work.c:12\n")
      << "the last line covers the rest of the code";
}

TEST(AnnotateJson, IsADocumentOfSymbols) {
  AnnotatedWork work;
  work.listing.symbol = "wo\"rk";
  work.listing.lines[1].target = "exit";
  work.listing.lines[1].data_type = "struct foo";
  Sink out;
  AnnotateJson json(out, {}, false);
  json.print(work.page(), {"cpu-clock"});
  work.listing.lines.clear();
  json.print(work.page(), {"cpu-clock"});
  json.finish();
  EXPECT_EQ(
      out.take(),
      "{\"symbols\":[\n"
      "{\"event\":\"cpu-clock\",\"symbol\":\"wo\\\"rk\",\"dso\":\"/opt/"
      "prog\",\"samples\":4,\"period\":1000,\"lines\":[\n"
      "{\"offset\":0,\"address\":\"0x401000\",\"code\":\"add %rsi,%rax\",\"samples\":1,\"period\":250,\"percent\":25,"
      "\"place\":\"/src/work.c:12\"},\n"
      "{\"offset\":4,\"address\":\"0x401004\",\"code\":\"ret\",\"samples\":3,\"period\":750,\"percent\":75,"
      "\"target\":\"exit\",\"data_type\":\"struct foo\"}]},\n"
      "{\"event\":\"cpu-clock\",\"symbol\":\"wo\\\"rk\",\"dso\":\"/opt/"
      "prog\",\"samples\":4,\"period\":1000,\"lines\":[]}"
      "\n]}\n");
}

TEST(AnnotateJson, LinesRepeatTheirSymbolAndMembersTheirEvent) {
  AnnotatedWork work;
  work.listing.lines.resize(1);
  work.hits.events.push_back(EventHits{});
  work.totals.push_back(Hits{});
  AnnotatePage page = work.page();
  page.events = {0, 1};
  Sink out;
  AnnotateJson json(out, {}, true);
  json.print(page, {"cycles", "fa\"ults"});
  json.finish();
  EXPECT_EQ(
      out.take(),
      "{\"event\":\"cpu-clock\",\"symbol\":\"work\",\"dso\":\"/opt/prog\",\"offset\":0,\"address\":\"0x401000\","
      "\"code\":\"add %rsi,%rax\",\"samples.cycles\":4,\"period.cycles\":1000,\"percent.cycles\":100,"
      "\"samples.fa\\\"ults\":0,\"period.fa\\\"ults\":0,\"percent.fa\\\"ults\":0,\"place\":\"/src/work.c:12\"}\n");
}

}  // namespace
}  // namespace peregrine
