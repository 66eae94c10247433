#include "data/header/evlist.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "abi/record_rows.h"
#include "support/byte_buffer.h"

namespace peregrine::data {
namespace {

using support::ByteBuffer;
namespace bit = abi::sample_bit;

struct Record {
  std::vector<std::byte> bytes;
  abi::RecordView view;
  Record(abi::RecordType type, const ByteBuffer& body) : bytes(8) {
    bytes.insert(bytes.end(), body.bytes().begin(), body.bytes().end());
    view.type = type;
    view.bytes = bytes;
  }
};

Event event(u64 sample_type, std::vector<u64> ids, u64 flags = abi::attr_flag::SampleIdAll) {
  Event result;
  result.attr.sample_type = sample_type;
  result.attr.flags = flags;
  result.ids = std::move(ids);
  return result;
}

TEST(Evlist, FindsAnEventByEachOfItsIds) {
  Evlist evlist;
  std::vector<u64> many;
  for (u64 id = 1; id < 5000; ++id) many.push_back(id * 64);
  evlist.add(event(bit::Ip, many));
  evlist.add(event(bit::Ip, {7, 9}));
  evlist.add_id(1, 11);
  for (const u64 id : many) EXPECT_EQ(evlist.find_id(id), 0u);
  for (const u64 id : {7u, 9u, 11u}) EXPECT_EQ(evlist.find_id(id), 1u);
  EXPECT_EQ(evlist.find_id(8), kNoEvent);
  EXPECT_EQ(evlist.find_id(0), kNoEvent);
}

TEST(Evlist, TakesTheIdFromWhereTheSampleTypePutsIt) {
  Evlist evlist;
  evlist.add(event(bit::Ip | bit::Id | bit::Cpu | bit::Time, {1}));
  evlist.add(event(bit::Ip | bit::Id | bit::Cpu | bit::Time, {2}));
  const Record sample(abi::RecordType::Sample, ByteBuffer().put64(0x10).put64(500).put64(2).put64(0));
  EXPECT_EQ(evlist.event_of(sample.view), 1u);
  EXPECT_EQ(evlist.time_of(sample.view), 500u);
  const Record exit(abi::RecordType::Exit, ByteBuffer().zeros(24).put64(600).put64(2).put64(0));
  EXPECT_EQ(evlist.event_of(exit.view), 1u);
  EXPECT_EQ(evlist.time_of(exit.view), 600u);
}

// IDENTIFIER comes first in a sample and last in a trailer, regardless of the rest of sample_type.
TEST(Evlist, LetsSampleTypesDifferWhereIdentifierIsThere) {
  Evlist evlist;
  evlist.add(event(bit::Identifier | bit::Ip | bit::Tid | bit::Time, {1}));
  evlist.add(event(bit::Identifier | bit::Time, {2}));
  const Record first(abi::RecordType::Sample, ByteBuffer().put64(1).put64(0x10).put64(0).put64(100));
  const Record second(abi::RecordType::Sample, ByteBuffer().put64(2).put64(200));
  EXPECT_EQ(evlist.time_of(first.view), 100u);
  EXPECT_EQ(evlist.time_of(second.view), 200u);
  EXPECT_EQ(evlist.event_of(second.view), 1u);
  const Record lost(abi::RecordType::Lost, ByteBuffer().zeros(16).put64(300).put64(2));
  EXPECT_EQ(evlist.event_of(lost.view), 1u);
  EXPECT_EQ(evlist.time_of(lost.view), 300u);
}

TEST(Evlist, GivesRecordsWithoutAnIdToTheFirstEvent) {
  Evlist evlist;
  EXPECT_EQ(evlist.event_of(Record(abi::RecordType::Sample, ByteBuffer().put64(1)).view), kNoEvent);
  evlist.add(event(bit::Identifier, {1}));
  // A single event gets all records, with known ids or not.
  const Record unknown(abi::RecordType::Sample, ByteBuffer().put64(99)),
      none(abi::RecordType::Sample, ByteBuffer().put64(0));
  EXPECT_EQ(evlist.event_of(unknown.view), 0u);
  evlist.add(event(bit::Identifier, {2}));
  EXPECT_EQ(evlist.event_of(unknown.view), kNoEvent);
  EXPECT_EQ(evlist.event_of(none.view), 0u);
  EXPECT_EQ(evlist.time_of(unknown.view), 0u);
}

TEST(Evlist, HasAnAttrForRecordsOfFilesWithoutEvents) {
  std::array<std::byte, 16> bytes{};
  EXPECT_EQ(Evlist().attr_of({.type = abi::RecordType::Comm, .bytes = bytes}).sample_type, 0u);
}

TEST(Evlist, KeepsGroups) {
  Evlist evlist;
  for (u64 id = 1; id <= 3; ++id) evlist.add(event(bit::Ip, {id}));
  evlist.set_group(0, 2, "pair");
  evlist.set_group(2, 9, "too many");
  EXPECT_EQ(evlist[1].leader, 0u);
  EXPECT_EQ(evlist[0].members, 2u);
  EXPECT_TRUE(evlist[1].grouped(evlist.events()));
  EXPECT_FALSE(evlist[2].grouped(evlist.events()));
}

}  // namespace
}  // namespace peregrine::data
