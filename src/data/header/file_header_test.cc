#include "data/header/file_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <expected>
#include <span>
#include <string>

#include "data/header/recording_magic.h"
#include "support/byte_buffer.h"
#include "support/memory_file.h"

namespace peregrine::data {
namespace {

using support::ByteBuffer;
using support::Endian;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr u32 kBuildIdBit = 2, kHostnameBit = 3, kArchBit = 6;

std::string_view magic_of(Endian endian) { return endian == Endian::Little ? "PERFILE2" : "2ELIFREP"; }

// A file header according to the format: magic, sizes, three sections, 256 feature bits.
struct WrittenHeader {
  std::string_view magic = "PERFILE2";
  u64 size = 104, attr_size = 144;
  FileSection attrs = {}, data = {}, event_types = {};
  std::array<u64, 4> features = {};

  ByteBuffer bytes(Endian endian = Endian::Little) const {
    ByteBuffer out(endian);
    out.text(magic).put64(size).put64(attr_size);
    for (const FileSection& section : {attrs, data, event_types}) out.put64(section.offset).put64(section.size);
    for (const u64 word : features) out.put64(word);
    return out;
  }
};

std::string header_error(const std::vector<std::byte>& bytes) {
  const auto header = decode_file_header(bytes);
  if (header) return "accepted";
  EXPECT_EQ(header.error().kind, ErrorKind::Malformed);
  return header.error().message;
}

TEST(FileHeader, HasAllSectionsInBothByteOrders) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    const WrittenHeader written{
        .magic = magic_of(endian), .attrs = {128, 288}, .data = {512, 4096}, .event_types = {416, 72}};
    const auto header = decode_file_header(written.bytes(endian).bytes());
    ASSERT_TRUE(header) << header.error().message;
    EXPECT_EQ(header->order, endian == Endian::Little ? ByteOrder::Little : ByteOrder::Big);
    EXPECT_EQ(header->version, 2u);
    EXPECT_FALSE(header->pipe);
    EXPECT_EQ(header->size, 104u);
    EXPECT_EQ(header->attr_size, 144u);
    EXPECT_EQ(header->attrs.offset, 128u);
    EXPECT_EQ(header->attrs.size, 288u);
    EXPECT_EQ(header->data.offset, 512u);
    EXPECT_EQ(header->data.size, 4096u);
    EXPECT_EQ(header->event_types.offset, 416u);
    EXPECT_EQ(header->event_types.size, 72u);
    EXPECT_FALSE(header->has_features());
  }
}

TEST(FileHeader, EncodesToTheBytesOfTheFormat) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    WrittenHeader written{.magic = magic_of(endian), .attrs = {104, 144}, .data = {256, 8}};
    FileHeader header{.order = endian == Endian::Little ? ByteOrder::Little : ByteOrder::Big};
    header.attr_size = 144;
    header.attrs = written.attrs;
    header.data = written.data;
    for (const u32 bit : {kHostnameBit, 64u, 255u}) header.set(bit);
    written.features = {u64{1} << kHostnameBit, 1, 0, u64{1} << 63};
    EXPECT_EQ(encode_file_header(header), written.bytes(endian).bytes());
    const auto decoded = decode_file_header(encode_file_header(header));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->features, header.features);
  }
}

TEST(FileHeader, OfAPipeIsMagicAndSizeOnly) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    const ByteBuffer bytes = ByteBuffer(endian).text(magic_of(endian)).put64(16);
    const auto header = decode_file_header(bytes.bytes());
    ASSERT_TRUE(header);
    EXPECT_TRUE(header->pipe);
    EXPECT_EQ(encode_file_header(*header), bytes.bytes());
  }
}

// PERFFILE is the same text in both byte orders, so the order is inferred from the size after it.
TEST(FileHeader, OfTheFirstVersionShowsItsByteOrderBySize) {
  for (const Endian endian : {Endian::Little, Endian::Big})
    for (const std::string_view magic : {"PERFFILE", "ELIFFREP"}) {
      const auto header = decode_file_header(WrittenHeader{.magic = magic}.bytes(endian).bytes());
      ASSERT_TRUE(header) << magic;
      EXPECT_EQ(header->version, 1u);
      EXPECT_EQ(header->order, endian == Endian::Little ? ByteOrder::Little : ByteOrder::Big);
      EXPECT_EQ(header->size, 104u);
    }
}

TEST(FileHeader, OfOldRecordersHasNoFeatures) {
  std::vector<std::byte> bytes = WrittenHeader{.size = 72, .features = {~u64{0}, 0, 0, 0}}.bytes().bytes();
  bytes.resize(72);
  const auto header = decode_file_header(bytes);
  ASSERT_TRUE(header) << header.error().message;
  EXPECT_FALSE(header->has_features());
}

TEST(FileHeader, SaysWhatIsWrong) {
  const auto cut = [](std::size_t size) {
    std::vector<std::byte> bytes = WrittenHeader().bytes().bytes();
    bytes.resize(size);
    return bytes;
  };
  EXPECT_EQ(header_error({}), "not a perf.data file: too short (0 bytes)");
  EXPECT_EQ(header_error(cut(15)), "not a perf.data file: too short (15 bytes)");
  EXPECT_EQ(header_error(WrittenHeader{.magic = "PERFILE3"}.bytes().bytes()),
            "not a perf.data file: missing PERFILE2 magic");
  EXPECT_EQ(header_error(cut(103)), "invalid perf.data header size 104 (file has 103 bytes)");
  EXPECT_EQ(header_error(WrittenHeader{.size = 71}.bytes().bytes()),
            "invalid perf.data header size 71 (file has 104 bytes)");
  EXPECT_EQ(header_error(WrittenHeader{.attr_size = 79}.bytes().bytes()),
            "perf.data header: attr entries are too small (79 bytes)");
  EXPECT_EQ(header_error(WrittenHeader{.size = ~u64{0}}.bytes().bytes()), "accepted")
      << "what follows the known fields is for later versions";
}

// A recorder with 32-bit longs writes eight words; in a 64-bit word of the other byte order, the halves are swapped.
TEST(FileHeader, FindsTheFeaturesOfForeign32BitRecorders) {
  if (kHostOrder == ByteOrder::Big) GTEST_SKIP() << "big-endian files are not foreign here";
  WrittenHeader written{.magic = "2ELIFREP",
                        .features = {u64{1} << (kHostnameBit + 32) | u64{1} << (10 + 32), 0, 0, 0}};
  auto header = decode_file_header(written.bytes(Endian::Big).bytes());
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->has(kHostnameBit));
  EXPECT_TRUE(header->has(10));
  EXPECT_FALSE(header->has(42));
}

// linux-perf trusts only the build-id bit if no interpretation of the bitmap has a host name.
TEST(FileHeader, TakesOnlyBuildIdsFromABitmapWithoutAHostName) {
  if (kHostOrder == ByteOrder::Big) GTEST_SKIP() << "big-endian files are not foreign here";
  WrittenHeader written{.magic = "2ELIFREP", .features = {u64{1} << kArchBit, 0, 0, 0}};
  auto header = decode_file_header(written.bytes(Endian::Big).bytes());
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->has(kBuildIdBit));
  EXPECT_FALSE(header->has(kArchBit));
  written.features = {};
  header = decode_file_header(written.bytes(Endian::Big).bytes());
  ASSERT_TRUE(header);
  EXPECT_FALSE(header->has_features());
}

TEST(RecordingMagic, IsKnownByItsFirstEightBytes) {
  const auto begins = [](std::string_view text) { return begins_recording(std::as_bytes(std::span(text))); };
  for (const char* magic : {"PERFILE2", "2ELIFREP", "PERFFILE", "ELIFFREP"}) EXPECT_TRUE(begins(magic)) << magic;
  EXPECT_TRUE(begins("PERFILE2 and the rest"));
  for (const char* other : {"", "PERFILE", "PERFILE1", "perfile2", " PERFILE2"}) EXPECT_FALSE(begins(other)) << other;
}

// A header, followed by the attrs, their ids and the old table of names.
class EventSections {
 public:
  // An entry: an attr of 64 bytes, and the location of its ids.
  EventSections& attr(u32 type, u64 config, const std::vector<u64>& ids) {
    attrs_.put32(type).put32(64).put64(config).zeros(48);
    attrs_.put64(kIdsAt + ids_.size()).put64(8 * ids.size());
    for (const u64 id : ids) ids_.put64(id);
    return *this;
  }
  EventSections& name(u64 config, std::string_view text) {
    names_.put64(config).text(text).zeros(64 - text.size());
    return *this;
  }
  WrittenHeader header() const {
    return {.attr_size = 80, .attrs = {kAttrsAt, attrs_.size()}, .event_types = {kNamesAt, names_.size()}};
  }
  std::vector<std::byte> bytes() const {
    ByteBuffer out = header().bytes();
    out.append(attrs_.bytes()).zeros(kIdsAt - out.size()).append(ids_.bytes());
    return out.zeros(kNamesAt - out.size()).append(names_.bytes()).bytes();
  }

  static constexpr u64 kAttrsAt = 104, kIdsAt = 512, kNamesAt = 768;

 private:
  ByteBuffer attrs_, ids_, names_;
};

Result<Evlist> evlist_of(std::vector<std::byte> bytes) {
  const auto header = decode_file_header(bytes);
  if (!header) return std::unexpected(header.error());
  return read_evlist(support::memory_file(bytes).get(), *header);
}

TEST(EvlistSection, HasAttrsWithTheirIds) {
  const auto evlist = evlist_of(EventSections().attr(0, 7, {11, 12}).attr(1, 8, {}).attr(2, 9, {13}).bytes());
  ASSERT_TRUE(evlist) << evlist.error().message;
  ASSERT_EQ(evlist->size(), 3u);
  EXPECT_EQ((*evlist)[0].attr.config, 7u);
  EXPECT_THAT((*evlist)[0].ids, ElementsAre(11, 12));
  EXPECT_THAT((*evlist)[1].ids, IsEmpty());
  EXPECT_EQ(evlist->find_id(13), 2u);
}

// The table has only a config, which means little unless the event is a tracepoint.
TEST(EvlistSection, NamesTracepointsByTheOldTable) {
  const auto evlist =
      evlist_of(EventSections().attr(0, 5, {1}).attr(2, 5, {2}).attr(2, 6, {3}).name(5, "sched:sched_switch").bytes());
  ASSERT_TRUE(evlist);
  EXPECT_EQ((*evlist)[0].name, "") << "cycles, not a tracepoint";
  EXPECT_EQ((*evlist)[1].name, "sched:sched_switch");
  EXPECT_EQ((*evlist)[2].name, "") << "another tracepoint";
}

TEST(EvlistSection, IsEmptyInAHeaderWithoutAttrs) {
  const auto evlist = evlist_of(WrittenHeader().bytes().bytes());
  ASSERT_TRUE(evlist);
  EXPECT_TRUE(evlist->empty());
}

TEST(EvlistSection, RejectsSectionsBeyondTheFile) {
  const auto message = [](const WrittenHeader& header) {
    const auto evlist = evlist_of(header.bytes().bytes());
    return evlist ? "accepted" : evlist.error().message;
  };
  EXPECT_EQ(message({.attrs = {4096, 144}}),
            "attr section at offset 0x1000, 144 bytes, extends past the end of the file");
  EXPECT_EQ(message({.attrs = {104, u64{1} << 40}}), "attr section is too large (1099511627776 bytes)");

  std::vector<std::byte> bytes = EventSections().attr(0, 1, {11, 12}).bytes();
  bytes.resize(EventSections::kIdsAt + 8);
  const auto evlist = evlist_of(bytes);
  ASSERT_FALSE(evlist);
  EXPECT_EQ(evlist.error().message, "ids section at offset 0x200, 16 bytes, extends past the end of the file");
}

// Old names are optional: a recording without a table is still read.
TEST(EvlistSection, DoesWithoutADamagedTableOfNames) {
  std::vector<std::byte> bytes = EventSections().attr(2, 5, {}).name(5, "sched:sched_switch").bytes();
  bytes.resize(EventSections::kNamesAt + 8);
  const auto evlist = evlist_of(bytes);
  ASSERT_TRUE(evlist);
  EXPECT_EQ((*evlist)[0].name, "");
}

TEST(HoldsEvents, IfAttrsIdsAndNamesAreAllThere) {
  const std::vector<std::byte> whole = EventSections().attr(0, 1, {11, 12}).name(5, "sched:sched_switch").bytes();
  const auto holds_first = [&](std::size_t size) { return holds_events(Bytes(whole).first(size)); };
  EXPECT_TRUE(holds_first(whole.size()));
  EXPECT_FALSE(holds_first(whole.size() - 1)) << "the end of the names";
  EXPECT_FALSE(holds_first(103)) << "the end of the header";

  const std::vector<std::byte> nameless = EventSections().attr(0, 1, {11, 12}).attr(0, 2, {}).bytes();
  EXPECT_TRUE(holds_events(Bytes(nameless).first(EventSections::kIdsAt + 16)));
  EXPECT_FALSE(holds_events(Bytes(nameless).first(EventSections::kIdsAt + 15))) << "the end of the ids";
  EXPECT_FALSE(holds_events(Bytes(nameless).first(EventSections::kAttrsAt + 100))) << "the end of the attrs";
  EXPECT_TRUE(holds_events(WrittenHeader().bytes().bytes())) << "there are none";
  EXPECT_FALSE(holds_events({}));
}

TEST(FeatureTableOfAFile, HasASectionForEachBitInOrder) {
  FileHeader header;
  for (const u32 bit : {200u, 3u, 11u}) header.set(bit);
  const ByteBuffer table = ByteBuffer().put64(10).put64(5).put64(20).put64(6).put64(30).put64(7);
  const auto sections = read_feature_table(support::memory_file(table.bytes()).get(), header, 0, 1000);
  ASSERT_TRUE(sections);
  std::vector<std::array<u64, 3>> read;
  for (const FeatureSection& section : *sections) read.push_back({section.id, section.offset, section.size});
  EXPECT_THAT(read,
              ElementsAre(std::array<u64, 3>{3, 10, 5}, std::array<u64, 3>{11, 20, 6}, std::array<u64, 3>{200, 30, 7}));
}

TEST(FeatureTableOfAFile, DropsSectionsBeyondTheFile) {
  FileHeader header;
  for (u32 bit = 3; bit < 7; ++bit) header.set(bit);
  const ByteBuffer table =
      ByteBuffer().put64(90).put64(10).put64(90).put64(11).put64(101).put64(0).put64(8).put64(~u64{0});
  const auto sections = read_feature_table(support::memory_file(table.bytes()).get(), header, 0, 100);
  ASSERT_TRUE(sections);
  ASSERT_EQ(sections->size(), 1u);
  EXPECT_EQ(sections->front().id, 3u);
}

TEST(FeatureTableOfAFile, IsWholeOrNothing) {
  FileHeader header;
  header.set(3);
  header.set(4);
  const ByteBuffer table = ByteBuffer().put64(10).put64(5).put64(20);
  const auto sections = read_feature_table(support::memory_file(table.bytes()).get(), header, 0, 1000);
  ASSERT_TRUE(sections);
  EXPECT_THAT(*sections, IsEmpty());
}

}  // namespace
}  // namespace peregrine::data
