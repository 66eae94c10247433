#include "pipeline/rewrite/rewrite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/side_band.h"
#include "base/build_id.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/feature/feature_table.h"
#include "data/header/evlist.h"
#include "support/byte_buffer.h"
#include "support/memory_file.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

using data::FeatureId;
using support::Endian;
using support::PerfDataBuilder;

std::vector<std::byte> contents(int fd) {
  std::vector<std::byte> bytes(std::size_t{1} << 22);
  bytes.resize(*pread_full(fd, bytes.data(), bytes.size(), 0));
  return bytes;
}

data::Reader open_bytes(Bytes bytes) {
  auto reader = data::Reader::open_fd(support::memory_file(bytes), "recording");
  EXPECT_TRUE(reader) << (reader ? "" : reader.error().message);
  return std::move(*reader);
}

std::vector<std::byte> rewritten(Bytes bytes, bool to_pipe, const RewriteOptions& options = {}) {
  data::Reader reader = open_bytes(bytes);
  const Fd out = support::memory_file();
  data::CopyWriter writer(Fd(::dup(out.get())), "copy", to_pipe);
  const auto summary = rewrite(Root("/nonexistent"), reader, std::move(writer), options);
  EXPECT_TRUE(summary) << (summary ? "" : summary.error().message);
  return contents(out.get());
}

// A recording with two events, side-band, an AUX trace, and known and unknown features.
PerfDataBuilder recording(support::Layout layout, Endian endian) {
  constexpr char kFlags[] = "mmap,comm,task,sample_id_all,mmap2";
  PerfDataBuilder data(layout, endian);
  constexpr char kSample[] = "identifier,ip,tid,time,period";
  data.attr({{"name", "cycles"}, {"size", 136}, {"sample", kSample}, {"flags", kFlags}, {"ids", "1,2"}});
  data.attr({{"name", "faults"}, {"size", 136}, {"sample", kSample}, {"flags", kFlags}, {"ids", "3"}, {"config3", 9}});
  data.record(
      "mmap2",
      {{"pid", 7}, {"tid", 7}, {"addr", 0x400000}, {"len", 0x1000}, {"file", "/opt/load"}, {"time", 1}, {"id", 1}});
  data.record("sample", {{"ip", 0x400010}, {"pid", 7}, {"tid", 7}, {"time", 2}, {"period", 5}, {"id", 2}, {"misc", 2}});
  data.record("sample", {{"ip", 0x400020}, {"pid", 7}, {"tid", 7}, {"time", 3}, {"period", 6}, {"id", 3}, {"misc", 2}},
              1);
  // AUXTRACE: size, offset, reference, idx, tid, cpu; then that many bytes.
  support::ByteBuffer trace(endian);
  trace.put64(24).put64(0).put64(0).put32(0).put32(7).put32(0).put32(0);
  data.raw_record(71, 0, trace.bytes());
  data.raw_bytes(std::vector<std::byte>(24, std::byte{0x5a}));
  data.record("finished_round");
  data.raw_record(120, 3, std::vector<std::byte>(16, std::byte{7}));
  data.feature("hostname", {{"text", "here"}});
  data.feature("nrcpus", {{"online", 1}, {"available", 2}});
  if (layout == support::Layout::File) data.feature("40", {{"hex", "00112233445566"}}).feature("event_desc");
  data.build_id({{"id", "000102030405060708090a0b0c0d0e0f10111213"}, {"file", "/opt/other"}});
  return data;
}

struct Contents {
  std::vector<std::vector<std::byte>> records;  // features that do not describe the recording
  std::vector<std::byte> trace;
  std::vector<data::Event> events;
  std::vector<std::string> names;
  std::map<u32, std::vector<std::byte>> features;
};

Contents read_all_of(Bytes bytes) {
  data::Reader reader = open_bytes(bytes);
  Contents all;
  abi::RecordView record;
  while (*reader.next(record)) {
    const u32 type = static_cast<u32>(record.type);
    const bool describes = (type >= 64 && type <= 67) || type == 78 || type == 80;
    if (!describes) all.records.emplace_back(record.bytes.begin(), record.bytes.end());
    if (record.type != abi::RecordType::Auxtrace) continue;
    for (Bytes piece = reader.next_payload(); !piece.empty(); piece = reader.next_payload())
      all.trace.insert(all.trace.end(), piece.begin(), piece.end());
  }
  EXPECT_TRUE(reader.account().clean());
  all.events = reader.evlist().events();
  for (const data::Event& event : all.events) all.names.push_back(event.name);
  for (const u32 id : reader.header().present) {
    if (auto feature = reader.read_feature(id)) all.features[id] = std::move(*feature);
  }
  return all;
}

void expect_same(const Contents& copy, const Contents& original) {
  EXPECT_EQ(copy.records, original.records);
  EXPECT_EQ(copy.trace, original.trace);
  EXPECT_EQ(copy.names, original.names);
  ASSERT_EQ(copy.events.size(), original.events.size());
  for (std::size_t i = 0; i < copy.events.size(); ++i) {
    abi::EventAttr attr = original.events[i].attr;
    attr.size = copy.events[i].attr.size;  // one size for all attrs of a file
    EXPECT_EQ(copy.events[i].attr, attr);
    EXPECT_EQ(copy.events[i].ids, original.events[i].ids);
  }
}

TEST(Rewrite, CopiesFileToFileByteForByte) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    const auto original = recording(support::Layout::File, endian).bytes();
    EXPECT_EQ(rewritten(original, false), original);
  }
}

TEST(Rewrite, CopiesPipeToPipeByteForByte) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    const auto original = recording(support::Layout::Pipe, endian).bytes();
    EXPECT_EQ(rewritten(original, true), original);
  }
}

TEST(Rewrite, KeepsRecordsEventsAndFeaturesAcrossLayouts) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    const auto file = recording(support::Layout::File, endian).bytes();
    const Contents original = read_all_of(file);
    const auto pipe = rewritten(file, true);
    const Contents piped = read_all_of(pipe);
    expect_same(piped, original);
    const Contents back = read_all_of(rewritten(pipe, false));
    expect_same(back, original);
    for (const FeatureId id : {FeatureId::Hostname, FeatureId::NrCpus}) {
      const u32 number = static_cast<u32>(id);
      EXPECT_EQ(back.features.at(number), original.features.at(number)) << data::feature_name(number);
    }
    // The type in an entry's header has no meaning and is not sent in a pipe.
    const u32 ids = static_cast<u32>(FeatureId::BuildId);
    EXPECT_TRUE(
        std::ranges::equal(Bytes(back.features.at(ids)).subspan(4), Bytes(original.features.at(ids)).subspan(4)));
    EXPECT_EQ(back.features.at(40), original.features.at(40));
    EXPECT_TRUE(back.features.contains(static_cast<u32>(FeatureId::EventDesc)));
  }
}

// Readers of files look for hardware traces at the offsets in the index.
TEST(Rewrite, WritesAnIndexOfTheTracesOfAPipe) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    const auto copy = rewritten(recording(support::Layout::Pipe, endian).bytes(), false);
    const data::Reader reader = open_bytes(copy);
    ASSERT_TRUE(reader.header().features.auxtrace);
    ASSERT_EQ(reader.header().features.auxtrace->size(), 1u);
    const auto entry = reader.header().features.auxtrace->front();
    EXPECT_EQ(entry.size, 48u);
    EXPECT_EQ(load<u32>(copy.data() + entry.offset, reader.header().order), 71u);
    EXPECT_EQ(copy.at(entry.offset + entry.size), std::byte{0x5a});
  }
}

// An unfinished recording becomes a complete file; a truncated record is dropped.
TEST(Rewrite, FinishesAnUnfinishedRecording) {
  PerfDataBuilder data;
  data.attr({{"sample", "ip"}}).record("sample", {{"ip", 1}}).raw_bytes(std::vector<std::byte>(5, std::byte{9}));
  data.declared_data_size(0);
  const auto copy = rewritten(data.bytes(), false);
  const Contents all = read_all_of(copy);
  EXPECT_EQ(all.records.size(), 1u);
}

TEST(Rewrite, AddsKnownBuildIdsOfWhatWasHit) {
  RewriteOptions options;
  options.build_ids = WhichDsos::Hit;
  options.known_ids = {{*BuildId::parse("ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00"), "/opt/load"},
                       {*BuildId::parse("aa"), "/opt/not/hit"}};
  for (const bool to_pipe : {false, true}) {
    const auto copy = rewritten(recording(support::Layout::File, Endian::Little).bytes(), to_pipe, options);
    data::Reader reader = open_bytes(copy);
    abi::RecordView record;
    bool sampled = false;
    while (*reader.next(record)) {
      // In a pipe, an id precedes the samples that need it.
      if (record.type == abi::RecordType::HeaderBuildId) EXPECT_FALSE(sampled);
      sampled |= record.type == abi::RecordType::Sample;
    }
    ASSERT_TRUE(reader.header().features.build_ids);
    const auto& ids = *reader.header().features.build_ids;
    ASSERT_EQ(ids.size(), 2u);
    EXPECT_EQ(ids[0].name, "/opt/other");
    EXPECT_EQ(ids[1].name, "/opt/load");
    EXPECT_EQ(ids[1].id.hex(), "ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00");
  }
}

TEST(Rewrite, PutsBuildIdsIntoMapsInPlaceOfInodes) {
  RewriteOptions options;
  options.map_build_ids = true;
  options.known_ids = {{*BuildId::parse("ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00"), "/opt/load"}};
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    const auto original = recording(support::Layout::File, endian).bytes();
    data::Reader reader = open_bytes(rewritten(original, false, options));
    abi::RecordView record;
    abi::SideBandScratch scratch;
    unsigned maps = 0;
    while (*reader.next(record)) {
      if (record.type != abi::RecordType::Mmap2) continue;
      const auto decoded = abi::decode_side_band(record, reader.evlist().attr_of(record), scratch);
      ASSERT_TRUE(decoded && *decoded);
      const auto& map = std::get<abi::MmapRecord>((*decoded)->body);
      EXPECT_EQ(map.filename, "/opt/load");
      EXPECT_EQ(map.start, 0x400000u);
      ASSERT_TRUE(map.has_build_id);
      EXPECT_EQ(BuildId::from_bytes(map.build_id), options.known_ids[0].id);
      EXPECT_EQ((*decoded)->id.time, 1u);
      ++maps;
    }
    EXPECT_EQ(maps, 1u);
    // A second pass finds the ids and changes nothing.
    EXPECT_EQ(rewritten(rewritten(original, false, options), false, options), rewritten(original, false, options));
  }
}

TEST(Rewrite, RefusesFeaturesOnTopOfEachOther) {
  PerfDataBuilder data;
  data.attr({{"sample", "ip"}})
      .record("sample", {{"ip", 1}})
      .feature("40", {{"hex", std::string(400, '1')}})
      .feature("41", {{"hex", std::string(400, '1')}});
  auto bytes = data.bytes();
  const auto sections = data.sections();
  const auto table = std::ranges::find(sections, "feature table", &support::Section::name);
  ASSERT_NE(table, sections.end());
  // Both sections at the start of the file, each as large as possible.
  for (const std::size_t entry : {table->offset, table->offset + 16}) {
    bytes = support::overwrite(bytes, entry, 0, 8);
    bytes = support::overwrite(bytes, entry + 8, bytes.size(), 8);
  }
  data::Reader reader = open_bytes(bytes);
  data::CopyWriter writer(support::memory_file(), "copy", false);
  const auto summary = rewrite(Root("/nonexistent"), reader, std::move(writer), {});
  ASSERT_FALSE(summary);
  EXPECT_EQ(summary.error().kind, ErrorKind::Malformed);
}

}  // namespace
}  // namespace peregrine
