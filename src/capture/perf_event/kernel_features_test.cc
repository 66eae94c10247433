// Tests which features are given up when a kernel refuses an attr.
#include "capture/perf_event/kernel_features.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

namespace flag = abi::attr_flag;

// An attr with features of the newest kernels.
abi::EventAttr newest_attr() {
  abi::EventAttr attr;
  attr.type = 4;
  attr.read_format = abi::read_bit::Lost | abi::read_bit::Id;
  attr.sample_type = abi::sample_bit::Ip | abi::sample_bit::WeightStruct | abi::sample_bit::Cgroup;
  attr.branch_sample_type = abi::branch_bit::Any | abi::branch_bit::HwIndex;
  for (const u64 each : {flag::BuildId, flag::Cgroup, flag::Mmap2, flag::ExcludeGuest, flag::SampleIdAll})
    attr.set(each);
  return attr;
}

TEST(KernelFeatures, GivesUpTheNewestPartFirst) {
  KernelFeatures features;
  abi::EventAttr attr = newest_attr();
  ASSERT_TRUE(features.give_up_next(attr));
  features.apply(attr);
  EXPECT_EQ(attr.read_format, abi::read_bit::Id) << "lost samples are of Linux 6.0";
  EXPECT_TRUE(attr.samples(abi::sample_bit::WeightStruct));
  ASSERT_TRUE(features.give_up_next(attr));
  features.apply(attr);
  EXPECT_FALSE(attr.samples(abi::sample_bit::WeightStruct));
  EXPECT_TRUE(attr.samples(abi::sample_bit::Weight)) << "older kernels have plain weights";
  EXPECT_TRUE(attr.has(flag::BuildId));
}

TEST(KernelFeatures, GivesUpNothingThatTheAttrDoesNotUse) {
  KernelFeatures features;
  abi::EventAttr plain;
  plain.sample_type = abi::sample_bit::Ip;
  EXPECT_FALSE(features.give_up_next(plain));
  plain.set(flag::Mmap2);
  EXPECT_TRUE(features.give_up_next(plain));
  features.apply(plain);
  EXPECT_FALSE(plain.has(flag::Mmap2));
  EXPECT_FALSE(features.give_up_next(plain));
}

TEST(KernelFeatures, EndsAfterAllOptionalParts) {
  KernelFeatures features;
  abi::EventAttr attr = newest_attr();
  unsigned steps = 0;
  while (features.give_up_next(attr) && steps < 100) {
    features.apply(attr);
    ++steps;
  }
  EXPECT_EQ(steps, 8u) << "lost, weights, build-ids, cgroups, branch index, mmap2, guests, ids";
  EXPECT_EQ(attr.sample_type, abi::sample_bit::Ip | abi::sample_bit::Weight);
  EXPECT_EQ(attr.branch_sample_type, abi::branch_bit::Any);
  EXPECT_FALSE(attr.has(flag::SampleIdAll));
}

TEST(KernelFeatures, SampledCgroupsGoWithTheirRecords) {
  KernelFeatures features;
  abi::EventAttr attr;
  attr.set(flag::Cgroup);
  attr.sample_type = abi::sample_bit::Cgroup | abi::sample_bit::Ip;
  ASSERT_TRUE(features.give_up_next(attr));
  features.apply(attr);
  EXPECT_FALSE(attr.has(flag::Cgroup));
  EXPECT_EQ(attr.sample_type, abi::sample_bit::Ip);
}

TEST(KernelFeatures, RemembersRejectedFeaturesForLaterEvents) {
  KernelFeatures features;
  abi::EventAttr first, second = newest_attr();
  first.set(flag::Mmap2);
  ASSERT_TRUE(features.give_up_next(first));
  features.apply(second);
  EXPECT_FALSE(second.has(flag::Mmap2));
  EXPECT_TRUE(second.has(flag::SampleIdAll));
}

TEST(KernelFeatures, GuestBitsAreGivenUpForOnePmu) {
  KernelFeatures features;
  abi::EventAttr first, other, same;
  first.type = same.type = 10;
  other.type = 11;
  for (abi::EventAttr* attr : {&first, &other, &same}) attr->set(flag::ExcludeGuest);
  ASSERT_TRUE(features.give_up_next(first));
  for (abi::EventAttr* attr : {&other, &same}) features.apply(*attr);
  EXPECT_FALSE(same.has(flag::ExcludeGuest));
  EXPECT_TRUE(other.has(flag::ExcludeGuest));
}

}  // namespace
}  // namespace peregrine
