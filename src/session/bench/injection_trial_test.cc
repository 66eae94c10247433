#include "session/bench/injection_trial.h"

#include <gtest/gtest.h>

#include <utility>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "data/reader/reader.h"

namespace peregrine {
namespace {

TEST(InjectionTrial, WritesARecordingWithMapsAndSamples) {
  auto file = recording_with_maps({"/proc/self/exe"}, 3, 4);
  ASSERT_TRUE(file) << file.error().message;
  auto reader = data::Reader::open_fd(std::move(*file), "recording");
  ASSERT_TRUE(reader) << reader.error().message;
  ASSERT_EQ(reader->evlist().size(), 1u);
  EXPECT_EQ(reader->evlist()[0].attr.type, static_cast<u32>(abi::EventType::Software));
  abi::RecordView record;
  for (auto more = reader->next(record); more && *more; more = reader->next(record)) {
  }
  EXPECT_TRUE(reader->account().clean());
  EXPECT_EQ(reader->account().by_type[static_cast<u32>(abi::RecordType::Mmap2)], 3u);
  EXPECT_EQ(reader->account().by_type[static_cast<u32>(abi::RecordType::Sample)], 12u);
}

TEST(InjectionTrial, FailsWithoutABuildId) {
  const auto file = recording_with_maps({"/no/such/file"}, 1, 1);
  ASSERT_TRUE(file) << file.error().message;
  const auto round = inject_in_child(file->get(), WhichDsos::All);
  ASSERT_FALSE(round);
  EXPECT_EQ(round.error().message, "injecting build-ids failed in a child process");
}

TEST(InjectionTrial, RejectsTooFewAndTooManyRecords) {
  Sink out;
  const auto kind = [&](const InjectionTrialRequest& request) {
    const auto done = run_injection(request, out);
    return done ? ErrorKind::System : done.error().kind;
  };
  EXPECT_EQ(kind({.rounds = 0}), ErrorKind::Usage);
  EXPECT_EQ(kind({.rounds = 1, .maps = 0}), ErrorKind::Usage);
  // 2^20 maps with one sample each give 2^21 records; 2^31 × 2 must not wrap around.
  EXPECT_EQ(kind({.rounds = 1, .maps = 1u << 20, .samples = 1}), ErrorKind::Usage);
  EXPECT_EQ(kind({.rounds = 1, .maps = 1u << 31, .samples = ~0u}), ErrorKind::Usage);
  EXPECT_EQ(out.text(), "");
}

}  // namespace
}  // namespace peregrine
