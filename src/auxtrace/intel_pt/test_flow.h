// Helpers for flow tests: code from bytes, and a FlowDecoder's output as lines of text.
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "abi/branch_flag.h"
#include "auxtrace/intel_pt/block.h"
#include "auxtrace/intel_pt/flow.h"
#include "auxtrace/intel_pt/packet.h"
#include "auxtrace/intel_pt/pebs_record.h"
#include "base/bytes.h"
#include "base/types.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"

namespace peregrine::auxtrace {

inline constexpr u64 kFlowCode = 0x401000;
inline constexpr const char* kFlowProgram =
    "90"                  // 401000  nop
    "7403"                //     01  je 06
    "90"                  //     03  nop
    "eb02"                //     04  jmp 08
    "9090"                //     06  nop; nop
    "e813000000"          //     08  call 20
    "ffe0"                //     0d  jmp *%rax
    "90"                  //     0f  nop
    "0f05"                //     10  syscall
    "90"                  //     12  nop
    "ebeb"                //     13  jmp 00
    "ebf9"                //     15  jmp 10
    "060606060606060606"  //   17  no instructions
    "90"                  //     20  nop
    "c3"                  //     21  ret
    "ebfe"                //     22  jmp 22
    "ffd0"                //     24  call *%rax
    "75fc"                //     26  jne 24
    "e8f3ffffff"          //     28  call 20
    "ffd0"                //     2d  call *%rax
    "c3"                  //     2f  ret
    "9090909090909090"    //     30  the end of what is known
    "90909090909090909090909090909090";

// The same code in any of the bit widths.
class BytesOfCode : public CodeSource {
 public:
  BytesOfCode(u64 start, std::vector<std::byte> bytes) : start_(start), bytes_(std::move(bytes)) {
    if (auto opened = open_disassembler(Isa::X86_64)) disassembler_ = std::move(*opened);
  }

  const Block* block(u64 ip, unsigned) override {
    ++asked_;
    if (ip < start_ || ip - start_ >= bytes_.size() || !disassembler_) return nullptr;
    const auto [at, fresh] = blocks_.try_emplace(ip);
    if (fresh) at->second = make_block(*disassembler_, Bytes(bytes_).subspan(ip - start_), ip);
    return &at->second;
  }
  u64 asked() const { return asked_; }

 private:
  u64 start_;
  std::vector<std::byte> bytes_;
  std::unique_ptr<Disassembler> disassembler_;
  std::map<u64, Block> blocks_;
  u64 asked_ = 0;
};

// "1001 → 1006 jcc", "psb 1000", "error 6 1003"; executed instructions are only counted.
class FlowText : public FlowSink {
 public:
  void executed(u64 ip, const Block& block, u32 first, u32 last, u32) override {
    if (first >= last || last > block.instructions()) lines_.push_back(fmt::format("executed nothing at {:x}", ip));
    instructions_ += last - first;
  }
  void branch(const Branch& branch) override {
    using namespace abi::branch_flag;
    constexpr std::pair<u32, const char*> kNames[] = {
        {Call, "call"},     {Return, "return"}, {Conditional, "jcc"},  {Syscall, "syscall"}, {Async, "async"},
        {Interrupt, "int"}, {Abort, "abort"},   {TraceBegin, "begin"}, {TraceEnd, "end"},    {InTransaction, "tx"}};
    std::string line = fmt::format("{:x} → {:x}", branch.from, branch.to);
    for (const auto& [bit, name] : kNames) {
      if ((branch.flags & bit) != 0) line.append(" ").append(name);
    }
    lines_.push_back(std::move(line));
  }
  void event(const Packet& packet, u64 ip) override {
    if (packet.type == PacketType::Psb) {
      lines_.push_back(fmt::format("psb {:x}", ip));
    } else {
      lines_.push_back(fmt::format("event {} {:x} {:x}", static_cast<int>(packet.type), packet.payload, ip));
    }
  }
  void pebs(const PebsRecord& record, u64 ip) override {
    const auto hex = [](std::optional<u64> value) { return value ? fmt::format("{:x}", *value) : std::string("none"); };
    lines_.push_back(fmt::format("pebs ip {} counters {} address {} ax {} at {:x}",
                                 hex(record.item(PebsRecord::Basic, 0)), hex(record.item(PebsRecord::Basic, 1)),
                                 hex(record.item(PebsRecord::Memory, 0)), hex(record.item(PebsRecord::Registers, 2)),
                                 ip));
  }
  void error(FlowError error, u64 ip) override {
    lines_.push_back(fmt::format("error {} {:x}", static_cast<int>(error), ip));
  }

  const std::vector<std::string>& lines() const { return lines_; }
  u64 instructions() const { return instructions_; }

 private:
  std::vector<std::string> lines_;
  u64 instructions_ = 0;
};

}  // namespace peregrine::auxtrace
