#include "analysis/data_type/image_types.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "analysis/data_type/code_blocks.h"
#include "analysis/data_type/data_access.h"
#include "analysis/data_type/fixed_variables.h"
#include "analysis/data_type/known_value.h"
#include "analysis/data_type/thread_variables.h"
#include "base/bytes.h"
#include "base/types.h"
#include "insn/data_flow.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "probe/point/line_walk.h"
#include "probe/type/dwarf_types.h"
#include "symbol/cfi/compile_cfi.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/dwarf/source_lines.h"
#include "symbol/elf/elf_file.h"
#include "symbol/lookup/debug_file.h"

namespace peregrine {
namespace {

constexpr std::size_t kLongestInstruction = 16;

SourceSearch source_search(const DsoTable& dsos, DsoId dso) {
  const DebugSearch& where = dsos.places().search;
  return {.dso_path = where.symfs + where.below(dsos.at(dso).path),
          .symfs = where.symfs,
          .debug_folder = where.debug_folder,
          .failures = where.failures};
}

}  // namespace

ImageTypes::ImageTypes(const DsoTable& dsos, DsoId dso) : dsos_(dsos), dso_(dso) {
  auto code = CodeImage::open(dsos, dso);
  if (!code) return;
  const Isa isa = isa_of_elf(code->file().machine(), code->file().is_64());
  auto disassembler = open_disassembler(isa, Syntax::Att, code->file().order());
  code_ = std::move(*code);
  if (!disassembler) return;
  disassembler_ = std::move(*disassembler);
  open_debug();
}

void ImageTypes::open_debug() {
  auto file = dsos_.open_debug(dso_);
  if (!file) return;
  const u64 bias = dsos_.image_bias(dso_, *file);
  auto debug = DebugInformation::open(std::move(*file), source_search(dsos_, dso_));
  if (!debug) return;
  debug_ = std::move(*debug);
  const bool kernel = dsos_.at(dso_).is_kernel();
  if (kernel) debug_bias_ = bias - code_->virtual_address(0).value_or(0);
  // The kernel may run at other addresses than it was linked for. All look-ups use the addresses in the debug file, so
  // its CFI fits too.
  frames_ = kernel ? compile_cfi(debug_->file()) : compile_cfi(code_->file(), &debug_->file());
  if (auto symbols = load_elf_symbols(debug_->file(), ElfAddresses::Virtual)) symbols_ = std::move(*symbols);
}

std::size_t ImageTypes::read(u64 address, std::span<std::byte> out) const {
  const ElfFile& file = code_->file();
  const auto offset = code_->file_offset(address - debug_bias_);
  if (!offset || *offset >= file.file_size()) return 0;
  const std::span<std::byte> there = out.first(std::min<u64>(out.size(), file.file_size() - *offset));
  return file.read_into(*offset, there) ? there.size() : 0;
}

DataAccess ImageTypes::find(u64 address) {
  const auto virtual_address = code_ ? code_->virtual_address(address) : std::nullopt;
  if (!virtual_address) return unknown_access(UnknownType::NoCode);
  if (!disassembler_) return unknown_access(UnknownType::NotDecoded);
  const u64 at = *virtual_address + debug_bias_;
  if (!debug_) return without_types(at, UnknownType::NoDebug);
  const FunctionAccesses* function = function_covering(at);
  if (function == nullptr) return without_types(at, UnknownType::NoFunction);
  const DataAccess* access = function->find(at);
  return access == nullptr ? unknown_access(UnknownType::NotDecoded) : *access;
}

std::string ImageTypes::mnemonic(u64 address) {
  const auto virtual_address = code_ && disassembler_ ? code_->virtual_address(address) : std::nullopt;
  if (!virtual_address) return {};
  std::array<std::byte, kLongestInstruction> bytes;
  const u64 at = *virtual_address + debug_bias_;
  const std::size_t count = read(at, bytes);
  Instruction instruction;
  if (!disassembler_->decode(Bytes(bytes).first(count), at, instruction)) return {};
  return instruction.mnemonic.substr(0, instruction.mnemonic.find(' '));
}

DataAccess ImageTypes::without_types(u64 address, UnknownType why) {
  std::array<std::byte, kLongestInstruction> bytes;
  const std::size_t count = read(address, bytes);
  DataFlow flow;
  if (!disassembler_->data_flow(Bytes(bytes).first(count), address, flow))
    return unknown_access(UnknownType::NotDecoded);
  return access_without_types(flow, why);
}

const FunctionAccesses* ImageTypes::function_covering(u64 address) {
  const auto next = functions_.upper_bound(address);
  if (next != functions_.begin())
    if (const Followed& known = std::prev(next)->second; address < known.end) return &accesses_[known.function];
  const EntryUnit* unit = debug_->unit_covering(address);
  const DebugEntry function = unit == nullptr ? DebugEntry() : function_at(*unit, address);
  if (!function) return nullptr;
  // Following values through the code of a function is the expensive step, so it is done once for all addresses in it.
  accesses_.push_back(follow(function));
  for (const AddressRange& range : function.ranges())
    functions_.try_emplace(range.begin, Followed{range.end, accesses_.size() - 1});
  return &accesses_.back();
}

FunctionAccesses ImageTypes::follow(DebugEntry function) {
  const CodeBlocks code = read_code_blocks(
      function.ranges(), [this](u64 address, std::span<std::byte> out) { return read(address, out); }, *disassembler_);
  const FollowedFunction followed{.entry = function,
                                  .machine = debug_->file().machine(),
                                  .frames = frames_,
                                  .fixed = fixed_of(function.unit()),
                                  .thread = [this]() -> const ThreadVariables& { return thread(); },
                                  .result_of = [this](u64 callee) { return result_of(callee); }};
  return FunctionAccesses::follow(followed, code);
}

const FixedVariables& ImageTypes::fixed_of(const EntryUnit& unit) {
  std::unique_ptr<FixedVariables>& known = fixed_[&unit];
  if (!known) known = std::make_unique<FixedVariables>(unit, symbols_);
  return *known;
}

const ThreadVariables& ImageTypes::thread() {
  if (!thread_) thread_ = std::make_unique<ThreadVariables>(*debug_);
  return *thread_;
}

KnownValue ImageTypes::result_of(u64 callee) {
  const auto [known, added] = results_.try_emplace(callee);
  if (!added) return known->second;
  const EntryUnit* unit = debug_->unit_covering(callee);
  const DebugEntry function = unit == nullptr ? DebugEntry() : function_at(*unit, callee);
  if (function && function.entry_address() == callee && function.type())
    known->second = value_of_type(DwarfTypes(*unit), DwarfTypes::ref(function.type()));
  return known->second;
}

}  // namespace peregrine
