#include "session/guest/guest_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/kept_messages.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(GuestTable, NamesTheMachinesAndCpusInItsTitle) {
  EXPECT_EQ(guest_table({})->title, "all VMs, all VCPUs");
  EXPECT_EQ(guest_table({.pids = "7,9", .vcpu = 1})->title, "pid(s) 7,9, VCPU 1");
}

TEST(GuestTable, TakesTheEventTheKeyAndTheGuests) {
  const auto table = guest_table({.event = "ioport", .key = "time", .pids = "7,9-10", .vcpu = 3});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->which.event, GuestEvent::IoPort);
  EXPECT_TRUE(table->by_time);
  EXPECT_THAT(table->which.pids, ElementsAre(7, 9, 10));
  EXPECT_EQ(table->which.vcpu, 3u);
}

TEST(GuestTable, RefusesUnknownWords) {
  const auto message = [](const GuestChoice& choice) {
    const auto table = guest_table(choice);
    return table ? std::string("accepted") : table.error().message;
  };
  EXPECT_THAT(message({.event = "exit"}), HasSubstr("must be one of vmexit, mmio, ioport"));
  EXPECT_THAT(message({.key = "name"}), HasSubstr("`name'"));
  EXPECT_THAT(message({.pids = "x"}), HasSubstr("-p: "));
}

TEST(GuestWatch, ReportsATargetThatDoesNotExist) {
  testing::KeptMessages messages;
  Sink out;
  EventSources sources;
  RecordRequest record;
  record.target.pids = "1000000000";
  const auto watched = watch_guest_exits({.table = *guest_table({})}, record, sources, EventList(), out, messages);
  ASSERT_FALSE(watched);
  EXPECT_THAT(watched.error().message, HasSubstr("1000000000"));
  EXPECT_EQ(out.take(), "");
}

}  // namespace
}  // namespace peregrine
