// MachineCode: the code of a machine's threads as blocks, for decoders of instruction traces.
//
// Blocks are cached by dso, so that code mapped by many processes is read once. One worker.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "auxtrace/intel_pt/block.h"
#include "base/types.h"
#include "insn/disassembler.h"
#include "machine/machine.h"
#include "machine/process/moment.h"
#include "machine/resolver/code_reader.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

class MachineCode : public auxtrace::CodeSource {
 public:
  // `machine` must outlive this. Addresses from `kernel_start` up are the kernel's.
  MachineCode(const Machine& machine, u64 kernel_start)
      : resolver_(machine), reader_(machine.dsos()), kernel_start_(kernel_start) {}

  // Sets the thread and time of the following queries.
  void set_thread(u32 pid, u32 tid, Moment moment);
  // Sets another thread at the same time.
  void change_thread(u32 pid, u32 tid) { context_ = resolver_.context(pid, tid, moment_); }
  // Process of a thread, as far as known; the tid itself if unknown.
  u32 process_of(u32 tid) const;
  // Reads code; returns the number of bytes available.
  std::size_t read(u64 ip, std::span<std::byte> out);
  u16 cpumode(u64 ip) const;
  // Uses the bits of the code's file, or 64 if unknown.
  static constexpr unsigned kBitsOfFile = 0;
  const auxtrace::Block* block(u64 ip, unsigned bits) override;

 private:
  struct Key {
    u64 address = 0;
    u32 dso = 0;
    unsigned bits = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return (key.address ^ u64{key.dso} << 48 ^ u64{key.bits}) * 0x9e3779b97f4a7c15ull;
    }
  };
  // Cache of the last lookup per slot.
  struct Slot {
    u64 ip = 0;
    u32 version = 0;
    unsigned bits = 0;
    const auxtrace::Block* block = nullptr;
  };

  const auxtrace::Block* find(u64 ip, unsigned bits);
  auxtrace::Block read(const Frame& frame, u64 ip, unsigned bits);
  Disassembler* disassembler(unsigned bits);

  static constexpr std::size_t kSlots = 1u << 14;
  static constexpr std::size_t kMostBlocks = 1u << 20;  // limit; all are dropped when it is reached
  Resolver resolver_;
  CodeReader reader_;
  u64 kernel_start_;
  Resolver::Context context_;
  Moment moment_ = 0;
  std::vector<Slot> slots_ = std::vector<Slot>(kSlots);
  std::unordered_map<Key, std::unique_ptr<auxtrace::Block>, KeyHash> blocks_;
  std::unique_ptr<Disassembler> wide_, narrow_;
};

}  // namespace peregrine
