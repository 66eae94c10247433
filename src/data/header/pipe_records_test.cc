// The header of a pipe consists of records: pipe_records writes them, and header_record applies them to another header.
#include "data/header/pipe_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "abi/arch/registers.h"
#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/build_id.h"
#include "data/feature/codec.h"
#include "data/feature/feature_rows.h"
#include "data/feature/features.h"
#include "data/header.h"
#include "data/header/header_record.h"
#include "data/header/recorded_arch.h"
#include "support/byte_buffer.h"

namespace peregrine::data {
namespace {

using abi::RecordType;
using support::ByteBuffer;
using support::Endian;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr ByteOrder kBothOrders[] = {ByteOrder::Little, ByteOrder::Big};

Endian endian_of(ByteOrder order) { return order == ByteOrder::Little ? Endian::Little : Endian::Big; }

// A header filled record by record.
struct ReceivedHeader {
  Header header;
  Evlist evlist;
  std::vector<Applied> outcomes;

  explicit ReceivedHeader(ByteOrder order = ByteOrder::Little) : evlist(order) { header.order = order; }

  void receive(Bytes bytes) {
    while (bytes.size() >= abi::kRecordHeaderSize) {
      const std::size_t size = load<u16>(bytes.data() + 6, header.order);
      ASSERT_TRUE(size >= abi::kRecordHeaderSize && size <= bytes.size());
      const abi::RecordView record{.type = static_cast<RecordType>(load<u32>(bytes.data(), header.order)),
                                   .bytes = bytes.first(size),
                                   .order = header.order};
      outcomes.push_back(apply_header_record(record, header, evlist));
      bytes = bytes.subspan(size);
    }
    EXPECT_TRUE(bytes.empty());
  }
  Applied receive(RecordType type, const ByteBuffer& body, Bytes payload = {}) {
    ByteBuffer record(body.endian());
    record.put32(static_cast<u32>(type)).put16(0).put16(8 + body.size()).append(body.bytes());
    return apply_header_record({.type = type, .bytes = record.bytes(), .order = header.order, .payload = payload},
                               header, evlist);
  }
};

Event described_event(std::string name, std::vector<u64> ids) {
  Event event;
  event.attr.sample_type = abi::sample_bit::Ip;
  event.name = std::move(name);
  event.ids = std::move(ids);
  return event;
}

TEST(PipeHeader, CarriesEventsInBothByteOrders) {
  for (const ByteOrder order : kBothOrders) {
    Event event = described_event("energy", {21, 22});
    event.attr.type = 9;
    event.attr.set(abi::attr_flag::SampleIdAll);
    event.unit = "Joules";
    event.scale = 0.25;
    event.cpus = {0, 3, 65535};
    ByteWriter pipe(order);
    put_header_attr(event, 136, pipe);
    put_event_updates(event, true, pipe);
    ReceivedHeader received(order);
    received.receive(pipe.bytes());
    EXPECT_THAT(received.outcomes,
                ElementsAre(Applied::Done, Applied::Done, Applied::Done, Applied::Done, Applied::Done));
    ASSERT_EQ(received.evlist.size(), 1u);
    const Event& read = received.evlist[0];
    event.attr.size = 136;
    EXPECT_EQ(read.attr, event.attr);
    EXPECT_EQ(read.ids, event.ids);
    EXPECT_EQ(read.name, "energy");
    EXPECT_EQ(read.unit, "Joules");
    EXPECT_EQ(read.scale, 0.25);
    EXPECT_EQ(read.cpus, event.cpus);
  }
}

TEST(PipeHeader, SaysOnlyWhatDiffersFromTheUsual) {
  ByteWriter pipe;
  Event event = described_event("cycles", {1});
  put_event_updates(event, false, pipe);
  EXPECT_EQ(pipe.size(), 0u) << "neither unit nor scale nor CPUs";
  event.ids.clear();
  event.unit = "Joules";
  put_event_updates(event, true, pipe);
  EXPECT_EQ(pipe.size(), 0u) << "an event without ids cannot be told from others";
  event.name.clear();
  put_event_name(event, pipe);
  EXPECT_EQ(pipe.size(), 0u);
}

TEST(PipeHeader, UpdatesTheEventWithTheId) {
  ByteWriter pipe(ByteOrder::Little);
  const Event first = described_event("first", {5}), second = described_event("second", {6, 7});
  for (const Event* event : {&first, &second}) put_header_attr(*event, 128, pipe);
  for (const Event* event : {&second, &first}) put_event_name(*event, pipe);
  put_event_name(described_event("third", {8}), pipe);
  ReceivedHeader received;
  received.receive(pipe.bytes());
  EXPECT_EQ(received.evlist[0].name, "first");
  EXPECT_EQ(received.evlist[1].name, "second");
  EXPECT_EQ(received.outcomes.back(), Applied::Malformed) << "no event has id 8";
}

// A recorder that did not request ids sends 0.
TEST(PipeHeader, UpdatesTheOnlyEventWhateverTheId) {
  ByteWriter pipe(ByteOrder::Little);
  put_header_attr(described_event("", {}), 128, pipe);
  put_event_name(described_event("only", {}), pipe);
  ReceivedHeader received;
  received.receive(pipe.bytes());
  EXPECT_EQ(received.evlist[0].name, "only");
}

TEST(PipeHeader, HasNoUpdateBeforeItsEvents) {
  ByteWriter pipe(ByteOrder::Little);
  put_event_name(described_event("early", {5}), pipe);
  ReceivedHeader received;
  received.receive(pipe.bytes());
  EXPECT_THAT(received.outcomes, ElementsAre(Applied::Malformed));
}

TEST(PipeHeader, NamesTracepointsByOldRecords) {
  ReceivedHeader received;
  for (const u64 config : {5, 6}) {
    Event event = described_event("", {});
    event.attr.type = 2;
    event.attr.config = config;
    received.evlist.add(event);
  }
  const ByteBuffer body = ByteBuffer().put64(6).text("irq:softirq_entry").zeros(47);
  EXPECT_EQ(received.receive(RecordType::HeaderEventType, body), Applied::Done);
  EXPECT_EQ(received.evlist[0].name, "");
  EXPECT_EQ(received.evlist[1].name, "irq:softirq_entry");
  EXPECT_EQ(received.receive(RecordType::HeaderEventType, ByteBuffer().put32(6)), Applied::Malformed);
}

TEST(PipeHeader, CarriesFeaturesWithoutPadding) {
  for (const ByteOrder order : kBothOrders) {
    ByteWriter pipe(order);
    const ByteBuffer section = ByteBuffer(endian_of(order)).put32(5).text("host").zeros(1);
    put_header_feature(static_cast<u32>(FeatureId::Hostname), section.bytes(), pipe);
    EXPECT_EQ(pipe.size(), 8 + 8 + 9u);
    put_last_feature(pipe);
    ReceivedHeader received(order);
    received.receive(pipe.bytes());
    EXPECT_EQ(received.header.features.hostname, "host");
    EXPECT_THAT(received.header.present, ElementsAre(static_cast<u32>(FeatureId::Hostname)))
        << "the record that ends the features is none";
    EXPECT_THAT(received.outcomes, ElementsAre(Applied::Done, Applied::Done));
  }
}

TEST(PipeHeader, LeavesOutFeaturesThatNoRecordCanHold) {
  const std::vector<std::byte> largest(0xffff - 16), larger(0xffff - 15);
  ByteWriter pipe;
  put_header_feature(3, larger, pipe);
  EXPECT_EQ(pipe.size(), 0u);
  put_header_feature(3, largest, pipe);
  EXPECT_EQ(pipe.size(), 0xffffu);
}

TEST(PipeHeader, KeepsTheBytesOfFeaturesThatItCannotDecode) {
  ReceivedHeader received;
  EXPECT_EQ(received.receive(RecordType::HeaderFeature, ByteBuffer().put64(250).text("new")), Applied::Done);
  EXPECT_EQ(received.receive(RecordType::HeaderFeature, ByteBuffer().put64(7).put32(1)), Applied::Done);
  EXPECT_THAT(received.header.present, ElementsAre(7, 250));
  EXPECT_EQ(received.header.kept.at(250), ByteBuffer().text("new").bytes());
  EXPECT_EQ(received.header.kept.at(7), ByteBuffer().put32(1).bytes()) << "NRCPUS has two numbers";
  EXPECT_FALSE(received.header.features.cpus);
}

TEST(PipeHeader, RejectsFeaturesThatNoHeaderHasABitFor) {
  ReceivedHeader received;
  EXPECT_EQ(received.receive(RecordType::HeaderFeature, ByteBuffer().put64(255).text("last")), Applied::Done);
  EXPECT_EQ(received.receive(RecordType::HeaderFeature, ByteBuffer().put64(256).text("more")), Applied::Malformed);
  EXPECT_EQ(received.receive(RecordType::HeaderFeature, ByteBuffer().put64(~u64{0})), Applied::Malformed);
  EXPECT_EQ(received.receive(RecordType::HeaderFeature, ByteBuffer().put32(3)), Applied::Malformed);
  EXPECT_THAT(received.header.present, ElementsAre(255));
}

TEST(PipeHeader, LeavesOtherRecordsAlone) {
  ReceivedHeader received;
  for (const RecordType type : {RecordType::Sample, RecordType::Comm, RecordType::FinishedRound})
    EXPECT_EQ(received.receive(type, ByteBuffer().zeros(16)), Applied::NotOurs);
  EXPECT_THAT(received.header.present, IsEmpty());
}

TEST(PipeHeader, RejectsAttrsThatReachBeyondTheirRecord) {
  ReceivedHeader received;
  EXPECT_EQ(received.receive(RecordType::HeaderAttr, ByteBuffer().put32(0).put32(128).zeros(64)), Applied::Malformed);
  EXPECT_EQ(received.receive(RecordType::HeaderAttr, ByteBuffer().put32(0).put32(63).zeros(64)), Applied::Malformed);
  EXPECT_EQ(received.receive(RecordType::HeaderAttr, ByteBuffer()), Applied::Malformed);
  EXPECT_TRUE(received.evlist.empty());
}

// The formats of tracepoints are a payload after their record, padded to whole words.
TEST(PipeHeader, CarriesTracingDataBehindARecord) {
  ByteWriter pipe(ByteOrder::Little);
  const std::vector<std::byte> formats = ByteBuffer().text("formats!?").bytes();
  put_tracing_data(formats, pipe);
  EXPECT_EQ(pipe.bytes().size(), 12 + 16u);
  EXPECT_EQ(load<u32>(pipe.bytes().data() + 8, ByteOrder::Little), 16u) << "the record has the payload's size";
  ReceivedHeader received;
  EXPECT_EQ(received.receive(RecordType::HeaderTracingData, ByteBuffer().put32(16), formats), Applied::Done);
  EXPECT_EQ(received.header.features.tracing_data, formats);
  EXPECT_THAT(received.header.present, ElementsAre(static_cast<u32>(FeatureId::TracingData)));
}

TEST(PipeHeader, CarriesEachBuildIdInItsRecord) {
  for (const ByteOrder order : kBothOrders) {
    Features features;
    features.build_ids.emplace();
    for (const char* name : {"/usr/bin/first", "/usr/lib/second.so"}) {
      const std::vector<std::byte> id = ByteBuffer().text("ABCDEFGHIJKLMNOPQRST").bytes();
      features.build_ids->push_back({.misc = 2, .pid = -1, .id = BuildId::from_bytes(id), .name = name});
    }
    ByteWriter section(order), pipe(order);
    ASSERT_TRUE(encode_build_ids(features, section));
    put_build_ids(section.bytes(), pipe);
    EXPECT_EQ(pipe.size(), section.size()) << "entries are records already, of another type";
    ReceivedHeader received(order);
    received.receive(pipe.bytes());
    EXPECT_THAT(received.outcomes, ElementsAre(Applied::Done, Applied::Done));
    ASSERT_EQ(received.header.features.build_ids->size(), 2u);
    EXPECT_EQ(received.header.features.build_ids->back().name, "/usr/lib/second.so");
    EXPECT_EQ(received.header.features.build_ids->back().id.hex(), "4142434445464748494a4b4c4d4e4f5051525354");
    EXPECT_THAT(received.header.present, ElementsAre(static_cast<u32>(FeatureId::BuildId)));
  }
}

TEST(PipeHeader, StopsAtADamagedBuildId) {
  ByteWriter pipe(ByteOrder::Little);
  put_build_ids(ByteBuffer().put32(0).put16(0).put16(16).zeros(8).put32(0).put16(0).put16(7).bytes(), pipe);
  EXPECT_EQ(pipe.size(), 16u) << "an entry is at least its own header";
  ByteWriter beyond(ByteOrder::Little);
  put_build_ids(ByteBuffer().put32(0).put16(0).put16(24).zeros(8).bytes(), beyond);
  EXPECT_EQ(beyond.size(), 0u);
}

TEST(EventDescriptions, NameAndGroupTheEvents) {
  Evlist evlist;
  for (const char* name : {"", "kept", ""}) evlist.add(described_event(name, {}));
  Features features;
  features.event_desc.emplace();
  for (const char* name : {"one", "two", "three", "four"}) features.event_desc->push_back({.attr = {}, .name = name});
  features.groups = {{.name = "{anon_group}", .leader = 0, .members = 2}};
  complete_evlist(features, evlist);
  EXPECT_EQ(evlist[0].name, "one");
  EXPECT_EQ(evlist[1].name, "kept");
  EXPECT_EQ(evlist[2].name, "three");
  EXPECT_EQ(evlist[0].members, 2u);
  EXPECT_EQ(evlist[0].group_name, "") << "an anonymous group has no name";
  EXPECT_EQ(evlist[1].leader, 0u);
  EXPECT_EQ(evlist[2].leader, 2u);
}

TEST(EventDescriptions, OfAGroupOnlyWorkAlone) {
  Evlist evlist;
  for (unsigned i = 0; i < 2; ++i) evlist.add(described_event("", {}));
  Features features;
  features.groups = {{.name = "pair", .leader = 0, .members = 2}};
  complete_evlist(features, evlist);
  EXPECT_EQ(evlist[0].group_name, "pair");
  EXPECT_EQ(evlist[0].name, "");
}

// META_INFO: keys and values, each with its NUL; the names contain commas.
TEST(SimpleperfNames, ComeFromTheLineWithTypeAndConfig) {
  Header header;
  header.kept[129] = ByteBuffer()
                         .text("simpleperf_version")
                         .zeros(1)
                         .text("1.0")
                         .zeros(1)
                         .text("event_type_info")
                         .zeros(1)
                         .text("cpu-cycles,0,0\nsched:sched_switch,2,47\nodd,name,2,48\nno commas")
                         .zeros(1)
                         .bytes();
  Evlist evlist;
  for (const u64 config : {47, 48, 49}) {
    Event event = described_event("", {});
    event.attr.type = 2;
    event.attr.config = config;
    evlist.add(event);
  }
  evlist.add(described_event("", {}));
  name_by_simpleperf(header, evlist);
  EXPECT_EQ(evlist[0].name, "sched:sched_switch");
  EXPECT_EQ(evlist[1].name, "odd,name");
  EXPECT_EQ(evlist[2].name, "");
  EXPECT_EQ(evlist[3].name, "") << "other events are named by their attrs";
}

TEST(OldFeatures, AreRecordsOfTypes69To80) {
  EXPECT_EQ(old_feature(static_cast<RecordType>(68)), std::nullopt);
  EXPECT_EQ(old_feature(static_cast<RecordType>(69)), static_cast<u32>(FeatureId::Hostname));
  EXPECT_EQ(old_feature(static_cast<RecordType>(80)), static_cast<u32>(FeatureId::NumaTopology));
  EXPECT_EQ(old_feature(static_cast<RecordType>(81)), std::nullopt);
}

TEST(RecordedArch, IsThatOfTheMachineThatRecorded) {
  Features features;
  EXPECT_EQ(recorded_arch(features), abi::kHostArch) << "nothing is known";
  features.elf_machine = ElfMachine{.machine = 183};  // EM_AARCH64
  EXPECT_EQ(recorded_arch(features), abi::Arch::Arm64);
  features.arch = "s390x";
  EXPECT_EQ(recorded_arch(features), abi::Arch::S390);
  features.arch = "pdp11";
  EXPECT_EQ(recorded_arch(features), abi::Arch::Unknown);
}

}  // namespace
}  // namespace peregrine::data
