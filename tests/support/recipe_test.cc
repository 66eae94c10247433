#include "support/recipe.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "support/byte_buffer.h"
#include "support/perf_data_builder.h"
#include "support/records.h"

namespace peregrine::support {
namespace {

std::string hex(const std::vector<std::byte>& bytes, std::size_t offset, std::size_t size) {
  std::string text;
  for (std::size_t i = offset; i < offset + size && i < bytes.size(); ++i) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += kDigits[static_cast<unsigned>(bytes[i]) >> 4];
    text += kDigits[static_cast<unsigned>(bytes[i]) & 15];
  }
  return text;
}

TEST(PerfDataBuilder, LaysOutHeaderIdsAttrsDataAndFeatures) {
  PerfDataBuilder data;
  data.attr({{"type", 1}, {"freq", 4000}, {"sample", "ip,tid"}, {"ids", "5,6"}});
  data.record("sample", {{"ip", 0x1234}, {"pid", 7}, {"tid", 8}});
  data.feature("hostname", {{"text", "here"}});
  const std::vector<std::byte> bytes = data.bytes();
  EXPECT_EQ(hex(bytes, 0, 16), "50455246494c45326800000000000000");  // PERFILE2, 104
  const std::vector<Section> sections = data.sections();
  EXPECT_EQ(sections[1].offset, 104u);
  EXPECT_EQ(hex(bytes, sections[1].offset, 16), "05000000000000000600000000000000");
  EXPECT_EQ(hex(bytes, sections[3].offset, sections[3].size),
            "09000000020018003412000000000000"
            "0700000008000000");
  EXPECT_EQ(sections.back().offset + sections.back().size, bytes.size());
}

TEST(PerfDataBuilder, MirrorsBitFieldsInBigEndianFiles) {
  ByteBuffer little(Endian::Little), big(Endian::Big);
  put_bit_fields(little, attr_flags_of("inherit,sample_id_all"));
  put_bit_fields(big, attr_flags_of("inherit,sample_id_all"));
  EXPECT_EQ(hex(little.bytes(), 0, 8), "0200040000000000");
  EXPECT_EQ(hex(big.bytes(), 0, 8), "4000200000000000");
}

TEST(PerfDataBuilder, RefusesFieldsThatARecordDoesNotHave) {
  PerfDataBuilder data;
  data.attr({{"sample", "ip"}});
  EXPECT_THROW(data.record("comm", {{"name", "x"}}), std::invalid_argument);
  EXPECT_THROW(data.record("sample", {{"chain", "1,2"}}), std::invalid_argument);
  EXPECT_THROW(data.record("nothing"), std::invalid_argument);
}

TEST(Recipe, BuildsTheSameAsCode) {
  PerfDataBuilder data(Layout::Pipe, Endian::Big);
  data.attr({{"sample", "ip,time"}});
  data.record("sample", {{"ip", 1}, {"time", 10}});
  data.record("sample", {{"ip", 1}, {"time", 15}});
  EXPECT_EQ(compile_recipe("pipe\nbig\n# a comment\nattr sample=ip,time\nsample ip=0x1 time=10 times=2 time_step=5\n"),
            data.bytes());
}

TEST(Recipe, PutsATraceBehindItsRecord) {
  const std::vector<std::byte> plain = compile_recipe("attr sample=ip\n");
  const std::vector<std::byte> traced = compile_recipe("attr sample=ip\nauxtrace on_cpu=1 payload=\"49 01 52\"\n");
  ASSERT_EQ(traced.size(), plain.size() + 48 + 8);
  EXPECT_EQ(hex(traced, plain.size(), 16), "47000000000030000800000000000000");
  EXPECT_EQ(hex(traced, plain.size() + 48, 8), "4901520000000000");
}

TEST(Recipe, DamagesAtTheEnd) {
  const std::vector<std::byte> whole = compile_recipe("attr sample=ip\nsample ip=1\n");
  EXPECT_EQ(compile_recipe("cut 50\nattr sample=ip\nsample ip=1\n"), cut(whole, 50));
  EXPECT_EQ(compile_recipe("attr sample=ip\nsample ip=1\nflip 20 bit=3\n"), flip(whole, 20, 3));
}

TEST(Recipe, NamesTheLineThatIsWrong) {
  try {
    compile_recipe("attr sample=ip\nsample up=1\n");
    FAIL() << "no error";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "line 2: sample has no field 'up' here");
  }
}

}  // namespace
}  // namespace peregrine::support
