#include "session/recording/losses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "support/kept_messages.h"

namespace peregrine {
namespace {

using ::testing::HasSubstr;

std::string losses_of(const ReplayAccount& account, const data::ReadAccount& read = {}) {
  testing::KeptMessages messages;
  warn_about_losses(messages, account, read);
  return messages.take();
}

TEST(Losses, AreSilentForAnIntactRecording) { EXPECT_EQ(losses_of({}), ""); }

TEST(Losses, NameLostChunks) {
  ReplayAccount account;
  account.lost_records = 2;
  data::ReadAccount read;
  read.records = 100;
  EXPECT_EQ(losses_of(account, read),
            "Warning:\nProcessed 100 events and lost 2 chunks!\n\nCheck IO/CPU overload!\n\n");
}

TEST(Losses, NameLostSamplesAboveFivePercent) {
  ReplayAccount account;
  account.samples = 95;
  account.lost_samples = 5;
  EXPECT_EQ(losses_of(account), "");
  account.lost_samples = 25;
  account.samples = 75;
  EXPECT_EQ(losses_of(account), "Warning:\nProcessed 100 samples and lost 25.00%!\n\n");
}

TEST(Losses, SayWhatToDoAboutLostTraceData) {
  ReplayAccount account;
  account.aux_lost = 1;
  EXPECT_EQ(losses_of(account),
            "warning: AUX data lost 1 time: parts of hardware traces are missing\n"
            "hint: record with larger buffers: -m ,PAGES\n");
}

TEST(Losses, IncludeDamageWithItsPlace) {
  data::ReadAccount read;
  read.bytes = 4096;
  read.records = 7;
  read.garbage.add(0x200, 16);
  EXPECT_EQ(losses_of({}, read),
            "warning: skipped 16 bytes that are not a record at offset 0x200\n"
            "note: 4096 bytes of 7 records read, 16 skipped\n");
}

TEST(Losses, NameTheEndOfACutFile) {
  data::ReadAccount read;
  read.cut.add(0x300, 8);
  read.missing_bytes = 40;
  EXPECT_EQ(losses_of({}, read),
            "warning: the file is truncated; showing what it contains; the last record, at offset 0x300, is "
            "incomplete (8 bytes); 40 bytes are missing\n");
}

TEST(Losses, NameUnreadableFilesWithTheCause) {
  ReplayAccount account;
  account.unreadable_files.push_back({"/usr/bin/busy", EIO});
  EXPECT_THAT(losses_of(account),
              HasSubstr("cannot read '/usr/bin/busy': Input/output error; names, code or source lines are missing"));
}

}  // namespace
}  // namespace peregrine
