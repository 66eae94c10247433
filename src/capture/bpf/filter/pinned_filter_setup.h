// The sample filter for ordinary users: root pins a program and its maps below bpffs once (`record
// --setup-filter=pin`), users attach it to their own events. How they are kept apart: pinned_filter.bpf.c.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "base/fd.h"
#include "event/filter/sample_filter.h"

namespace peregrine {

inline constexpr const char* kBpfFolder = "/sys/fs/bpf";

// Only root may, and only in a folder that belongs to root: other users can make folders and links in a bpffs with the
// kernel's default mode.

// Replaces what is pinned, and lets everybody enter bpffs. Returns the x bits that it added to bpffs for that.
// Errors: Denied; Unsupported, no bpffs there; System.
Result<mode_t> pin_sample_filter(const std::string& bpffs = kBpfFolder);
// Takes the added x bits back, too. Errors: NotFound, nothing is pinned; Denied; System.
Result<> unpin_sample_filter(const std::string& bpffs = kBpfFolder);

// One filter of this process, through what is pinned. Removed with the object.
class PinnedSampleFilter {
 public:
  // Errors: NotFound, nothing is pinned; Denied, the folder is not root's or the filters are frozen; System.
  static Result<PinnedSampleFilter> open(const SampleFilterCode& filter, const std::string& bpffs = kBpfFolder);
  PinnedSampleFilter(PinnedSampleFilter&&) noexcept = default;
  PinnedSampleFilter& operator=(PinnedSampleFilter&&) noexcept = default;
  ~PinnedSampleFilter();

  Result<> attach(int event);
  u64 dropped() const;
  // Call it when the events are disabled: they are unfiltered from now on. Errors: NotFound, other users have pushed
  // the filter out, so that samples may be unfiltered; Denied, the filters are frozen, so that nobody can tell.
  Result<> remove();

 private:
  PinnedSampleFilter() = default;

  Fd program_, filters_, dropped_;
  std::vector<Fd> links_;
  u64 cookie_ = 0, drop_key_ = 0;
};

}  // namespace peregrine
