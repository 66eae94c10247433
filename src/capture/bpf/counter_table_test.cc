#include "capture/bpf/counter_table.h"

#include <gtest/gtest.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include "base/fd.h"
#include "support/memory_file.h"

namespace peregrine {
namespace {

// A file of two rows with three counters, in place of a BPF map.
constexpr std::array<u64, 6> kCounters = {1, 2, 3, 40, 50, 60};

TEST(CounterTable, IsReadByRowAndCounter) {
  const Fd file = support::memory_file(std::as_bytes(std::span(kCounters)));
  const auto table = CounterTable::map(file.get(), 2, 3);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->rows(), 2u);
  EXPECT_EQ(table->at(0, 0), 1u);
  EXPECT_EQ(table->at(0, 2), 3u);
  EXPECT_EQ(table->at(1, 0), 40u);
  EXPECT_EQ(table->at(1, 2), 60u);
}

TEST(CounterTable, ShowsWhatIsCountedMeanwhile) {
  const Fd file = support::memory_file(std::as_bytes(std::span(kCounters)));
  const auto table = CounterTable::map(file.get(), 2, 3);
  ASSERT_TRUE(table) << table.error().message;
  const u64 more = 51;
  ASSERT_EQ(::pwrite(file.get(), &more, sizeof more, 4 * sizeof more), static_cast<ssize_t>(sizeof more));
  EXPECT_EQ(table->at(1, 1), 51u);
}

TEST(CounterTable, MovesItsMapping) {
  const Fd file = support::memory_file(std::as_bytes(std::span(kCounters)));
  auto mapped = CounterTable::map(file.get(), 2, 3);
  ASSERT_TRUE(mapped);
  CounterTable table;
  EXPECT_EQ(table.rows(), 0u);
  table = std::move(*mapped);
  EXPECT_EQ(table.rows(), 2u);
  const CounterTable again(std::move(table));
  EXPECT_EQ(again.at(1, 1), 50u);
}

TEST(CounterTable, NeedsAMapThatCanBeMapped) {
  const auto table = CounterTable::map(-1, 1, 1);
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().system_errno, EBADF);
}

}  // namespace
}  // namespace peregrine
