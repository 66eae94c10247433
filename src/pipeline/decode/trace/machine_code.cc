#include "pipeline/decode/trace/machine_code.h"

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "abi/record.h"
#include "base/bytes.h"
#include "base/types.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"
#include "machine/process/moment.h"
#include "machine/process/thread_table.h"

namespace peregrine {

using auxtrace::Block;

void MachineCode::set_thread(u32 pid, u32 tid, Moment moment) {
  moment_ = moment;
  change_thread(pid, tid);
}

u32 MachineCode::process_of(u32 tid) const {
  constexpr u32 kAny = ~u32{0};
  const ThreadState state = resolver_.machine().thread(kAny, tid, moment_);
  return state.thread.valid() ? state.pid : tid;
}

std::size_t MachineCode::read(u64 ip, std::span<std::byte> out) {
  const Frame& frame = resolver_.at(resolver_.frame(context_, ip, cpumode(ip)));
  return frame.dso ? reader_.read(frame, out) : 0;
}

u16 MachineCode::cpumode(u64 ip) const { return ip >= kernel_start_ ? abi::misc_bit::Kernel : abi::misc_bit::User; }

Disassembler* MachineCode::disassembler(unsigned bits) {
  std::unique_ptr<Disassembler>& one = bits == 64 ? wide_ : narrow_;
  if (!one) {
    if (auto opened = open_disassembler(bits == 64 ? Isa::X86_64 : Isa::I386)) one = std::move(*opened);
  }
  return one.get();
}

Block MachineCode::read(const Frame& frame, u64 ip, unsigned bits) {
  constexpr std::size_t kMost = 512;
  std::array<std::byte, kMost> bytes{};
  Disassembler* const words = disassembler(bits);
  const std::size_t size = words == nullptr ? 0 : reader_.read(frame, bytes);
  return size == 0 ? Block() : auxtrace::make_block(*words, Bytes(bytes).first(size), ip);
}

const Block* MachineCode::find(u64 ip, unsigned bits) {
  const Frame& frame = resolver_.at(resolver_.frame(context_, ip, cpumode(ip)));
  if (!frame.dso) return nullptr;
  if (bits == kBitsOfFile) bits = reader_.isa(frame.dso) == Isa::I386 ? 32 : 64;
  if (blocks_.size() == kMostBlocks) {
    slots_.assign(kSlots, {});
    blocks_.clear();
  }
  const auto [at, fresh] = blocks_.try_emplace(Key{frame.address, frame.dso.value, bits});
  if (fresh) at->second = std::make_unique<Block>(read(frame, ip, bits));
  return at->second.get();
}

const Block* MachineCode::block(u64 ip, unsigned bits) {
  const u32 version = (ip >= kernel_start_ ? context_.kernel : context_.space).number;
  Slot& slot = slots_[(ip ^ ip >> 14) % kSlots];
  if (slot.ip != ip || slot.version != version || slot.bits != bits || slot.block == nullptr)
    slot = {ip, version, bits, find(ip, bits)};
  return slot.block;
}

}  // namespace peregrine
