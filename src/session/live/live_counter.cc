#include "session/live/live_counter.h"

#include "abi/record.h"
#include "abi/sample.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

void LiveCounter::begin(unsigned workers) {
  sums_.begin(workers);
  hits_.begin(workers);
}

void LiveCounter::sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) {
  if (count(sample.sample)) return;
  sums_.sample(sample, resolver, worker);
  hits_.sample(sample, resolver, worker);
}

bool LiveCounter::count(const abi::Sample& sample) {
  ++counts_.samples;
  if ((sample.misc & abi::misc_bit::ExactIp) != 0) ++counts_.exact;
  switch (sample.cpumode()) {
    case abi::misc_bit::Kernel:
      ++counts_.kernel;
      return hide_kernel_;
    case abi::misc_bit::User:
      ++counts_.user;
      return hide_user_;
    case abi::misc_bit::GuestKernel:
      ++counts_.guest_kernel;
      return false;
    case abi::misc_bit::GuestUser:
      ++counts_.guest_user;
      return false;
    default:
      return false;
  }
}

}  // namespace peregrine
