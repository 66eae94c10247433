#include "capture/synthesis/bpf.h"

#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/fd.h"
#include "capture/synthesis/record_encoder.h"

namespace peregrine {
namespace {

constexpr u32 kMaxFunctions = 4096;

long bpf(int command, bpf_attr& attr) { return ::syscall(SYS_bpf, command, &attr, sizeof attr); }

struct Program {
  u32 id = 0;
  std::string tag;   // hex
  std::string name;  // of the program; may be empty
  u8 tag_bytes[BPF_TAG_SIZE] = {};
  std::vector<u64> addresses;  // of its functions
  std::vector<u32> lengths;
};

bool read_information(int fd, bpf_prog_info& information) {
  bpf_attr attr{};
  attr.info.bpf_fd = static_cast<u32>(fd);
  attr.info.info_len = sizeof information;
  attr.info.info = reinterpret_cast<u64>(&information);
  return bpf(BPF_OBJ_GET_INFO_BY_FD, attr) == 0;
}

bool read_program(u32 id, Program& program) {
  bpf_attr attr{};
  attr.prog_id = id;
  const Fd fd(static_cast<int>(bpf(BPF_PROG_GET_FD_BY_ID, attr)));
  bpf_prog_info counts{};
  if (!fd || !read_information(fd.get(), counts)) return false;
  const u32 functions = std::min(counts.nr_jited_ksyms, kMaxFunctions);
  if (functions == 0) return false;
  program.id = id;
  program.addresses.resize(functions);
  program.lengths.resize(functions);
  bpf_prog_info information{};
  information.nr_jited_ksyms = functions;
  information.jited_ksyms = reinterpret_cast<u64>(program.addresses.data());
  information.nr_jited_func_lens = functions;
  information.jited_func_lens = reinterpret_cast<u64>(program.lengths.data());
  if (!read_information(fd.get(), information)) return false;
  program.name.assign(information.name, ::strnlen(information.name, sizeof information.name));
  std::memcpy(program.tag_bytes, information.tag, sizeof program.tag_bytes);
  for (const u8 byte : program.tag_bytes) program.tag += fmt::format("{:02x}", byte);
  return program.addresses.front() != 0;  // hidden by kptr_restrict
}

void put_program(const Program& program, std::size_t trailer_size, ByteWriter& out) {
  for (std::size_t index = 0; index < program.addresses.size(); ++index) {
    RecordEncoder record(out, abi::RecordType::Ksymbol, 0);
    record.body().put64(program.addresses[index]).put32(program.lengths[index]);
    record.body().put16(PERF_RECORD_KSYMBOL_TYPE_BPF).put16(0);
    const bool named = index == 0 && !program.name.empty();
    record.text(fmt::format("bpf_prog_{}_{}", program.tag, named ? program.name : "F"));
    record.end(trailer_size);
  }
  RecordEncoder record(out, abi::RecordType::BpfEvent, 0);
  record.body().put16(PERF_BPF_EVENT_PROG_LOAD).put16(0).put32(program.id);
  record.body().append(std::as_bytes(std::span(program.tag_bytes)));
  record.end(trailer_size);
}

}  // namespace

void synthesize_bpf_programs(std::size_t trailer_size, ByteWriter& out) {
  bpf_attr attr{};
  while (bpf(BPF_PROG_GET_NEXT_ID, attr) == 0) {
    const u32 id = attr.next_id;
    Program program;
    if (read_program(id, program)) put_program(program, trailer_size, out);
    attr = {};
    attr.start_id = id;
  }
}

}  // namespace peregrine
