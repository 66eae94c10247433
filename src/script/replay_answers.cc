#include "script/replay_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/data_source.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "insn/instruction.h"
#include "machine/dso/dso.h"
#include "machine/process/address_space.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "symbol/dwarf/source_lines.h"
#include "symbol/table/symbol_table.h"

namespace peregrine::script {

ReplayAnswers::ReplayAnswers(const DsoTable& dsos, SourceTable& sources, abi::Arch arch, unsigned max_stack,
                             Settings settings)
    : sources_(sources),
      arch_(arch),
      max_stack_(max_stack),
      settings_(std::move(settings)),
      reader_(dsos),
      texts_({.symfs = dsos.places().search.symfs, .prefix = {}, .prefix_strip = 0}, dsos.places().search.failures) {}

std::string ReplayAnswers::comm() { return std::string(resolver_->comm(sample_->context)); }

std::span<const ChainFrame> ReplayAnswers::chain() {
  if (sample_->sample.callchain.empty()) return {};
  frames_.clear();
  ips_.clear();
  resolver_->chain(sample_->context, sample_->sample.callchain, max_stack_, frames_, &ips_);
  chain_.clear();
  for (std::size_t i = 0; i < frames_.size(); ++i) chain_.push_back({ips_[i], frames_[i]});
  return chain_;
}

PlaceAnswer ReplayAnswers::frame(FrameId id) {
  const Frame& frame = resolver_->at(id);
  PlaceAnswer place{.address = frame.address};
  if (!frame.dso) return place;
  const DsoTable& dsos = resolver_->machine().dsos();
  place.dso = dsos.at(frame.dso).name;
  if (!frame.symbol) return place;
  const SymbolTable& table = dsos.symbols(frame.dso);
  const u64 bias = dsos.bias(frame.dso);
  place.symbol = SymbolAnswer{.name = resolver_->symbol_name(frame),
                              .start = table.start(frame.symbol) - bias,
                              .end = table.end(frame.symbol) - bias,
                              .binding = static_cast<u8>(table.at(frame.symbol).binding)};
  return place;
}

void ReplayAnswers::add_map(PlaceAnswer& place, u64 address, bool kernel) const {
  const SpaceVersion& space = kernel ? sample_->context.kernel : sample_->context.space;
  const AddressSpaces& spaces = resolver_->machine().spaces();
  const MapId map = spaces.find(space.space, space.number, address);
  if (!map) return;
  place.map_start = spaces.at(map).start;
  place.map_end = spaces.at(map).end;
}

// Returns the recorded build-id. If none was recorded, returns that of the file that provides the symbols.
const std::string& ReplayAnswers::build_id(DsoId dso) {
  const auto [at, fresh] = build_ids_.try_emplace(dso);
  if (!fresh) return at->second;
  const DsoTable& dsos = resolver_->machine().dsos();
  at->second = dsos.at(dso).build_id.hex();
  if (at->second.empty() && dsos.at(dso).kind == DsoKind::File) {
    if (const auto file = dsos.open_code(dso)) at->second = file->build_id().hex();
  }
  return at->second;
}

PlaceAnswer ReplayAnswers::code() {
  const FrameId id = resolver_->frame(sample_->context, sample_->sample.ip, sample_->sample.cpumode());
  PlaceAnswer place = frame(id);
  const Frame& found = resolver_->at(id);
  if (!found.dso) return place;
  add_map(place, sample_->sample.ip, found.kind == FrameKind::Kernel);
  place.build_id = build_id(found.dso);
  return place;
}

const Frame& ReplayAnswers::frame_anywhere(u64 address) {
  const u16 own = sample_->sample.cpumode();
  const bool guest = own > abi::misc_bit::User;
  return resolver_->at(guest ? resolver_->frame(sample_->context, address, own)
                             : resolver_->frame_anywhere(sample_->context, address));
}

PlaceAnswer ReplayAnswers::place(u64 address) {
  const u16 own = sample_->sample.cpumode();
  const FrameId id = own > abi::misc_bit::User ? resolver_->frame(sample_->context, address, own)
                                               : resolver_->frame_anywhere(sample_->context, address);
  PlaceAnswer place = frame(id);
  const Frame& found = resolver_->at(id);
  if (!found.dso) return place;
  add_map(place, address, found.kind == FrameKind::Kernel);
  place.build_id = build_id(found.dso);
  return place;
}

std::string ReplayAnswers::registers(const abi::Registers& registers) {
  std::string text;
  std::size_t next = 0;
  for (unsigned bit = 0; bit < 64 && next < registers.values.size(); ++bit) {
    if ((registers.mask >> bit & 1) == 0) continue;
    const std::string_view name = abi::register_name(arch_, bit);
    fmt::format_to(std::back_inserter(text), "{:>5}:0x{:x} ", name.empty() ? "unknown" : name,
                   registers.values[next++]);
  }
  return text;
}

std::string ReplayAnswers::data_source(u64 word) {
  const abi::DataSource source = abi::decode_data_source(word);
  return fmt::format("|OP {}|LVL {}|SNP {}|TLB {}|LCK {}|BLK {}", abi::operation_text(source), abi::level_text(source),
                     abi::snoop_text(source), abi::tlb_text(source), abi::lock_text(source), abi::block_text(source));
}

Bytes ReplayAnswers::instruction() {
  const Frame& at = frame_anywhere(sample_->sample.ip);
  const std::size_t got = reader_.read(at, bytes_);
  if (got == 0) return {};
  if (!disassembler_asked_) {
    disassembler_asked_ = true;
    if (auto opened = open_disassembler(reader_.isa(at.dso))) disassembler_ = std::move(*opened);
  }
  Instruction instruction;
  const std::span<const std::byte> bytes(bytes_.data(), got);
  if (!disassembler_ || !disassembler_->decode(bytes, sample_->sample.ip, instruction) || !instruction.valid) return {};
  return bytes.first(std::min<std::size_t>(instruction.size, got));
}

Answers::SourceAnswer ReplayAnswers::source(u64 address, bool with_text) {
  const Frame& at = frame_anywhere(address);
  const SourceLines* lines = at.dso ? sources_.lines(at.dso) : nullptr;
  const auto place = lines != nullptr ? sources_.virtual_address(at) : std::nullopt;
  const SourceLine line = place ? lines->find(*place) : SourceLine();
  if (!line || line.line == 0) return {};
  SourceAnswer answer{.path = std::string(lines->file_path(line.file)), .line = line.line, .text = {}};
  if (!with_text) return answer;
  const std::vector<std::string>* text = texts_.find(answer.path);
  if (text != nullptr && line.line <= text->size()) answer.text = (*text)[line.line - 1];
  return answer;
}

}  // namespace peregrine::script
