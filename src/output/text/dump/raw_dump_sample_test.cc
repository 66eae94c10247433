#include "output/text/dump/raw_dump_sample.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "abi/record_rows.h"
#include "abi/recorded_field.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "data/reader/reader.h"
#include "output/text/dump/raw_dump.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"
#include "support/built_recording.h"
#include "support/perf_data_builder.h"
#include "support/resolved_program.h"

namespace peregrine {
namespace {

namespace bit = abi::sample_bit;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A sample's text without the first line, which all samples have.
struct DumpedSample {
  abi::Sample sample;
  abi::EventAttr attr;
  abi::RecordView record;

  std::string all() const {
    std::string text;
    append_raw_sample(text, sample, record, {attr, abi::Arch::X86, abi::in_turn<&abi::RecordedField::dump>()});
    return text;
  }
  std::string rest() const { return all().substr(all().find('\n') + 1); }
};

TEST(RawDumpSample, BeginsWithWhereAndWhoseItIs) {
  DumpedSample dumped;
  EXPECT_EQ(dumped.all(), "(IP, 0x0): -1/-1: 0 period: 0 addr: 0\n");
  dumped.sample.fields = bit::Tid;
  dumped.sample.misc = abi::misc_bit::User | abi::misc_bit::ExactIp;
  dumped.sample.pid = 7;
  dumped.sample.tid = ~0u;
  dumped.sample.ip = 0x401010;
  dumped.sample.period = 4000;
  dumped.sample.addr = 0x7fff;
  EXPECT_EQ(dumped.all(), "(IP, 0x4002): 7/-1: 0x401010 period: 4000 addr: 0x7fff\n");
}

TEST(RawDumpSample, ListsTheCallChainWithItsMarkers) {
  std::vector<u64> chain(11, 0x40);
  chain[0] = abi::kContextUser;
  DumpedSample dumped;
  dumped.sample.callchain = chain;
  EXPECT_EQ(dumped.rest(), "") << "not recorded";
  dumped.sample.fields = bit::Callchain;
  EXPECT_THAT(dumped.rest(),
              StartsWith("... FP chain: nr:11\n.....  0: fffffffffffffe00\n.....  1: 0000000000000040\n"));
  EXPECT_THAT(dumped.rest(), EndsWith("..... 10: 0000000000000040\n"));
  dumped.sample.callchain = {};
  EXPECT_EQ(dumped.rest(), "... FP chain: nr:0\n");
}

TEST(RawDumpSample, MarksTheFlagsOfBranches) {
  const abi::BranchEntry branches[] = {
      {.from = 0x10, .to = 0x20, .cycles = 5, .type = 4, .predicted = true},
      {.from = 1, .to = 2, .mispredicted = true, .in_transaction = true, .abort = true}};
  DumpedSample dumped;
  dumped.sample.fields = bit::BranchStack;
  dumped.sample.branches = branches;
  EXPECT_EQ(dumped.rest(),
            "... branch stack: nr:2\n"
            ".....  0: 0000000000000010 -> 0000000000000020 5 cycles  P   0 CALL\n"
            ".....  1: 0000000000000001 -> 0000000000000002 0 cycles M AT 0 \n");
}

// With --call-graph lbr, each record is a call that has not returned.
TEST(RawDumpSample, CallStackRecordsAreAChain) {
  const abi::BranchEntry calls[] = {{.from = 0x110, .to = 0x200}, {.from = 0x10, .to = 0x100}};
  const u64 chain[] = {abi::kContextKernel, 0xffff, abi::kContextUser, 0x204};
  DumpedSample dumped;
  dumped.attr.branch_sample_type = abi::branch_bit::User | abi::branch_bit::CallStack;
  dumped.sample.fields = bit::BranchStack | bit::Callchain;
  dumped.sample.branches = calls;
  dumped.sample.callchain = chain;
  const std::string text = dumped.rest();
  EXPECT_THAT(text, StartsWith("... LBR call chain: nr:6\n"
                               ".....  0: ffffffffffffff80\n.....  1: 000000000000ffff\n.....  2: fffffffffffffe00\n"
                               ".....  3: 0000000000000200\n.....  4: 0000000000000110\n.....  5: 0000000000000010\n"
                               "... FP chain: nr:4\n"));
  EXPECT_THAT(text, EndsWith("... branch callstack: nr:3\n"
                             ".....  0: 0000000000000200\n.....  1: 0000000000000110\n.....  2: 0000000000000010\n"));
  dumped.sample.branches = {};
  EXPECT_THAT(dumped.rest(), EndsWith("... branch callstack: nr:1\n"));
}

TEST(RawDumpSample, RegistersHaveTheirMaskAndNames) {
  const u64 values[] = {0x7ffc00, 0x401010};
  DumpedSample dumped;
  dumped.sample.fields = bit::RegsUser | bit::RegsIntr;
  dumped.sample.user_registers = {.abi = 2, .mask = 0x180, .values = values};
  dumped.sample.interrupt_registers = {.abi = 1, .mask = 1, .values = std::span(values).first(1)};
  EXPECT_EQ(dumped.rest(),
            "... user regs: mask 0x180 ABI 64-bit\n.... SP    0x00000000007ffc00\n.... IP    0x0000000000401010\n"
            "... intr regs: mask 0x1 ABI 32-bit\n.... AX    0x00000000007ffc00\n");
  dumped.sample.user_registers = {.abi = 0, .mask = 0x180, .values = {}};
  dumped.sample.interrupt_registers = {.abi = 9, .mask = u64{1} << 30, .values = std::span(values).first(1)};
  EXPECT_EQ(dumped.rest(), "... intr regs: mask 0x40000000 ABI unknown\n.... unknown 0x00000000007ffc00\n");
}

TEST(RawDumpSample, AStackIsItsSizeAndPlaceInTheRecord) {
  const std::vector<std::byte> record(64);
  DumpedSample dumped;
  dumped.record.bytes = record;
  dumped.sample.fields = bit::StackUser;
  dumped.sample.user_stack = Bytes(record).subspan(40, 16);
  EXPECT_EQ(dumped.rest(), "... ustack: size 16, offset 0x20\n");
}

TEST(RawDumpSample, AccessesHaveALinePerField) {
  DumpedSample dumped;
  dumped.sample.weight = 7;
  dumped.sample.weight2 = 16;
  dumped.sample.weight3 = 1;
  dumped.sample.data_src = 0x68100142;
  dumped.sample.phys_addr = 0x1234000;
  dumped.sample.data_page_size = 4096;
  dumped.sample.transaction = 0x10;
  struct Case {
    u64 fields;
    std::string_view text;
  };
  constexpr Case kCases[] = {
      {bit::Weight, "... weight: 7\n"},
      {bit::WeightStruct, "... weight: 7,0x10,0x1\n"},
      {bit::DataSrc, " . data_src: 0x68100142\n"},
      {bit::PhysAddr, " .. phys_addr: 0x1234000\n"},
      {bit::DataPageSize, " .. data page size: 4K\n"},
      {bit::CodePageSize, " .. code page size: N/A\n"},
      {bit::Transaction, "... transaction: 10\n"},
      {bit::Weight | bit::Transaction, "... weight: 7\n... transaction: 10\n"},
  };
  for (const Case& one : kCases) {
    dumped.sample.fields = one.fields;
    EXPECT_EQ(dumped.rest(), one.text);
  }
}

TEST(RawDumpSample, CountersHaveWhatTheReadFormatSays) {
  const abi::ReadValue values[] = {{.value = 100, .id = 5, .lost = 1}, {.value = 200, .id = 6}};
  DumpedSample dumped;
  dumped.sample.fields = bit::Read;
  dumped.sample.read = {.time_enabled = 9, .time_running = 8, .values = values};
  namespace format = abi::read_bit;
  dumped.attr.read_format = format::TotalTimeEnabled | format::TotalTimeRunning | format::Group | format::Lost;
  EXPECT_EQ(dumped.rest(),
            "... sample_read:\n...... time enabled 0000000000000009\n...... time running 0000000000000008\n"
            ".... group nr 2\n..... id 0000000000000005, value 0000000000000064, lost 1\n"
            "..... id 0000000000000006, value 00000000000000c8, lost 0\n");
  dumped.attr.read_format = 0;
  dumped.sample.read.values = std::span(values).first(1);
  EXPECT_EQ(dumped.rest(), "... sample_read:\n..... id 0000000000000005, value 0000000000000064\n");
}

// A recording of one event, and the dump of the records that the test adds.
class RawDumps : public ::testing::Test {
 protected:
  static data::Reader recording(const char* sample, const char* flags) {
    support::PerfDataBuilder data;
    data.attr({{"type", 1}, {"sample", sample}, {"flags", flags}});
    return support::open_built(data);
  }
  std::string dump(RawDump& dump, const ReplayRecord& record) {
    ScriptText text;
    std::string scratch;
    dump.put(text, record, program.resolver, scratch);
    return std::string(text.view());
  }
  static ReplayRecord record_of(const abi::RecordView& view, const abi::SideBand* side_band = nullptr) {
    return {.record = view, .sample = nullptr, .side_band = side_band, .event = data::kNoEvent, .moment = 1};
  }

  support::ResolvedProgram program;
  data::Reader reader = recording("ip,tid,time,cpu", "sample_id_all");
};

TEST_F(RawDumps, BytesAreInRowsOfSixteenWithTheirCharacters) {
  RawDump raw(reader, {"cycles"}, RawDump::Command::Script);
  std::vector<std::byte> bytes;
  for (const char c : std::string_view("perf \x7f~\x1f\n0123456789abc")) bytes.push_back(static_cast<std::byte>(c));
  for (const std::size_t size : {16u, 17u, 8u}) {
    SCOPED_TRACE(size);
    const Bytes shown = Bytes(bytes).first(size);
    const abi::RecordView view{.type = abi::RecordType::FinishedInit, .bytes = shown, .offset = 0x398};
    const std::string text = dump(raw, record_of(view));
    EXPECT_THAT(text, StartsWith(fmt::format(
                          "\n0x398@perf.data [{:#x}]: event: 82\n.\n. ... raw event: size {} bytes\n", size, size)));
    const std::string_view whole = ".  0000:  70 65 72 66 20 7f 7e 1f 0a 30 31 32 33 34 35 36  perf .~..0123456\n";
    const std::string half = ".  0000:  70 65 72 66 20 7f 7e 1f" + std::string(8 * 3, ' ') + "  perf .~.        \n\n";
    if (size == 8) {
      EXPECT_THAT(text, HasSubstr(half));
    } else {
      EXPECT_THAT(text, HasSubstr(whole));
    }
    if (size == 17) {
      EXPECT_THAT(text, HasSubstr("\n.  0010:  37" + std::string(15 * 3, ' ') + "  7" + std::string(15, ' ') + "\n\n"));
    }
  }
}

// Records without a time or a CPU show -1 if the kernel wrote them, 0 if the recorder did.
TEST_F(RawDumps, TheStampDependsOnWhoWroteTheRecord) {
  RawDump raw(reader, {"cycles"}, RawDump::Command::Script);
  const std::vector<std::byte> bytes(8);
  const abi::SideBand stamped{
      abi::CommRecord{7, 7, "load", false}, {.fields = bit::Time | bit::Cpu, .time = 5, .cpu = 2}, 0, 0};
  const abi::RecordView comm{.type = abi::RecordType::Comm, .bytes = bytes};
  EXPECT_THAT(dump(raw, record_of(comm, &stamped)), EndsWith("\n2 5 0 [0x8]: PERF_RECORD_COMM: load:7/7\n"));
  EXPECT_THAT(dump(raw, record_of(comm)),
              EndsWith("\n4294967295 18446744073709551615 0 [0x8]: PERF_RECORD_COMM: malformed\n"));
  const abi::RecordView round{.type = abi::RecordType::FinishedRound, .bytes = bytes};
  EXPECT_THAT(dump(raw, record_of(round)), EndsWith("\n0 0 0 [0x8]: PERF_RECORD_FINISHED_ROUND\n"));
}

TEST_F(RawDumps, WithoutTrailersRecordsAreUnorderedAndHaveNoStamp) {
  const data::Reader plain = recording("ip,tid,time,cpu", "comm");
  RawDump raw(plain, {"cycles"}, RawDump::Command::Script);
  EXPECT_EQ(raw.preamble(), "WARNING: No sample_id_all support, falling back to unordered processing\n");
  EXPECT_EQ(RawDump(reader, {"cycles"}, RawDump::Command::Script).preamble(), "");
  const std::vector<std::byte> bytes(8);
  const abi::RecordView comm{.type = abi::RecordType::Comm, .bytes = bytes};
  EXPECT_THAT(dump(raw, record_of(comm)), EndsWith("\n-1 -1 0 [0x8]: PERF_RECORD_COMM: malformed\n"));
}

TEST_F(RawDumps, ASampleHasTheThreadAndTheDsoThatItHit) {
  RawDump raw(reader, {"cycles"}, RawDump::Command::Script);
  const auto place = [&](u64 ip, u16 mode) {
    abi::Sample sample;
    sample.misc = mode;
    sample.tid = support::ResolvedProgram::kTid;
    sample.ip = ip;
    ScriptText text;
    raw.put_place(
        text, {.sample = sample, .context = program.context(), .event = 0, .period = 1, .moment = 2, .file_offset = 0},
        program.resolver);
    return std::string(text.view());
  };
  const std::string thread = " ... thread: shell:41\n ...... dso: ";
  EXPECT_EQ(place(support::ResolvedProgram::kMapped, abi::misc_bit::User), thread + program.file() + "\n");
  EXPECT_EQ(place(0x700000, abi::misc_bit::User), thread + "<not found>\n");
  EXPECT_EQ(place(0x700000, abi::misc_bit::Hypervisor), thread + "[hypervisor]\n");
}

}  // namespace
}  // namespace peregrine
