// UprobeTrial: a probe at a function of the C library that does next to nothing, to tell what a probe costs. Attached
// to this process only; detached when it goes.
#pragma once
#include <memory>

#include "base/result.h"

struct uprobe_trial;  // the skeleton that bpftool writes
struct bpf_link;

namespace peregrine {

enum class UprobeWork {
  Empty,          // a program that returns
  TracePrint,     // one that writes a line to the kernel's trace
  EmptyAtReturn,  // the same when the function returns
  TracePrintAtReturn,
};

class UprobeTrial {
 public:
  // `function`: one that the C library of this process has. Errors: the kernel's; NotFound.
  static Result<UprobeTrial> attach(const char* function, UprobeWork work);
  UprobeTrial(UprobeTrial&&) noexcept;
  UprobeTrial& operator=(UprobeTrial&&) noexcept;
  ~UprobeTrial();

 private:
  struct Destroy {
    void operator()(uprobe_trial* skeleton) const;
    void operator()(bpf_link* link) const;
  };
  UprobeTrial();
  std::unique_ptr<uprobe_trial, Destroy> skeleton_;
  std::unique_ptr<bpf_link, Destroy> link_;  // goes first
};

}  // namespace peregrine
