// ReplayAnswers: implements Answers with the resolver of the replay's only worker.
#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "insn/disassembler.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "machine/resolver/code_reader.h"
#include "machine/resolver/resolver.h"
#include "machine/source/source_table.h"
#include "machine/source/source_text.h"
#include "pipeline/replay/replay.h"
#include "script/answers.h"

namespace peregrine::script {

class ReplayAnswers : public Answers {
 public:
  using Settings = std::function<std::optional<std::string>(std::string_view)>;
  // Both must outlive this.
  ReplayAnswers(const DsoTable& dsos, SourceTable& sources, abi::Arch arch, unsigned max_stack, Settings settings);

  // Sets the current sample.
  void take(const ReplaySample& sample, Resolver& resolver) {
    sample_ = &sample;
    resolver_ = &resolver;
  }
  // Whether the recorded machine is 64-bit.
  bool is_64_bit() const { return arch_ != abi::Arch::Arm; }
  // Reads code at an address; returns the number of bytes available.
  std::size_t code_at(u64 address, std::span<std::byte> out) { return reader_.read(frame_anywhere(address), out); }

  std::string comm() override;
  std::span<const ChainFrame> chain() override;
  PlaceAnswer frame(FrameId frame) override;
  PlaceAnswer code() override;
  PlaceAnswer place(u64 address) override;
  std::string registers(const abi::Registers& registers) override;
  std::string data_source(u64 word) override;
  Bytes instruction() override;
  SourceAnswer source(u64 address, bool with_text) override;
  std::string_view syscall_name(u32 number) override { return abi::syscall_name(arch_, number); }
  std::optional<std::string> setting(std::string_view key) override { return settings_(key); }

 private:
  const Frame& frame_anywhere(u64 address);
  const std::string& build_id(DsoId dso);
  void add_map(PlaceAnswer& place, u64 address, bool kernel) const;

  SourceTable& sources_;
  std::unordered_map<DsoId, std::string> build_ids_;
  abi::Arch arch_;
  unsigned max_stack_;
  Settings settings_;
  CodeReader reader_;
  SourceTexts texts_;
  std::unique_ptr<Disassembler> disassembler_;
  bool disassembler_asked_ = false;
  const ReplaySample* sample_ = nullptr;
  Resolver* resolver_ = nullptr;
  std::vector<FrameId> frames_;
  std::vector<u64> ips_;
  std::vector<ChainFrame> chain_;
  std::array<std::byte, 16> bytes_{};
};

}  // namespace peregrine::script
