#include "output/text/dump/record_text.h"

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "abi/record_table.h"
#include "abi/sample.h"

namespace peregrine {
namespace {

constexpr auto kFakeRecordType = static_cast<abi::RecordType>(40);

// A record type that no kernel writes, with one text for `script` and another for -D.
constexpr RecordText kFakeRecordText{kFakeRecordType,
                                     [](RecordLine& line, const abi::SideBand& record) {
                                       line.put(" fake {}\n", std::get<abi::CgroupRecord>(record.body).path);
                                     },
                                     [](RecordLine& line, const abi::SideBand& record) {
                                       line.put(": id:{}\n", std::get<abi::CgroupRecord>(record.body).id);
                                     }};

TEST(RecordText, PrintsAFakeRecord) {
  const abi::SideBand fake{abi::CgroupRecord{7, "seven"}, {}, 0, 0};
  const std::span texts(&kFakeRecordText, 1);
  std::string shown, dumped;
  RecordLine line{.out = shown}, dump{.out = dumped};
  append_side_band(line, kFakeRecordType, fake, texts);
  append_dumped_side_band(dump, kFakeRecordType, fake, texts);
  EXPECT_EQ(shown, " fake seven\n");
  EXPECT_EQ(dumped, ": id:7\n");
}

TEST(RecordText, DumpsTheLineOfARecordThatHasNoOtherText) {
  const abi::SideBand comm{abi::CommRecord{7, 8, "ls", true}, {}, 0, 0};
  std::string dumped;
  RecordLine dump{.out = dumped};
  append_dumped_side_band(dump, abi::RecordType::Comm, comm);
  EXPECT_EQ(dumped, " exec: ls:7/8\n");
}

TEST(RecordText, PrintsNothingOfATypeWithoutARow) {
  const abi::SideBand fake{abi::CgroupRecord{7, "seven"}, {}, 0, 0};
  std::string shown;
  RecordLine line{.out = shown};
  append_side_band(line, kFakeRecordType, fake);
  EXPECT_EQ(shown, "");
}

TEST(RecordText, DumpsCountersByTheFormatOfTheirEvent) {
  abi::ReadRecord read{7, 8, {}};
  const abi::ReadValue value{.value = 42};
  read.values.values = std::span(&value, 1);
  read.values.time_enabled = 5;
  std::string known, unknown;
  abi::EventAttr attr;
  attr.read_format = abi::read_bit::TotalTimeEnabled;
  RecordLine of_event{.out = known, .event_name = "cycles", .event = &attr}, of_none{.out = unknown};
  append_dumped_side_band(of_event, abi::RecordType::Read, abi::SideBand{read, {}, 0, 0});
  append_dumped_side_band(of_none, abi::RecordType::Read, abi::SideBand{read, {}, 0, 0});
  EXPECT_EQ(known, ": 7 8 cycles 42\n... time enabled : 5\n");
  EXPECT_EQ(unknown, ": 7 8 unknown 42\n");
}

TEST(RecordText, HasOneRowForEachDecodedType) {
  for (const abi::RecordRow& row : abi::record_table()) {
    if (row.side_band == nullptr && row.session == nullptr) continue;
    const RecordText* text = find_record_text(row.type);
    ASSERT_NE(text, nullptr) << row.name << ": add a row for it to kRecordTexts in output/text/dump/record_text.cc";
    EXPECT_EQ(text->line != nullptr, row.side_band != nullptr) << row.name << ": the column `line` is for side-band";
    EXPECT_EQ(text->session != nullptr, row.session != nullptr)
        << row.name << ": the column `session` is for the recorder's own records";
  }
  for (const RecordText& text : record_texts()) {
    EXPECT_NE(abi::find_record(text.type), nullptr)
        << "type " << static_cast<u32>(text.type) << " has a text, but no row in abi/record_rows.h";
  }
}

}  // namespace
}  // namespace peregrine
