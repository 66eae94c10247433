#include "capture/bpf/uprobe_trial.h"

#include <bpf/libbpf.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cerrno>

#include <uprobe_trial.skel.h>

namespace peregrine {

UprobeTrial::UprobeTrial() = default;
UprobeTrial::UprobeTrial(UprobeTrial&&) noexcept = default;
UprobeTrial& UprobeTrial::operator=(UprobeTrial&&) noexcept = default;
UprobeTrial::~UprobeTrial() = default;
void UprobeTrial::Destroy::operator()(uprobe_trial* skeleton) const { uprobe_trial__destroy(skeleton); }
void UprobeTrial::Destroy::operator()(bpf_link* link) const { bpf_link__destroy(link); }

Result<UprobeTrial> UprobeTrial::attach(const char* function, UprobeWork work) {
  libbpf_set_print(nullptr);
  Dl_info place{};
  if (void* const address = ::dlsym(RTLD_DEFAULT, function);
      address == nullptr || ::dladdr(address, &place) == 0 || place.dli_fname == nullptr)
    return fail(ErrorKind::NotFound, "the C library of this process has no {}", function);
  UprobeTrial trial;
  trial.skeleton_.reset(uprobe_trial__open_and_load());
  if (!trial.skeleton_) {
    auto failure = fail_errno("cannot load the BPF programs of a probe");
    failure.error().hint = "requires CONFIG_BPF_EVENTS, and root or CAP_BPF and CAP_PERFMON";
    return failure;
  }
  const auto& programs = trial.skeleton_->progs;
  const bpf_program* const by_work[] = {programs.empty, programs.trace_print, programs.empty_at_return,
                                        programs.trace_print_at_return};
  const bool at_return = work == UprobeWork::EmptyAtReturn || work == UprobeWork::TracePrintAtReturn;
  bpf_uprobe_opts options{};
  options.sz = sizeof options;
  options.retprobe = at_return;
  options.func_name = function;
  constexpr int kThisProcess = 0;
  trial.link_.reset(bpf_program__attach_uprobe_opts(by_work[static_cast<unsigned>(work)], kThisProcess, place.dli_fname,
                                                    0, &options));
  if (!trial.link_) return fail_errno(fmt::format("cannot set a probe at {} of {}", function, place.dli_fname));
  return trial;
}

}  // namespace peregrine
