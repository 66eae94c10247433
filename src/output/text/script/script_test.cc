#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/side_band.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "output/text/dump/script_records.h"
#include "output/text/field/script_field.h"
#include "output/text/field/script_field_rows.h"
#include "output/text/field/script_fields.h"
#include "output/text/field/script_values.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {
namespace {

namespace f = script_field;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string numbers(auto put) {
  ScriptText text;
  text.room(256);
  put(text);
  return std::string(text.view());
}

TEST(ScriptText, WritesNumbersAsC) {
  for (const u64 value : {u64{0}, u64{9}, u64{10}, u64{99}, u64{100}, u64{12345}, u64{1234567890123}, ~u64{0}}) {
    EXPECT_EQ(numbers([&](ScriptText& t) { t.put_decimal(value, 10); }), fmt::format("{:>10}", value));
    EXPECT_EQ(numbers([&](ScriptText& t) { t.put_decimal(value, 3, '0'); }), fmt::format("{:03}", value));
    EXPECT_EQ(numbers([&](ScriptText& t) { t.put_hex(value, 16); }), fmt::format("{:16x}", value));
  }
  EXPECT_EQ(numbers([](ScriptText& t) { t.put_signed(-1, 5); }), "   -1");
  EXPECT_EQ(numbers([](ScriptText& t) { t.put_signed(-123456789, 5); }), "-123456789");
  EXPECT_EQ(numbers([](ScriptText& t) { t.put_signed(-1, 3, '0'); }), "-01");
  EXPECT_EQ(numbers([](ScriptText& t) { t.put_six_digits(42); }), "000042");
  EXPECT_EQ(numbers([](ScriptText& t) { t.put_hex_prefixed(0); }), "0");
  EXPECT_EQ(numbers([](ScriptText& t) { t.put_hex_prefixed(255); }), "0xff");
}

TEST(ScriptText, KeepsTextsOfAnyLength) {
  ScriptText text;
  std::string expected;
  for (std::size_t length = 0; length < 300; ++length) {
    const std::string piece(length, static_cast<char>('a' + length % 26));
    text.room(piece.size());
    text.put(piece);
    expected += piece;
  }
  EXPECT_EQ(text.view(), expected);
}

TEST(ScriptFields, PlainWordsReplaceAndSignedOnesChange) {
  ScriptFields fields;
  std::vector<std::string> warnings;
  ASSERT_TRUE(fields.parse("comm,tid", warnings));
  EXPECT_EQ(fields.of(ScriptType::Software), f::Comm | f::Tid);
  ASSERT_TRUE(fields.parse("+period", warnings));
  EXPECT_EQ(fields.of(ScriptType::Software), f::Comm | f::Tid | f::Period);
  ASSERT_TRUE(fields.parse("sw:-comm", warnings));
  EXPECT_EQ(fields.of(ScriptType::Software), f::Tid | f::Period);
  EXPECT_EQ(fields.of(ScriptType::Hardware), f::Comm | f::Tid | f::Period);
  EXPECT_TRUE(warnings.empty());
  ASSERT_TRUE(fields.parse("time", warnings));
  EXPECT_THAT(warnings, ElementsAre("Overriding previous field request for all events.\n"));
}

TEST(ScriptFields, OfAPipeWithStacksAreCompletedUnlessRemoved) {
  data::Evlist evlist;
  data::Event event;
  event.attr.type = static_cast<u32>(abi::EventType::Software);
  event.attr.sample_type = abi::sample_bit::Ip | abi::sample_bit::Callchain;
  evlist.add(event);
  std::vector<std::string> warnings;
  ScriptFields fields;
  ASSERT_TRUE(fields.parse("comm,metric", warnings));
  fields.show_pipe_chains(evlist);
  EXPECT_EQ(fields.of(ScriptType::Software), f::Comm | f::Metric | f::Ip | f::Sym);
  ScriptFields without;
  ASSERT_TRUE(without.parse("-ip", warnings));
  without.show_pipe_chains(evlist);
  EXPECT_EQ(without.of(ScriptType::Software) & f::Ip, 0u);
}

TEST(ScriptFields, RefusesWhatLinuxPerfRefuses) {
  std::vector<std::string> warnings;
  const auto error = [&](std::string_view text) {
    const auto parsed = ScriptFields().parse(text, warnings);
    return parsed ? std::string() : parsed.error().message;
  };
  EXPECT_EQ(error("foo"), "Invalid field requested.");
  EXPECT_THAT(ScriptFields().parse("comm,foo", warnings).error().hint,
              ::testing::StartsWith("unknown field 'foo': must be one of comm, tid, pid, "));
  EXPECT_EQ(ScriptFields().parse("ip,smy", warnings).error().hint, "unknown field 'smy': did you mean 'sym'?");
  EXPECT_EQ(error("bar:sym"), "Invalid event type in field string.");
  EXPECT_EQ(error("+time,sym"), "Cannot mix +-field with overridden fields");
  EXPECT_EQ(error("sw:trace"), "'trace' not valid for software events.");
  EXPECT_EQ(error("trace"), "") << "only warns";
  EXPECT_EQ(warnings.at(0), "'trace' not valid for hardware events. Ignoring.\n");
}

TEST(ScriptFields, DropsDefaultsAnEventLacksAndRefusesWordsItLacks) {
  data::Evlist evlist;
  data::Event event;
  event.attr.type = static_cast<u32>(abi::EventType::Software);
  event.attr.sample_type = abi::sample_bit::Ip | abi::sample_bit::Tid | abi::sample_bit::Time;
  evlist.add(event);
  ScriptFields fields;
  ASSERT_TRUE(fields.check(evlist, {"cpu-clock"}, false, false));
  EXPECT_EQ(fields.of(ScriptType::Software) & f::Cpu, 0u);
  std::vector<std::string> warnings;
  ScriptFields asked;
  ASSERT_TRUE(asked.parse("ip,addr", warnings));
  const auto checked = asked.check(evlist, {"cpu-clock"}, false, false);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message,
            "Samples for 'cpu-clock' event do not have ADDR attribute set. Cannot print 'addr' field.");
  ScriptFields other;
  ASSERT_TRUE(other.parse("hw:ip", warnings));
  EXPECT_TRUE(other.check(evlist, {"cpu-clock"}, false, false)) << "of types that are not there nothing is asked";
  ScriptFields disassembled;
  ASSERT_TRUE(disassembled.parse("ip,brstackinsn", warnings));
  EXPECT_THAT(disassembled.check(evlist, {"cpu-clock"}, false, false).error().message,
              HasSubstr("non all-branch filter set"));
}

std::string line(abi::SideBandBody body, abi::RecordType type) {
  const abi::SideBand side_band{body, {}, 0, 0};
  abi::RecordView view;
  view.type = type;
  return numbers([&](ScriptText& t) { put_side_band(t, ReplaySideBand{view, &side_band, 0, 0, 1}); });
}

TEST(ScriptRecords, SpellSideBandAsLinuxPerf) {
  abi::MmapRecord map;
  map.pid = map.tid = 7;
  map.start = 0x1000;
  map.length = 0x2000;
  map.filename = "/bin/ls";
  map.version2 = true;
  map.protection = 5;
  map.major = 0xfe;
  map.inode = 12;
  EXPECT_EQ(line(map, abi::RecordType::Mmap2),
            "PERF_RECORD_MMAP2 7/7: [0x1000(0x2000) @ 0 fe:00 12 0]: r-xp /bin/ls\n");
  EXPECT_EQ(line(abi::CommRecord{7, 8, "ls", true}, abi::RecordType::Comm), "PERF_RECORD_COMM exec: ls:7/8\n");
  EXPECT_EQ(line(abi::ForkRecord{8, 7, 9, 7, 0}, abi::RecordType::Fork), "PERF_RECORD_FORK(8:9):(7:7)\n");
  EXPECT_EQ(line(abi::SwitchRecord{true, true, false, 0, 0}, abi::RecordType::Switch),
            "PERF_RECORD_SWITCH OUT preempt\n");
}

TEST(ScriptValues, NameDataSourcesAndPages) {
  EXPECT_EQ(numbers([](ScriptText& t) { put_data_source(t, 0x11868100242); }),
            "     11868100242 |OP LOAD|LVL LFB/MAB or LFB/MAB hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A");
  EXPECT_EQ(numbers([](ScriptText& t) { put_data_source(t, 0x5080021); }),
            "         5080021 |OP N/A|LVL N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A");
  EXPECT_EQ(numbers([](ScriptText& t) { put_data_source(t, 0x1e05080021); }),
            "      1e05080021 |OP N/A|LVL N/A or N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A");
  EXPECT_EQ(numbers([](ScriptText& t) { put_page_size(t, 2u << 20); }), " 2M");
  EXPECT_EQ(numbers([](ScriptText& t) { put_page_size(t, 0); }), " N/A");
}

TEST(ScriptValues, ShowBpfOutputAsBytesAndAsText) {
  const auto shown = [](std::string_view bytes) {
    return numbers([&](ScriptText& t) { put_bpf_output(t, std::as_bytes(std::span(bytes))); });
  };
  EXPECT_EQ(shown(std::string_view("Hello w\0\0", 9)),
            "\n      BPF output: 0000: 48 65 6c 6c 6f 20 77 00  Hello w.\n"
            "                  0008: 00                       .       \n      BPF string: \"Hello w\"\n");
  EXPECT_EQ(shown("\x01"), "\n      BPF output: 0000: 01                       .       \n");
}

}  // namespace
}  // namespace peregrine
