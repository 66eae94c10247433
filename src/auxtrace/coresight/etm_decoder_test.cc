// Hand-written packets of ETMv4 and ETE, and OpenCSD's output for them. Without the library, only the packets can be
// checked.
#include "auxtrace/coresight/etm_decoder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/perf_data_builder.h"

namespace peregrine::auxtrace {
namespace {

using support::from_hex;
using ::testing::ElementsAre;

constexpr u64 kCode = 0x210000;
constexpr char kProgram[] =
    "600080d2"   // 210000  mov x0, #3
    "06000094"   //     04  bl 1c
    "000400f1"   //     08  subs x0, x0, #1
    "c1ffff54"   //     0c  b.ne 04
    "e1000010"   //     10  adr x1, 2c
    "20003fd6"   //     14  blr x1
    "09000014"   //     18  b 3c
    "1f2003d5"   //     1c  nop
    "400000b4"   //     20  cbz x0, 28
    "1f2003d5"   //     24  nop
    "c0035fd6";  //     28  ret
// Synchronisation, trace info, trace on, context of user code in 64 bits, address 210000.
const std::string kStart =
    "000000000000000000000080"
    "010100"
    "04"
    "8130"
    "9d00002100000000"
    "00";
const std::string kTaken = "f7", kNotTaken = "f6", kTo8 = "9d0200210000000000";

constexpr EtmRegisters kRegisters = {
    .idr0 = 0x28000ea1, .idr1 = 0x4100f403, .idr2 = 0x488, .config = 0, .trace_id = 0x10};

class Text final : public EtmSink {
 public:
  void range(u8, const EtmRange& range) override {
    constexpr const char* kNames[] = {"none", "direct", "conditional", "indirect", "call", "return", "eret"};
    lines.push_back(fmt::format("{:x} to {:x}: {}, {}{}", range.start, range.end, range.instructions,
                                kNames[static_cast<std::size_t>(range.branch)], range.taken ? " taken" : ""));
  }
  void exception(u8, u32 number) override { lines.push_back(fmt::format("exception {}", number)); }
  void gap(u8) override {
    if (lines.empty() || lines.back() != "gap") lines.emplace_back("gap");
  }
  void context(u8, u32 context) override { lines.push_back(fmt::format("context {}", context)); }
  std::size_t read_code(u8, u64 address, std::span<std::byte> out) override {
    const std::vector<std::byte> code = from_hex(kProgram);
    if (address < kCode || address - kCode >= code.size()) return 0;
    const Bytes there =
        Bytes(code).subspan(address - kCode).first(std::min(out.size(), code.size() - (address - kCode)));
    std::ranges::copy(there, out.begin());
    return there.size();
  }
  std::vector<std::string> lines;
};

class EtmDecoderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto there = EtmDecoder::check(); !there) GTEST_SKIP() << there.error().message;
  }
  std::vector<std::string> decode(const std::string& hex, bool formatted, EtmRegisters registers = kRegisters) {
    Text text;
    auto decoder = EtmDecoder::open(std::span(&registers, 1), formatted, text);
    EXPECT_TRUE(decoder) << decoder.error().message;
    (*decoder)->begin();
    whole = (*decoder)->decode(from_hex(hex));
    (*decoder)->end();
    return text.lines;
  }
  bool whole = false;
};

const auto kRanges = ElementsAre("gap", "210000 to 210008: 2, call taken", "21001c to 210024: 2, conditional",
                                 "210024 to 21002c: 2, return taken", "210008 to 210010: 2, conditional taken");

TEST_F(EtmDecoderTest, TellsRangesAndTheBranchesThatEndThem) {
  EXPECT_THAT(decode(kStart + kTaken + kNotTaken + kTaken + kTo8 + kTaken, false), kRanges);
  EXPECT_TRUE(whole);
}

// The same in frames: the id, then bytes, with their lowest bits at the end of each frame.
TEST_F(EtmDecoderTest, TakesFramesApart) {
  EXPECT_THAT(decode("21000000000000000000000080010080"
                     "000480309c0000210000000000f7f606"
                     "f69d0200200000000000f60001000125",
                     true),
              kRanges);
  EXPECT_TRUE(whole);
}

TEST_F(EtmDecoderTest, ReportsCodeThatIsMissing) {
  const auto lines = decode(kStart +
                                "9d00003100000000"
                                "00" +
                                kTaken,
                            false);
  EXPECT_THAT(lines, ElementsAre("gap"));
}

TEST_F(EtmDecoderTest, NamesTheThreadOfAContext) {
  EtmRegisters registers = kRegisters;
  registers.config = 1u << 6;  // context ids are traced
  const auto lines = decode(
      "000000000000000000000080"
      "010100"
      "04"
      "81b0"
      "2a000000"
      "9d00002100000000"
      "00" +
          kTaken,
      false, registers);
  EXPECT_THAT(lines, ::testing::Contains("context 42"));
}

// TRCIDR1 refers to TRCDEVARCH for the version.
constexpr EtmRegisters kEteRegisters = {.ete = true,
                                        .idr0 = 0x28000ea1,
                                        .idr1 = 0x4100fff3,
                                        .idr2 = 0x488,
                                        .config = 0,
                                        .trace_id = 0x10,
                                        .devarch = 0x47705a13};

TEST_F(EtmDecoderTest, ReadsTheEmbeddedTraceExtension) {
  EXPECT_THAT(decode(kStart + kTaken + kNotTaken + kTaken + kTo8 + kTaken, false, kEteRegisters), kRanges);
  EXPECT_TRUE(whole);
}

// Only ETE states the branch that was taken, instead of an atom.
TEST_F(EtmDecoderTest, ReadsSourceAddressesOfTheEmbeddedTraceExtension) {
  const std::string at_the_call = "b80100210000000000";
  EXPECT_THAT(decode(kStart + at_the_call + kNotTaken + kTaken + kTo8 + kTaken, false, kEteRegisters), kRanges);
  EXPECT_TRUE(whole);
}

TEST_F(EtmDecoderTest, SurvivesAnyBytes) {
  for (const char* hex : {"", "ff", "0000", "80808080808080808080808080808080", "0b0b0b0b"}) decode(hex, false);
  decode("ffffffffffffffffffffffffffffffff", true);
}

}  // namespace
}  // namespace peregrine::auxtrace
