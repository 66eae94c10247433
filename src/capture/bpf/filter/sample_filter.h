// SampleFilterProgram: a sample filter inside the kernel, attached to descriptors; samples that it refuses are never
// written. Descriptors keep it alive, and hand it on to the events of children.
#pragma once
#include <memory>

#include "base/result.h"
#include "event/filter/sample_filter.h"

struct sample_filter;  // the skeleton that bpftool writes

namespace peregrine {

class SampleFilterProgram {
 public:
  // Errors: the kernel's; it must be 6.2 or later, with type data, and let us load programs.
  static Result<SampleFilterProgram> load(const SampleFilterCode& filter);
  SampleFilterProgram(SampleFilterProgram&&) noexcept;
  SampleFilterProgram& operator=(SampleFilterProgram&&) noexcept;
  ~SampleFilterProgram();

  // Before the descriptor is enabled. Errors: events that have no overflow of their own, or have a program already.
  Result<> attach(int event);
  // Samples refused so far.
  u64 dropped() const;

 private:
  struct Destroy {
    void operator()(sample_filter* skeleton) const;
  };
  SampleFilterProgram();
  std::unique_ptr<sample_filter, Destroy> skeleton_;
};

}  // namespace peregrine
