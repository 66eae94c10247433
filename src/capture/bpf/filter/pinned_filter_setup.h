// The sample filter for ordinary users: root pins a program and its maps in bpffs once (`record --setup-filter=pin`);
// users attach it to their own events. pinned_filter.bpf.c describes how users are isolated.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "event/filter/sample_filter.h"

namespace peregrine {

inline constexpr const char* kBpfFolder = "/sys/fs/bpf";

// The folder must belong to root: with the kernel's default mode, other users can create folders and links in bpffs.

// Replaces what is pinned, and makes bpffs accessible to everybody. Returns the x bits it added to bpffs for that.
// Errors: Denied; Unsupported, no bpffs there; System.
Result<mode_t> pin_sample_filter(const std::string& bpffs = kBpfFolder);
// Also removes the added x bits. Errors: NotFound, nothing is pinned; Denied; System.
Result<> unpin_sample_filter(const std::string& bpffs = kBpfFolder);

// One filter of this process in the pinned program. Removed by the destructor.
class PinnedSampleFilter {
 public:
  // Errors: NotFound, nothing is pinned; Denied, the folder is not root's or the filters are frozen; System.
  static Result<PinnedSampleFilter> open(const SampleFilterCode& filter, const std::string& bpffs = kBpfFolder);
  PinnedSampleFilter(PinnedSampleFilter&&) noexcept = default;
  PinnedSampleFilter& operator=(PinnedSampleFilter&&) noexcept = default;
  ~PinnedSampleFilter();

  Result<> attach(int event);
  u64 dropped() const;
  // Call after disabling the events: they are unfiltered afterwards. Errors: NotFound, other users evicted the filter,
  // so samples may be unfiltered; Denied, the filters are frozen, so it is unknown.
  Result<> remove();

 private:
  PinnedSampleFilter() = default;

  Fd program_, filters_, dropped_;
  std::vector<Fd> links_;
  u64 cookie_ = 0, drop_key_ = 0;
};

}  // namespace peregrine
