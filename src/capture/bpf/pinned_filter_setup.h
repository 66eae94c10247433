// The sample filter for ordinary users: root pins a program and its maps below bpffs once (`record
// --setup-filter=pin`), users attach it to their own events. How they are kept apart: pinned_filter.bpf.c.
#pragma once
#include <string>
#include <vector>

#include "base/fd.h"
#include "event/sample_filter.h"

namespace peregrine {

inline constexpr const char* kBpfFolder = "/sys/fs/bpf";

// Replaces what is pinned. Lets everybody enter the folder (its x bits). Errors: System, no bpffs there or no right.
Result<> pin_sample_filter(const std::string& bpffs = kBpfFolder);
// Errors: NotFound, nothing is pinned; System.
Result<> unpin_sample_filter(const std::string& bpffs = kBpfFolder);

// One filter of this process, through what is pinned. Taken back when it goes.
class PinnedSampleFilter {
 public:
  // Errors: NotFound, nothing is pinned; System.
  static Result<PinnedSampleFilter> open(const SampleFilterCode& filter, const std::string& bpffs = kBpfFolder);
  PinnedSampleFilter(PinnedSampleFilter&&) noexcept = default;
  PinnedSampleFilter& operator=(PinnedSampleFilter&&) noexcept = default;
  ~PinnedSampleFilter();

  Result<> attach(int event);
  u64 dropped() const;

 private:
  PinnedSampleFilter() = default;

  Fd program_, filters_, dropped_;
  std::vector<Fd> links_;
  u64 cookie_ = 0, drop_key_ = 0;
};

}  // namespace peregrine
