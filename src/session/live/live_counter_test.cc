#include "session/live/live_counter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "abi/record.h"
#include "support/perf_data_builder.h"
#include "support/tracepoint_recording.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;

// Addresses of the forwarded samples.
class PassedSamples : public ReplaySink {
 public:
  void sample(const ReplaySample& sample, Resolver&, unsigned) override { ips.push_back(sample.sample.ip); }
  std::vector<u64> ips;
};

class LiveCounting : public ::testing::Test {
 protected:
  // One sample of each kind: kernel, user, exact user, guest kernel, guest user.
  void replay() {
    support::PerfDataBuilder data;
    data.attr({{"type", 1}, {"sample", "ip,tid,time"}, {"flags", "sample_id_all"}});
    u64 ip = 0x1000;
    for (const unsigned misc : {unsigned{abi::misc_bit::Kernel}, unsigned{abi::misc_bit::User},
                                unsigned{abi::misc_bit::User} | abi::misc_bit::ExactIp,
                                unsigned{abi::misc_bit::GuestKernel}, unsigned{abi::misc_bit::GuestUser}})
      data.record("sample", {{"ip", ++ip}, {"pid", 7}, {"tid", 7}, {"time", ip}, {"misc", misc}});
    support::ReplayedRecording(data).run(counter_);
  }

  PassedSamples sums_, hits_;
  LiveCounter counter_{sums_, hits_};
};

TEST_F(LiveCounting, CountsSamplesByMode) {
  replay();
  const LiveCounts counts = counter_.take();
  EXPECT_EQ(counts.samples, 5u);
  EXPECT_EQ(counts.kernel, 1u);
  EXPECT_EQ(counts.user, 2u);
  EXPECT_EQ(counts.exact, 1u);
  EXPECT_EQ(counts.guest_kernel, 1u);
  EXPECT_EQ(counts.guest_user, 1u);
  EXPECT_EQ(counter_.take().samples, 0u);
}

TEST_F(LiveCounting, CountsHiddenSamplesButDoesNotPassThemOn) {
  counter_.hide(true, false);
  replay();
  EXPECT_THAT(sums_.ips, ElementsAre(0x1002, 0x1003, 0x1004, 0x1005));
  EXPECT_EQ(hits_.ips, sums_.ips);
  EXPECT_EQ(counter_.take().kernel, 1u);
}

}  // namespace
}  // namespace peregrine
