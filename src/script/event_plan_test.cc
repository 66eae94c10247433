#include "script/event_plan.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "script/field_bytes.h"
#include "script/generate.h"

namespace peregrine::script {
namespace {

constexpr std::string_view kFormat = R"(name: shout
ID: 77
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:char who[4];	offset:8;	size:4;	signed:1;
	field:short level;	offset:12;	size:2;	signed:1;
	field:unsigned short pair[2];	offset:14;	size:4;	signed:0;
	field:__data_loc char[] words;	offset:20;	size:4;	signed:1;
	field:u8 address[2];	offset:24;	size:2;	signed:0;
	field:const char * where;	offset:28;	size:8;	signed:0;

print fmt: "%s", REC->who
)";

EventPlan planned() {
  static const auto format = parse_trace_format("town", kFormat);
  data::Event event;
  event.attr.type = static_cast<u32>(abi::EventType::Tracepoint);
  event.attr.config = 77;
  return plan_event(event, "town:shout", &*format);
}

TEST(EventPlan, NamesTheHandlerAndKnowsWhatEachFieldBecomes) {
  const EventPlan plan = planned();
  EXPECT_EQ(plan.handler, "town__shout");
  ASSERT_EQ(plan.fields.size(), 6u);
  EXPECT_EQ(plan.fields[0].kind, FieldKind::Text);
  EXPECT_EQ(plan.fields[1].kind, FieldKind::Signed);
  EXPECT_EQ(plan.fields[2].kind, FieldKind::List);
  EXPECT_EQ(plan.fields[2].element, 2u);
  EXPECT_EQ(plan.fields[3].kind, FieldKind::Text);
  EXPECT_EQ(plan.fields[3].place, FieldPlace::Located);
  EXPECT_EQ(plan.fields[4].kind, FieldKind::Bytes);
  EXPECT_EQ(plan.fields[5].kind, FieldKind::Unsigned);
  ASSERT_TRUE(plan.shared.pid);
  EXPECT_FALSE(plan.shared.lock_depth);
  EXPECT_EQ(plan.attr_bytes.size(), 128u);
}

TEST(EventPlan, AnEventWithoutFormatHasNoHandler) {
  data::Event event;
  EXPECT_EQ(plan_event(event, "cycles", nullptr).handler, "");
}

TEST(FieldBytes, StayInsideTheRecord) {
  const EventPlan plan = planned();
  ByteWriter record(ByteOrder::Little);
  record.zeros(4).put32(4711).append("abc").put8(0).put16(0xfffe).put16(1).put16(2).zeros(2);
  record.put32(28 | 3u << 16).zeros(4).append("hey");
  const Bytes bytes = record.bytes();
  EXPECT_EQ(shared_number(plan.shared.pid, bytes, ByteOrder::Little), 4711u);
  EXPECT_EQ(up_to_nul(field_bytes(plan.fields[0], bytes, ByteOrder::Little)), "abc");
  const Bytes level = field_bytes(plan.fields[1], bytes, ByteOrder::Little);
  EXPECT_EQ(sign_extended(load_number(level.data(), 2, ByteOrder::Little), 2), -2);
  EXPECT_EQ(up_to_nul(field_bytes(plan.fields[3], bytes, ByteOrder::Little)), "hey");
  EXPECT_TRUE(field_bytes(plan.fields[3], bytes.first(30), ByteOrder::Little).empty());  // the text is truncated
  EXPECT_TRUE(field_bytes(plan.fields[5], bytes, ByteOrder::Little).empty());            // past the end
  EXPECT_EQ(shared_number(plan.shared.pid, {}, ByteOrder::Little), 0u);
}

TEST(FieldBytes, PlaceholdersAreUnavailable) {
  FieldPlan plan{.name = "n", .offset = 4, .size = 4};
  ByteWriter record(ByteOrder::Little);
  record.zeros(4).put32(0xdeade12d).put64(u64{1} << 3);
  EXPECT_FALSE(is_unavailable(plan, record.bytes(), ByteOrder::Little));  // not a probe
  plan.mask_offset = 8;
  plan.mask_bit = 3;
  EXPECT_TRUE(is_unavailable(plan, record.bytes(), ByteOrder::Little));
  plan.mask_bit = 4;
  EXPECT_FALSE(is_unavailable(plan, record.bytes(), ByteOrder::Little));
  plan.mask_offset = 12;  // extends past the end
  EXPECT_FALSE(is_unavailable(plan, record.bytes(), ByteOrder::Little));
}

TEST(Generate, OneHandlerPerEventInBothLanguages) {
  const EventPlan plans[] = {planned(), planned()};
  const std::string python = python_script(plans), perl = perl_script(plans);
  EXPECT_NE(python.find("def town__shout("), std::string::npos);
  EXPECT_EQ(python.find("def town__shout("), python.rfind("def town__shout("));
  EXPECT_NE(python.find("level=%d, pair=%s"), std::string::npos);
  EXPECT_NE(perl.find("sub town::shout\n"), std::string::npos);
  EXPECT_NE(perl.find("$where) = @_;"), std::string::npos);
}

}  // namespace
}  // namespace peregrine::script
