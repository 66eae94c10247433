#include "capture/synthesis/bpf.h"

#include <fmt/format.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "abi/record_rows.h"
#include "base/fd.h"
#include "base/types.h"
#include "capture/synthesis/bpf_program.h"
#include "capture/synthesis/record_encoder.h"

namespace peregrine {
namespace {

constexpr u32 kMaxFunctions = 4096;

struct Program {
  u32 id = 0;
  std::string tag;   // hex
  std::string name;  // may be empty
  u8 tag_bytes[BPF_TAG_SIZE] = {};
  std::vector<u64> addresses;  // start of each function
  std::vector<u32> lengths;
};

bool read_program(u32 id, Program& program) {
  const Fd fd = open_bpf_program(id);
  bpf_prog_info counts{};
  if (!read_bpf_information(fd, counts)) return false;
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
  if (!read_bpf_information(fd, information)) return false;
  program.name.assign(information.name, ::strnlen(information.name, sizeof information.name));
  std::memcpy(program.tag_bytes, information.tag, sizeof program.tag_bytes);
  for (const u8 byte : program.tag_bytes) program.tag += fmt::format("{:02x}", byte);
  return program.addresses.front() != 0;  // 0 if kptr_restrict hides it
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
  for (auto id = next_bpf_program(0); id; id = next_bpf_program(*id)) {
    Program program;
    if (read_program(*id, program)) put_program(program, trailer_size, out);
  }
}

}  // namespace peregrine
