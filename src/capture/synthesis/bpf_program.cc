#include "capture/synthesis/bpf_program.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace peregrine {
namespace {

long bpf(int command, bpf_attr& attr) { return ::syscall(SYS_bpf, command, &attr, sizeof attr); }

}  // namespace

std::optional<u32> next_bpf_program(u32 id) {
  bpf_attr attr{};
  attr.start_id = id;
  if (bpf(BPF_PROG_GET_NEXT_ID, attr) != 0) return std::nullopt;
  return attr.next_id;
}

Fd open_bpf_program(u32 id) {
  bpf_attr attr{};
  attr.prog_id = id;
  return Fd(static_cast<int>(bpf(BPF_PROG_GET_FD_BY_ID, attr)));
}

bool read_bpf_information(const Fd& program, bpf_prog_info& information) {
  if (!program) return false;
  bpf_attr attr{};
  attr.info.bpf_fd = static_cast<u32>(program.get());
  attr.info.info_len = sizeof information;
  attr.info.info = reinterpret_cast<u64>(&information);
  return bpf(BPF_OBJ_GET_INFO_BY_FD, attr) == 0;
}

}  // namespace peregrine
