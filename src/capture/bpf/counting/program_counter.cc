#include "capture/bpf/counting/program_counter.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/bpf.h>

#include <program_count.skel.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/counter.h"
#include "sys/hardware/cpu.h"

namespace peregrine {
namespace {

// Returns the name of a program's first function from its BTF: fentry attaches by that name.
Result<std::string> function_of(int program, u32 id) {
  bpf_func_info first{};
  bpf_prog_info description{};
  description.nr_func_info = 1;
  description.func_info_rec_size = sizeof first;
  description.func_info = reinterpret_cast<u64>(&first);
  u32 size = sizeof description;
  if (bpf_obj_get_info_by_fd(program, &description, &size) != 0) return fail_errno("cannot query a BPF program");
  const auto lacks = [&] {
    return std::unexpected(
        Error{ErrorKind::Unsupported, fmt::format("BPF program {} has no type data (BTF)", id)}.with_hint(
            "only programs compiled with clang -g and loaded by libbpf can be attached to"));
  };
  if (description.btf_id == 0 || description.nr_func_info == 0) return lacks();
  const std::unique_ptr<btf, decltype(&btf__free)> types(btf__load_from_kernel_by_id(description.btf_id), btf__free);
  if (!types) return lacks();
  const btf_type* function = btf__type_by_id(types.get(), first.type_id);
  const char* name = function != nullptr ? btf__name_by_offset(types.get(), function->name_off) : nullptr;
  if (name == nullptr) return lacks();
  return std::string(name);
}

}  // namespace

void ProgramCounter::Destroy::operator()(program_count* skeleton) const { program_count__destroy(skeleton); }

ProgramCounter::ProgramCounter(CpuEvent event) : event_(std::move(event)) {}
ProgramCounter::ProgramCounter(ProgramCounter&&) noexcept = default;
ProgramCounter& ProgramCounter::operator=(ProgramCounter&&) noexcept = default;
ProgramCounter::~ProgramCounter() = default;

Result<ProgramCounter> ProgramCounter::open(CpuEvent event, u32 program) {
  const Fd counted(bpf_prog_get_fd_by_id(program));
  if (!counted && errno == ENOENT)
    return std::unexpected(Error{ErrorKind::NotFound, fmt::format("no BPF program {}", program)}.with_hint(
        "'bpftool prog' lists the loaded programs"));
  if (!counted) return fail_errno(fmt::format("BPF program {}", program));
  auto function = function_of(counted.get(), program);
  if (!function) return std::unexpected(std::move(function.error()));
  libbpf_set_print(nullptr);
  ProgramCounter counter(std::move(event));
  counter.skeleton_.reset(program_count__open());
  if (!counter.skeleton_) return fail_errno("cannot open the BPF programs");
  program_count& skeleton = *counter.skeleton_;
  if (const int error = bpf_map__reuse_fd(skeleton.maps.shared_events, counter.event_.map()); error != 0)
    return fail_errno("cannot use the counter map", -error);
  for (bpf_program* ours : {skeleton.progs.on_entry, skeleton.progs.on_exit})
    if (const int error = bpf_program__set_attach_target(ours, counted.get(), function->c_str()); error != 0)
      return fail_errno(fmt::format("cannot attach to BPF program {} ({})", program, *function), -error);
  if (const int error = program_count__load(&skeleton); error != 0)
    return fail_errno(fmt::format("cannot attach to BPF program {} ({})", program, *function), -error);
  if (const int error = program_count__attach(&skeleton); error != 0)
    return fail_errno(fmt::format("cannot attach to BPF program {} ({})", program, *function), -error);
  return counter;
}

void ProgramCounter::enable(bool on) { skeleton_->bss->running = on ? 1 : 0; }

void ProgramCounter::read(std::size_t event, const CpuList& cpus, std::vector<CounterReading>& readings) const {
  std::vector<bpf_perf_event_value> by_cpu(static_cast<std::size_t>(std::max(libbpf_num_possible_cpus(), 1)));
  const u32 first = 0;
  if (bpf_map_lookup_elem(bpf_map__fd(skeleton_->maps.sums), &first, by_cpu.data()) != 0) return;
  for (const int cpu : cpus) {
    if (static_cast<std::size_t>(cpu) >= by_cpu.size()) continue;
    const bpf_perf_event_value& sum = by_cpu[static_cast<std::size_t>(cpu)];
    readings.push_back({event, cpu, -1, sum.counter, sum.enabled, sum.running});
  }
}

}  // namespace peregrine
