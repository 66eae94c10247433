#include "pipeline/decode/intel_pt/vm_times.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <thread>

#include "base/fd.h"
#include "support/intel_pt_packets.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

// Reads the file whenever a signal arrives.
struct InterruptedFile {
  int file = -1;
  off_t first = 0, last = 0;  // positions of the first and last time
  u64 before = 0;             // the initial value of both
  int looks = 0, half_changed = 0;
};
InterruptedFile* interrupted = nullptr;

void look_at_file(int) {
  u64 first = 0, last = 0;
  if (::pread(interrupted->file, &first, 7, interrupted->first) != 7) return;
  if (::pread(interrupted->file, &last, 7, interrupted->last) != 7) return;
  ++interrupted->looks;
  if ((first == interrupted->before) != (last == interrupted->before)) ++interrupted->half_changed;
}

TEST(VmTimes, SignalsNeverSeeAHalfChangedFile) {
  constexpr unsigned kTimes = 20000;
  constexpr u64 kTsc = 0x123456789a, kOffset = 0x1000000;
  support::IntelPtPackets trace;
  trace.psb();
  trace.pip(0, true);
  trace.psb_end();
  const std::size_t start = trace.size();
  for (unsigned i = 0; i < kTimes; ++i) trace.tsc(kTsc);
  const std::size_t end = trace.size();
  trace.pad_to(8);
  support::PerfDataBuilder data;
  data.attr({{"name", "intel_pt//"}, {"type", 8}, {"config", 0x300e601}, {"sample", "ip"}});
  data.record("auxtrace_info", {{"type", 1}, {"priv", "8,0,1,0,1,0x400,0x800,0,0,1,0x200,0x3c000,80,1,2,20"}});
  data.record("auxtrace", {{"size", trace.bytes().size()}}).raw_bytes(trace.bytes());
  const std::string path = ::testing::TempDir() + "vm_times_test.data";
  const std::vector<std::byte> bytes = data.bytes();
  const Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  ASSERT_TRUE(write_all(fd.get(), bytes.data(), bytes.size()));
  const auto found = std::ranges::search(bytes, trace.bytes());
  ASSERT_FALSE(found.empty());
  const off_t place = found.begin() - bytes.begin();
  InterruptedFile look{.file = fd.get(),
                       .first = place + static_cast<off_t>(start) + 1,
                       .last = place + static_cast<off_t>(end) - 7,
                       .before = kTsc};
  interrupted = &look;

  const auto reader = data::Reader::open(path);
  ASSERT_TRUE(reader);
  struct sigaction action{}, old{};
  action.sa_handler = look_at_file;
  action.sa_flags = SA_RESTART;
  ASSERT_EQ(::sigaction(SIGINT, &action, &old), 0);
  std::atomic<bool> done = false;
  std::thread sender([&done, to = ::pthread_self()] {
    while (!done) {
      ::pthread_kill(to, SIGINT);
      ::usleep(100);
    }
  });
  const auto written = correlate_vm_times(*reader, *parse_vm_time_options(std::to_string(kOffset)), fd.get());
  done = true;
  sender.join();
  ::sigaction(SIGINT, &old, nullptr);
  interrupted = nullptr;
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(written->packets, kTimes);
  u64 first = 0;
  ASSERT_EQ(::pread(fd.get(), &first, 7, look.first), 7);
  EXPECT_EQ(first, kTsc - kOffset);
  EXPECT_GT(look.looks, 0);
  EXPECT_EQ(look.half_changed, 0);
  std::remove(path.c_str());
}

TEST(VmTimes, ParsesOffsetsAndGuests) {
  const auto options = parse_vm_time_options("dry-run 0xffffe42722c64c41 17:0x1bff6a,5");
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->dry_run);
  ASSERT_EQ(options->offsets.size(), 2u);
  EXPECT_EQ(options->offsets[0].ticks, 0xffffe42722c64c41u);
  EXPECT_TRUE(options->offsets[0].vmcs.empty());
  EXPECT_EQ(options->offsets[1].ticks, 17u);
  EXPECT_EQ(options->offsets[1].vmcs, (std::vector<u64>{0x1bff6a, 5}));
  EXPECT_TRUE(parse_vm_time_options("")->offsets.empty());
}

TEST(VmTimes, RejectsWhatIsNoOffset) {
  for (const char* text : {"dry", "0x", "1:", "1:a", "1 2", "1 dry-run", "1:2,,3"})
    EXPECT_FALSE(parse_vm_time_options(text)) << text;
}

}  // namespace
}  // namespace peregrine
