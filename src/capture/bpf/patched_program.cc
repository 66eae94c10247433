#include "capture/bpf/patched_program.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include <expected>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

Result<std::vector<bpf_insn>> patched_code(std::span<const bpf_insn> original, std::span<const Patch> patches) {
  std::vector<bpf_insn> code(original.begin(), original.end());
  for (const Patch& patch : patches) {
    unsigned places = 0;
    for (bpf_insn& instruction : code) {
      if (instruction.imm != patch.mark || instruction.code == (BPF_LD | BPF_IMM | BPF_DW)) continue;
      instruction.imm = patch.value;
      ++places;
    }
    if (places != 1) return fail(ErrorKind::Unsupported, "a BPF program has {} places for a number", places);
  }
  return code;
}

Result<Fd> load_patched(const bpf_program* original, std::span<const Patch> patches) {
  const auto code = patched_code({bpf_program__insns(original), bpf_program__insn_cnt(original)}, patches);
  if (!code) return std::unexpected(code.error());
  const int fd = bpf_prog_load(bpf_program__type(original), bpf_program__name(original), "GPL", code->data(),
                               code->size(), nullptr);
  if (fd < 0) return fail_errno("cannot load a BPF program", -fd);
  return Fd(fd);
}

u64 missed_runs(int program) {
  bpf_prog_info info{};
  u32 size = sizeof info;
  return program >= 0 && bpf_obj_get_info_by_fd(program, &info, &size) == 0 ? info.recursion_misses : 0;
}

}  // namespace peregrine
