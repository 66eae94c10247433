#include "capture/bpf/filter/sample_filter.h"

#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include <sample_filter.skel.h>

#include <cstddef>

#include "abi/sample_filter.h"
#include "base/types.h"

namespace peregrine {

SampleFilterProgram::SampleFilterProgram() = default;
SampleFilterProgram::SampleFilterProgram(SampleFilterProgram&&) noexcept = default;
SampleFilterProgram& SampleFilterProgram::operator=(SampleFilterProgram&&) noexcept = default;
SampleFilterProgram::~SampleFilterProgram() = default;
void SampleFilterProgram::Destroy::operator()(sample_filter* skeleton) const { sample_filter__destroy(skeleton); }

Result<SampleFilterProgram> SampleFilterProgram::load(const SampleFilterCode& filter) {
  libbpf_set_print(nullptr);
  SampleFilterProgram program;
  program.skeleton_.reset(sample_filter__open());
  if (!program.skeleton_) return fail_errno("cannot open the BPF program of a sample filter");
  auto& data = *program.skeleton_->rodata;
  for (std::size_t i = 0; i < filter.steps.size() && i < kFilterSteps; ++i) {
    const sample_filter_step& from = filter.steps[i];
    auto& to = data.steps[i];
    to.op = from.op;
    to.part = from.part;
    to.shift = from.shift;
    to.bits = from.bits;
    to.value = from.value;
  }
  data.step_count = static_cast<u32>(filter.steps.size());
  if (const int error = sample_filter__load(program.skeleton_.get()); error != 0) {
    auto failure = fail_errno("cannot load the BPF program of a sample filter", -error);
    failure.error().hint = "requires Linux 6.2 with CONFIG_DEBUG_INFO_BTF, and root or CAP_BPF and CAP_PERFMON";
    return failure;
  }
  return program;
}

Result<> SampleFilterProgram::attach(int event) {
  if (::ioctl(event, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(skeleton_->progs.filter_sample)) != 0)
    return fail_errno("cannot attach a sample filter");
  return {};
}

u64 SampleFilterProgram::dropped() const { return skeleton_->bss->dropped; }

}  // namespace peregrine
