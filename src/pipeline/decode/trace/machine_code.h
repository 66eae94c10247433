// MachineCode: the code that a thread of a machine runs, as the blocks that a decoder of instruction traces asks for.
//
// Blocks are kept by dso, so that code which many processes map is read once. One worker.
#pragma once
#include <memory>
#include <unordered_map>
#include <vector>

#include "auxtrace/intel_pt/block.h"
#include "machine/resolver/code_reader.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

class MachineCode : public auxtrace::CodeSource {
 public:
  // `machine` outlives it. Addresses from `kernel_start` on are the kernel's.
  MachineCode(const Machine& machine, u64 kernel_start)
      : resolver_(machine), reader_(machine.dsos()), kernel_start_(kernel_start) {}

  // Whose code is asked for next, and when.
  void set_thread(u32 pid, u32 tid, Moment moment);
  // The same at the same time, of another thread.
  void change_thread(u32 pid, u32 tid) { context_ = resolver_.context(pid, tid, moment_); }
  // As far as is known by then; the thread itself where nothing is.
  u32 process_of(u32 tid) const;
  // How many bytes of code there are at an address.
  std::size_t read(u64 ip, std::span<std::byte> out);
  u16 cpumode(u64 ip) const;
  // Code has as many bits as its file says, 64 where that says nothing.
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
  // The last answer for addresses that fall into the slot.
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
  static constexpr std::size_t kMostBlocks = 1u << 20;  // then all are forgotten
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
