// The mutator's output is still a recording, and the reader under test agrees with its contents.
#include "recording_mutator.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string_view>

#include "abi/record.h"
#include "base/fd.h"
#include "data/reader/reader.h"
#include "support/recipe.h"

namespace peregrine {
namespace {

constexpr std::string_view kRecipe =
    "attr freq=4000 sample=identifier,ip,tid,time,cpu,period,callchain flags=mmap,comm,sample_id_all ids=1\n"
    "attr type=2 config=71 sample=identifier,ip,tid,time,cpu,period,raw flags=sample_id_all ids=2\n"
    "comm pid=7 tid=7 comm=load time=100 id=1\n"
    "sample id=1 ip=0x401000 pid=7 tid=7 time=2000 period=250000 chain=0x401000,0x401100 times=8 time_step=10\n"
    "sample event=1 id=2 ip=0x401000 pid=7 tid=7 time=3000 raw=470000000700000001020304050607080000000000\n"
    "feature hostname text=here\n"
    "feature event_desc\n";

std::vector<std::byte> recording() { return support::compile_recipe(kRecipe); }

RecordingMutator mutator(unsigned seed) {
  return {seed, [](std::span<std::byte> bytes, std::size_t size) {
            if (size > 0) bytes[0] ^= std::byte{1};
            return size;
          }};
}

// How many records the reader finds; nothing if it cannot open the recording.
std::optional<u64> read_records(Bytes bytes) {
  Fd fd(::memfd_create("recording", MFD_CLOEXEC));
  if (!write_all(fd.get(), bytes.data(), bytes.size())) return std::nullopt;
  ::lseek(fd.get(), 0, SEEK_SET);
  auto reader = data::Reader::open_fd(std::move(fd), "recording");
  if (!reader) return std::nullopt;
  u64 count = 0;
  abi::RecordView record;
  for (;;) {
    const auto more = reader->next(record);
    if (!more || !*more) return count;
    ++count;
  }
}

TEST(RecordingParts, PartsMakeTheWholeAgain) {
  const auto parts = RecordingParts::parse(recording());
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->attrs.size(), 2u);
  EXPECT_EQ(parts->records.size(), 10u);
  EXPECT_EQ(parts->features.size(), 2u);
  const auto again = RecordingParts::parse(parts->bytes());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->records, parts->records);
  EXPECT_EQ(again->features, parts->features);
  EXPECT_EQ(read_records(parts->bytes()), read_records(recording()));
}

TEST(RecordingParts, APipeHasTheSameRecords) {
  const auto parts = RecordingParts::parse(recording());
  const auto pipe = RecordingParts::parse(parts->as_pipe().bytes());
  ASSERT_TRUE(pipe);
  EXPECT_TRUE(pipe->pipe);
  EXPECT_EQ(pipe->attrs.size(), 2u);
  EXPECT_EQ(pipe->attrs[1].ids, parts->attrs[1].ids);
  EXPECT_TRUE(read_records(pipe->bytes()));
}

TEST(RecordingParts, FieldsOfASampleAreThoseOfItsEvent) {
  const auto parts = RecordingParts::parse(recording());
  const auto kinds = [&](std::size_t record) {
    std::vector<MutableKind> kinds;
    for (const RecordField& field : parts->fields(parts->records[record])) kinds.push_back(field.kind);
    return kinds;
  };
  using enum MutableKind;
  EXPECT_EQ(kinds(1), (std::vector{Identifier, Ip, Pid, Tid, Time, Cpu, Other, Period, Count, ChainEntry, ChainEntry}));
  EXPECT_EQ(kinds(9), (std::vector{Identifier, Ip, Pid, Tid, Time, Cpu, Other, Period, RawSize}));
}

TEST(RecordingParts, TracepointsAreFoundInTheirText) {
  constexpr std::string_view kText =
      "name: sched_switch\nID: 71\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
      "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n";
  const auto found = find_tracepoints(std::as_bytes(std::span(kText)));
  ASSERT_EQ(found.size(), 1u);
  const auto& fields = found.at(71);
  ASSERT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields[1].offset, 8u);
  EXPECT_EQ(fields[1].size, 16u);
  EXPECT_TRUE(fields[1].text);
}

TEST(RecordingMutator, NearlyAllChangesStayRecordings) {
  const auto original = recording();
  unsigned readable = 0, different = 0, same_count = 0;
  const auto count = read_records(original);
  for (unsigned seed = 1; seed <= 400; ++seed) {
    const auto made = mutator(seed).mutate(original, 65536);
    const auto records = read_records(made);
    readable += records.has_value() && *records > 0 ? 1 : 0;
    different += made != original ? 1 : 0;
    same_count += records == count ? 1 : 0;
  }
  EXPECT_GT(readable, 360u);
  EXPECT_GT(different, 360u);
  EXPECT_GT(same_count, 100u);
}

TEST(RecordingMutator, TheSameSeedMakesTheSameChange) {
  EXPECT_EQ(mutator(5).mutate(recording(), 65536), mutator(5).mutate(recording(), 65536));
  EXPECT_NE(mutator(5).mutate(recording(), 65536), mutator(6).mutate(recording(), 65536));
}

TEST(RecordingMutator, KeepsToTheLimit) {
  const auto original = recording();
  for (unsigned seed = 1; seed <= 100; ++seed)
    EXPECT_LE(mutator(seed).mutate(original, original.size()).size(), original.size());
}

TEST(RecordingMutator, SplicesRecordsOfBoth) {
  auto other = RecordingParts::parse(recording());
  for (auto& record : other->records) record_type(record) == kSampleRecord ? record[8] = std::byte{2} : std::byte{};
  const auto made = RecordingParts::parse(mutator(3).splice(recording(), other->bytes(), 65536));
  ASSERT_TRUE(made);
  EXPECT_GT(made->records.size(), 10u);
}

}  // namespace
}  // namespace peregrine
