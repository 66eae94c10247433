// Copies of samples for recordings that must not reveal memory addresses.
#include "abi/sample_places.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "abi/record_rows.h"
#include "base/bytes.h"
#include "support/byte_buffer.h"

namespace peregrine::abi {
namespace {

namespace bit = sample_bit;
using support::ByteBuffer;
using support::Endian;

// Adds 1 to addresses, so that addresses that were missed show.
class AddingEditor final : public PlaceEditor {
 public:
  void begin(u32 pid) override { pids.push_back(pid); }
  u64 address(u64 value) override { return value + 1; }
  void chain(std::span<u64> values) override {
    for (u64& value : values)
      if (value < kContextMax) ++value;
  }
  void raw(std::span<std::byte> bytes) override {
    for (std::byte& byte : bytes) byte ^= std::byte{0xff};
  }
  std::vector<u32> pids;
};

// A sample record with that body, in its byte order; the kernel pads records to eight bytes.
std::vector<std::byte> sample_record(const ByteBuffer& body) {
  ByteBuffer record(body.endian());
  record.put32(static_cast<u32>(RecordType::Sample)).put16(misc_bit::User).put16(8 + body.size());
  return record.append(body.bytes()).bytes();
}

RecordView view_of(const std::vector<std::byte>& bytes, Endian endian) {
  return {.type = RecordType::Sample,
          .misc = misc_bit::User,
          .bytes = bytes,
          .order = endian == Endian::Little ? ByteOrder::Little : ByteOrder::Big};
}

struct PlaceCase {
  const char* what;
  EventAttr attr;
  ByteBuffer before, after;
  LeftOutPlaces left_out;
};

EventAttr with_fields(u64 sample_type, u64 branch_sample_type = 0, u64 registers = 0, u64 read_format = 0) {
  EventAttr attr;
  attr.sample_type = sample_type;
  attr.branch_sample_type = branch_sample_type;
  attr.sample_regs_user = attr.sample_regs_intr = registers;
  attr.read_format = read_format;
  return attr;
}

std::vector<PlaceCase> place_cases(Endian endian) {
  const ByteBuffer empty(endian);
  const auto body = [&] { return empty; };
  return {
      {"nothing", with_fields(0), body(), body(), {}},
      {"addresses among numbers",
       with_fields(bit::Identifier | bit::Ip | bit::Tid | bit::Time | bit::Addr | bit::Id | bit::StreamId | bit::Cpu |
                   bit::Period),
       body().put64(1).put64(0x1000).put32(7).put32(8).put64(2).put64(0x2000).put64(3).put64(4).put32(5).put32(0).put64(
           6),
       body().put64(1).put64(0x1001).put32(7).put32(8).put64(2).put64(0x2001).put64(3).put64(4).put32(5).put32(0).put64(
           6),
       {}},
      {"a chain and its markers",
       with_fields(bit::Callchain),
       body().put64(2).put64(kContextUser).put64(0x1000),
       body().put64(2).put64(kContextUser).put64(0x1001),
       {}},
      {"an empty chain", with_fields(bit::Callchain), body().put64(0), body().put64(0), {}},
      {"raw bytes", with_fields(bit::Raw), body().put32(4).put32(0x0f0f0f0f), body().put32(4).put32(0xf0f0f0f0), {}},
      {"branches, but not their flags",
       with_fields(bit::BranchStack, branch_bit::HwIndex),
       body().put64(1).put64(9).put64(0x10).put64(0x20).put64(0x30),
       body().put64(1).put64(9).put64(0x11).put64(0x21).put64(0x30),
       {}},
      {"counters of branches",
       with_fields(bit::BranchStack, branch_bit::Counters),
       body().put64(1).put64(0x10).put64(0x20).put64(0x30).put64(0x40),
       body().put64(1).put64(0x11).put64(0x21).put64(0x30).put64(0x40),
       {}},
      {"a group of counts",
       with_fields(bit::Read | bit::Cgroup, 0, 0, read_bit::Group | read_bit::Id),
       body().put64(1).put64(50).put64(60).put64(70),
       body().put64(1).put64(50).put64(60).put64(70),
       {}},
      {"registers and stack",
       with_fields(bit::RegsUser | bit::StackUser | bit::DataSrc, 0, 0b101),
       body().put64(2).put64(0x71).put64(0x72).put64(8).put64(0x5555).put64(8).put64(6),
       body().put64(0).put64(0).put64(6),
       {.registers = true, .stack = true}},
      {"registers and stack that are not there",
       with_fields(bit::RegsUser | bit::StackUser | bit::DataSrc, 0, 0b101),
       body().put64(0).put64(0).put64(6),
       body().put64(0).put64(0).put64(6),
       {}},
      {"registers of the interrupt",
       with_fields(bit::RegsIntr | bit::Weight, 0, 0b1),
       body().put64(40).put64(1).put64(0x71),
       body().put64(40).put64(0),
       {.registers = true}},
      {"a physical address",
       with_fields(bit::PhysAddr | bit::CodePageSize),
       body().put64(0x9000).put64(4096),
       body().put64(0).put64(4096),
       {.physical = true}},
      {"an unknown physical address", with_fields(bit::PhysAddr), body().put64(0), body().put64(0), {}},
      {"a piece of a hardware trace",
       with_fields(bit::Transaction | bit::Aux),
       body().put64(5).put64(8).put64(0x7777),
       body().put64(5).put64(0),
       {.aux = true}},
  };
}

TEST(SamplePlaces, AreReplacedOrLeftOutAndAllElseStays) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    for (const PlaceCase& each : place_cases(endian)) {
      SCOPED_TRACE(fmt::format("{}, {} endian", each.what, endian == Endian::Little ? "little" : "big"));
      const std::vector<std::byte> before = sample_record(each.before);
      std::vector<std::byte> after;
      AddingEditor editor;
      const auto left_out = copy_without_places(view_of(before, endian), each.attr, editor, after);
      ASSERT_TRUE(left_out);
      EXPECT_EQ(after, sample_record(each.after));
      EXPECT_EQ(left_out->registers, each.left_out.registers);
      EXPECT_EQ(left_out->stack, each.left_out.stack);
      EXPECT_EQ(left_out->aux, each.left_out.aux);
      EXPECT_EQ(left_out->physical, each.left_out.physical);
    }
  }
}

TEST(SamplePlaces, BelongToTheProcessOfTheSample) {
  AddingEditor editor;
  std::vector<std::byte> out;
  const auto with_tid = sample_record(ByteBuffer().put64(1).put64(0x1000).put32(77).put32(78));
  ASSERT_TRUE(copy_without_places(view_of(with_tid, Endian::Little), with_fields(bit::Identifier | bit::Ip | bit::Tid),
                                  editor, out));
  const auto without = sample_record(ByteBuffer().put64(0x1000));
  ASSERT_TRUE(copy_without_places(view_of(without, Endian::Little), with_fields(bit::Ip), editor, out));
  EXPECT_EQ(editor.pids, (std::vector<u32>{77, 0})) << "0 if the sample does not say";
}

TEST(SamplePlaces, OfRecordsThatAreCutAreNotCopied) {
  for (const PlaceCase& each : place_cases(Endian::Little)) {
    const std::vector<std::byte> whole = sample_record(each.before);
    for (std::size_t size = 8; size < whole.size(); ++size) {
      SCOPED_TRACE(fmt::format("{}: {} of {} bytes", each.what, size, whole.size()));
      const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      AddingEditor editor;
      std::vector<std::byte> out;
      EXPECT_FALSE(copy_without_places(view_of(cut, Endian::Little), each.attr, editor, out));
      EXPECT_TRUE(out.empty());
    }
  }
}

TEST(SamplePlaces, BelieveNoCountOrSize) {
  constexpr u64 kWraps = 0x2000000000000001;  // times eight is 8
  const std::pair<u64, ByteBuffer> cases[] = {
      {bit::Callchain, ByteBuffer().put64(kWraps).put64(1)},
      {bit::Callchain, ByteBuffer().put64(~u64{0}).put64(1)},
      {bit::BranchStack, ByteBuffer().put64(0x0aaaaaaaaaaaaaab).zeros(24)},  // times 24 is 8
      {bit::Raw, ByteBuffer().put32(~0u).put32(0)},
      {bit::StackUser, ByteBuffer().put64(~u64{7}).zeros(16)},
      {bit::Aux, ByteBuffer().put64(~u64{0}).zeros(8)},
  };
  for (const auto& [sample_type, body] : cases) {
    AddingEditor editor;
    std::vector<std::byte> out;
    const auto record = sample_record(body);
    EXPECT_FALSE(copy_without_places(view_of(record, Endian::Little), with_fields(sample_type), editor, out))
        << sample_type;
  }
}

}  // namespace
}  // namespace peregrine::abi
