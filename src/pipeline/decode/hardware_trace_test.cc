// Recordings with hardware traces, decoded as a whole: the output of `inject --itrace` is read again.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/branch_flag.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/sample.h"
#include "abi/session_record.h"
#include "auxtrace/arm_spe/trace_builder.h"
#include "auxtrace/itrace.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "data/reader/reader.h"
#include "data/writer/copy_writer.h"
#include "pipeline/decode/decoding.h"
#include "pipeline/decode/trace/recorded_traces.h"
#include "pipeline/decode/trace_decoder.h"
#include "support/byte_buffer.h"
#include "support/elf_image.h"
#include "support/memory_file.h"
#include "support/perf_data_builder.h"
#include "support/resolved_program.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

namespace flag = abi::branch_flag;
using support::ByteBuffer;
using support::ResolvedProgram;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr u32 kBtsPmu = 8, kSpePmu = 9, kTracedPid = 7, kTracedTid = 8;
constexpr u64 kOuter = ResolvedProgram::kMapped, kInnerStart = ResolvedProgram::kInner;

// A call of `inner`, a nop, a jump to the start; `inner` returns at once.
std::string looping_code() {
  std::string code("\xe8\xfb\x00\x00\x00\x90\xeb\xf8", 8);
  code.resize(kInnerStart - kOuter);
  return code + '\xc3';
}

struct DecodedTrace {
  std::vector<abi::Sample> samples;  // without borrowed data
  std::vector<std::string> events;   // of the samples
  std::vector<std::string> errors;
  DecodeSummary summary;
  std::string failure;

  // "from→to" of each sample, relative to the start of the program.
  std::vector<std::string> branches() const {
    std::vector<std::string> texts;
    for (const abi::Sample& sample : samples)
      texts.push_back(fmt::format("{:x}→{:x}", sample.ip - std::min(sample.ip, kOuter),
                                  sample.addr - std::min(sample.addr, kOuter)));
    return texts;
  }
};

class HardwareTraceTest : public ::testing::Test {
 protected:
  // The event of a PMU that traces thread 8 of process 7, which runs the program.
  void begin(const char* name, u32 pmu, u32 type, const std::vector<u64>& facts) {
    data_.attr({{"name", name},
                {"type", pmu},
                {"sample", "identifier,ip,tid,time"},
                {"flags", "sample_id_all,mmap,comm"},
                {"ids", 1}});
    data_.feature("event_desc");
    data_.record("auxtrace_info", {{"type", type}, {"priv", facts}});
    data_.record("comm", {{"pid", kTracedPid}, {"tid", kTracedTid}, {"comm", "load"}, {"time", 1}, {"id", 1}});
    data_.record("mmap", {{"pid", kTracedPid},
                          {"tid", kTracedTid},
                          {"addr", kOuter},
                          {"len", 0x1000},
                          {"pgoff", ElfImage::kTextOffset},
                          {"file", program_.file()},
                          {"time", 2},
                          {"id", 1},
                          {"misc", 2}});
  }
  void trace(const std::vector<std::byte>& bytes, u64 offset = 0, u64 reference = 100) {
    data_.record("auxtrace", {{"size", bytes.size()},
                              {"offset", offset},
                              {"reference", reference},
                              {"on_tid", kTracedTid},
                              {"on_cpu", ~u32{0}}});
    data_.raw_bytes(bytes);
  }
  DecodedTrace decoded(std::string_view words) {
    DecodedTrace result;
    const std::vector<std::byte> bytes = data_.bytes();
    folder_.write("perf.data", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    auto reader = data::Reader::open(folder_.path("perf.data"));
    EXPECT_TRUE(reader);
    auto traces = find_traces(*reader);
    EXPECT_TRUE(traces);
    Fd out = support::memory_file(), again(::dup(out.get()));
    auto summary = decode_traces(*reader, *traces, data::CopyWriter(std::move(out), "out", false),
                                 {.itrace = *parse_itrace(words), .facts = true});
    if (!summary) {
      result.failure = summary.error().message;
      return result;
    }
    result.summary = std::move(*summary);
    read(std::move(again), result);
    return result;
  }

  TemporaryFolder folder_;
  ResolvedProgram program_{looping_code()};
  support::PerfDataBuilder data_;

 private:
  static void read(Fd fd, DecodedTrace& result) {
    auto reader = data::Reader::open_fd(std::move(fd), "out");
    ASSERT_TRUE(reader) << reader.error().message;
    abi::RecordView record;
    abi::SampleScratch scratch;
    while (reader->next(record).value_or(false)) {
      if (record.type == abi::RecordType::AuxtraceError) {
        const auto error = abi::decode_session_record(record);
        ASSERT_TRUE(error && *error);
        result.errors.emplace_back(std::get<abi::AuxtraceErrorRecord>(**error).message);
      }
      if (record.type != abi::RecordType::Sample) continue;
      const u32 event = reader->evlist().event_of(record);
      ASSERT_NE(event, data::kNoEvent);
      ASSERT_TRUE(reader->evlist().decoder(event).decode(record, result.samples.emplace_back(), scratch));
      result.events.push_back(reader->evlist()[event].name);
    }
    EXPECT_TRUE(reader->account().clean());
  }
};

class IntelBtsTrace : public HardwareTraceTest {
 protected:
  static ByteBuffer branches(const std::vector<std::pair<u64, u64>>& jumps) {
    ByteBuffer out;
    for (const auto& [from, to] : jumps) out.put64(from).put64(to).put64(0);
    return out;
  }
  // One tick is 1 ns. `snapshots`: the trace is copied from time to time, and includes what was copied before.
  void begin_bts(bool snapshots = false) {
    begin("intel_bts//", kBtsPmu, 2, {kBtsPmu, 0, 1, 0, 1, snapshots ? u64{1} : u64{0}});
  }
  static constexpr u64 kKernelEntry = 0xffffffff81000000;
};

TEST_F(IntelBtsTrace, BecomesASampleOfEachBranch) {
  begin_bts();
  trace(branches({{kOuter, kInnerStart}, {kInnerStart, kOuter + 5}, {kOuter + 6, kOuter}}).bytes());
  const DecodedTrace decoded = this->decoded("b");
  EXPECT_EQ(decoded.failure, "");
  EXPECT_THAT(decoded.branches(), ElementsAre("0→100", "100→5", "6→0"));
  EXPECT_EQ(decoded.summary.samples, 3u);
  for (const abi::Sample& sample : decoded.samples) {
    EXPECT_EQ(sample.pid, kTracedPid);
    EXPECT_EQ(sample.tid, kTracedTid);
    EXPECT_EQ(sample.period, 1u);
  }
}

// BTS has only addresses: the instruction at the first one shows its kind and length.
TEST_F(IntelBtsTrace, KnowsBranchesByTheirInstructions) {
  begin_bts();
  trace(branches({{0, kOuter},
                  {kOuter, kInnerStart},
                  {kInnerStart, kOuter + 5},
                  {kOuter + 5, kKernelEntry},
                  {kOuter + 6, kOuter},
                  {kOuter, 0}})
            .bytes());
  std::vector<std::pair<u32, u32>> kinds;
  for (const abi::Sample& sample : decoded("b").samples) kinds.emplace_back(sample.traced.flags, sample.traced.length);
  EXPECT_THAT(kinds,
              ElementsAre(std::pair(flag::IsBranch | flag::TraceBegin, 0u), std::pair(flag::IsBranch | flag::Call, 5u),
                          std::pair(flag::IsBranch | flag::Return, 1u),
                          std::pair(flag::IsBranch | flag::Call | flag::Async | flag::Interrupt, 1u),
                          std::pair(flag::IsBranch, 2u), std::pair(flag::IsBranch | flag::TraceEnd, 0u)));
}

TEST_F(IntelBtsTrace, HasCallsOrReturnsOnRequest) {
  begin_bts();
  trace(branches({{kOuter, kInnerStart}, {kInnerStart, kOuter + 5}, {kOuter + 6, kOuter}}).bytes());
  EXPECT_THAT(decoded("c").branches(), ElementsAre("0→100"));
  EXPECT_THAT(decoded("r").branches(), ElementsAre("100→5"));
  EXPECT_THAT(decoded("cr").branches(), ElementsAre("0→100", "100→5"));
  EXPECT_THAT(decoded("bs2").branches(), ElementsAre("6→0")) << "without the first two";
  EXPECT_THAT(decoded("e").branches(), IsEmpty());
}

TEST_F(IntelBtsTrace, SaysWhereCodeIsMissing) {
  begin_bts();
  trace(branches({{0x999000, kOuter}, {kOuter, kInnerStart}}).bytes());
  const DecodedTrace decoded = this->decoded("be");
  EXPECT_THAT(decoded.errors, ElementsAre("Failed to get instruction"));
  EXPECT_EQ(decoded.summary.errors, 1u);
  EXPECT_THAT(decoded.samples, SizeIs(2)) << "the branch itself is known";
  EXPECT_THAT(this->decoded("b").errors, IsEmpty());
}

TEST_F(IntelBtsTrace, PassesOverUnusedSpaceAndHalfRecords) {
  begin_bts();
  trace(branches({{kOuter, kInnerStart}, {0, 0}, {kInnerStart, kOuter + 5}}).put64(kOuter).bytes());
  EXPECT_THAT(decoded("b").branches(), ElementsAre("0→100", "100→5"));
}

// Each snapshot copies the whole buffer: the second one begins with the contents of the first.
TEST_F(IntelBtsTrace, CountsWhatTwoSnapshotsShareOnce) {
  const auto shared = std::vector<std::pair<u64, u64>>{{kOuter, kInnerStart}, {kInnerStart, kOuter + 5}};
  for (const bool snapshots : {true, false}) {
    data_ = support::PerfDataBuilder();
    begin_bts(snapshots);
    trace(branches(shared).bytes(), 0, 100);
    auto second = shared;
    second.emplace_back(kOuter + 6, kOuter);
    trace(branches(second).bytes(), 48, 200);
    EXPECT_THAT(decoded("b").samples, SizeIs(snapshots ? 3 : 5));
  }
}

TEST_F(IntelBtsTrace, NeedsItsParametersAndItsEvent) {
  begin("intel_bts//", kBtsPmu, 2, {kBtsPmu, 0, 1, 0, 1});
  trace(branches({{kOuter, kInnerStart}}).bytes());
  EXPECT_EQ(decoded("b").failure, folder_.path("perf.data") + ": AUXTRACE_INFO is too short for Intel BTS");
  data_ = support::PerfDataBuilder();
  begin("cycles", 0, 2, {kBtsPmu, 0, 1, 0, 1, 0});
  trace(branches({{kOuter, kInnerStart}}).bytes());
  EXPECT_EQ(decoded("b").failure, folder_.path("perf.data") + ": trace of Intel BTS has no event");
}

class ArmSpeTrace : public HardwareTraceTest {
 protected:
  // With `clock`, one tick is 1 ns.
  void begin_spe(bool clock = true) {
    begin("arm_spe_0//", kSpePmu, 4, {kSpePmu, 0});
    if (clock) data_.record("time_conv", {{"shift", 0}, {"mult", 1}, {"zero", 0}});
  }
  // Padding packets are zeros.
  void spe(spe_test::Trace packets, u64 offset = 0) {
    packets.storage().resize((packets.storage().size() + 7) / 8 * 8);
    trace(packets.storage(), offset);
  }
  static spe_test::Trace load(u64 ticks, u64 events = 0x16) {
    return spe_test::Trace().pc(kOuter).load().events(events).data(0x5000).latency(33).timestamp(ticks);
  }
  static spe_test::Trace& add(spe_test::Trace& trace, const spe_test::Trace& more) {
    trace.storage().insert(trace.storage().end(), more.bytes().begin(), more.bytes().end());
    return trace;
  }
};

TEST_F(ArmSpeTrace, BecomesSamplesOfTheEventsOfEachRecord) {
  begin_spe();
  spe_test::Trace trace = load(1000);
  spe(add(trace, load(2000, 0x1e)));  // the second access missed the first-level cache
  const DecodedTrace decoded = this->decoded("Mf");
  EXPECT_EQ(decoded.failure, "");
  EXPECT_THAT(decoded.events, ElementsAre("l1d-access", "memory", "l1d-miss", "l1d-access", "memory"));
  const abi::Sample& first = decoded.samples.at(1);
  EXPECT_EQ(first.ip, kOuter);
  EXPECT_EQ(first.addr, 0x5000u);
  EXPECT_EQ(first.weight, 33u);
  EXPECT_EQ(first.time, 1000u);
  EXPECT_EQ(first.pid, kTracedPid);
  EXPECT_EQ(first.tid, kTracedTid);
  EXPECT_EQ(decoded.samples.at(4).time, 2000u);
  EXPECT_THAT(decoded.summary.warnings, IsEmpty());
}

TEST_F(ArmSpeTrace, NamesTheThreadOfAContextPacket) {
  begin_spe();
  data_.record("comm", {{"pid", 20}, {"tid", 21}, {"comm", "other"}, {"time", 3}, {"id", 1}});
  spe_test::Trace trace = spe_test::Trace().pc(kOuter).load().data(0x5000).context(21).timestamp(1000);
  spe(add(trace, spe_test::Trace().pc(kOuter).load().data(0x5000).context(99).timestamp(1001)));
  const DecodedTrace decoded = this->decoded("M");
  ASSERT_THAT(decoded.samples, SizeIs(2));
  EXPECT_EQ(decoded.samples[0].tid, 21u);
  EXPECT_EQ(decoded.samples[0].pid, 20u);
  EXPECT_EQ(decoded.samples[1].tid, 99u);
  EXPECT_EQ(decoded.samples[1].pid, ~u32{0}) << "nothing is known of that thread";
}

TEST_F(ArmSpeTrace, KeepsTheTimeOfTheRecordBeforeOneWithoutATime) {
  begin_spe();
  spe_test::Trace trace = load(1000);
  spe(add(trace, spe_test::Trace().pc(kOuter).load().data(0x6000).end()));
  const DecodedTrace decoded = this->decoded("M");
  ASSERT_THAT(decoded.samples, SizeIs(2));
  EXPECT_EQ(decoded.samples[1].addr, 0x6000u);
  EXPECT_EQ(decoded.samples[1].time, 1000u);
}

// A record may begin in one piece and end in the next, if that continues where the first one ended.
TEST_F(ArmSpeTrace, ContinuesARecordInTheNextPiece) {
  const std::vector<std::byte> whole = load(1000).storage();
  const std::size_t half = 14;  // between two packets
  for (const bool follows : {true, false}) {
    data_ = support::PerfDataBuilder();
    begin_spe();
    trace({whole.begin(), whole.begin() + half}, 0);
    std::vector<std::byte> rest(whole.begin() + half, whole.end());
    rest.resize((rest.size() + 7) / 8 * 8);
    trace(rest, follows ? half : 4096);
    const DecodedTrace decoded = this->decoded("M");
    EXPECT_THAT(decoded.samples, SizeIs(follows ? 1 : 0));
    EXPECT_EQ(decoded.summary.warnings.empty(), follows);
  }
}

TEST_F(ArmSpeTrace, ReportsWhatIsNoPacket) {
  begin_spe();
  spe_test::Trace trace = spe_test::Trace().pc(kOuter).load().raw({0xff, 0xff}).data(0x5000).timestamp(1000);
  spe(add(trace, load(2000)));
  const DecodedTrace decoded = this->decoded("M");
  ASSERT_THAT(decoded.summary.warnings, SizeIs(1));
  EXPECT_EQ(decoded.summary.warnings[0].text,
            "2 bytes of the Arm SPE trace are not part of a packet; 2 records are damaged or truncated, and skipped");
  EXPECT_EQ(decoded.summary.warnings[0].hint, "`script -D` shows where");
  EXPECT_THAT(decoded.samples, SizeIs(1));
}

TEST_F(ArmSpeTrace, HasNoTimesWithoutAClock) {
  begin_spe(false);
  spe(load(1000));
  const DecodedTrace decoded = this->decoded("M");
  ASSERT_THAT(decoded.samples, SizeIs(1));
  EXPECT_EQ(decoded.samples[0].time, 0u);
  ASSERT_THAT(decoded.summary.warnings, SizeIs(1));
  EXPECT_EQ(decoded.summary.warnings[0].text, "no TIME_CONV record: times of the Arm SPE trace are unknown");
}

TEST(DecodableTraces, AreThoseOfFourKinds) {
  for (const TraceType type : {TraceType::IntelPt, TraceType::IntelBts, TraceType::ArmSpe}) {
    RecordedTraces traces;
    traces.type = type;
    EXPECT_TRUE(check_decodable(traces));
  }
  for (const TraceType type : {TraceType::None, TraceType::S390, TraceType::HisiPtt, static_cast<TraceType>(99)}) {
    RecordedTraces traces;
    traces.type = type;
    const auto checked = check_decodable(traces);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().kind, ErrorKind::Unsupported);
  }
  EXPECT_EQ(not_decoded(TraceType::S390).message, "decoding traces of s390 sampling is not supported");
}

}  // namespace
}  // namespace peregrine
