#include "output/text/field/script_code.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "insn/instruction.h"
#include "machine/dso/dso.h"
#include "machine/resolver/resolver.h"
#include "output/text/field/script_field_rows.h"
#include "output/text/field/script_frames.h"
#include "output/text/format/printable.h"
#include "symbol/dwarf/source_lines.h"

namespace peregrine {
namespace {

namespace f = script_field;

}  // namespace

ScriptCode::ScriptCode(const DsoTable& dsos, SourceTable* sources, bool mnemonics)
    : sources_(sources),
      mnemonics_(mnemonics),
      reader_(dsos),
      texts_({.symfs = dsos.places().search.symfs, .prefix = {}, .prefix_strip = 0}, dsos.places().search.failures) {}
ScriptCode::~ScriptCode() = default;

CodeBytes ScriptCode::read(const ReplaySample& sample, Resolver& resolver, u64 address, std::size_t size) {
  const Frame& frame = frame_anywhere(resolver, sample, address);
  bytes_.resize(size);
  const std::size_t got = reader_.read(frame, bytes_);
  return {.bytes = std::span(bytes_).first(got), .address = address, .isa = reader_.isa(frame.dso)};
}

bool ScriptCode::decode(const CodeBytes& code, Instruction& instruction) {
  if (code.bytes.empty()) return false;
  const auto [at, fresh] = disassemblers_.try_emplace(code.isa);
  if (fresh) {
    if (auto opened = open_disassembler(code.isa)) at->second = std::move(*opened);
  }
  if (!at->second || !at->second->decode(code.bytes, code.address, instruction)) return false;
  return instruction.valid && instruction.size != 0 && instruction.size <= code.bytes.size();
}

void ScriptCode::append_instruction(std::string& text, const CodeBytes& code, const Instruction& instruction,
                                    bool words) const {
  if (words) {
    text += instruction.mnemonic;
    if (!instruction.operands.empty()) fmt::format_to(std::back_inserter(text), " {}", instruction.operands);
    return;
  }
  text += "insn: ";
  for (const std::byte byte : code.bytes.first(instruction.size))
    fmt::format_to(std::back_inserter(text), "{:02x} ", static_cast<unsigned>(byte));
}

void ScriptCode::put_instruction(ScriptText& out, const ReplaySample& sample, Resolver& resolver, u64 fields) {
  const CodeBytes code = read(sample, resolver, sample.sample.ip, kLongestInstruction);
  const bool known = decode(code, instruction_);
  text_.clear();
  if ((fields & f::InsnLen) != 0) fmt::format_to(std::back_inserter(text_), " ilen: {}", known ? instruction_.size : 0);
  if (known && (fields & f::Insn) != 0) {
    text_ += ' ';
    append_instruction(text_, code, instruction_, mnemonics_);
    if (text_.ends_with(' ')) text_.pop_back();
  }
  if (known && (fields & f::Disasm) != 0) {
    text_ += "\t\t";
    append_instruction(text_, code, instruction_, true);
  }
  out.room(text_.size());
  out.put(text_);
}

void ScriptCode::append_source_line(std::string& text, const Frame& frame) {
  if (sources_ == nullptr || !frame.dso) return;
  const SourceTextId line = sources_->line(frame);
  if (!line) return;
  text += '\t';
  append_printable(text, sources_->text(line));
}

void ScriptCode::put_source_text(ScriptText& out, const ReplaySample& sample, Resolver& resolver, u64 address) {
  if (sources_ == nullptr) return;
  const Frame& frame = frame_anywhere(resolver, sample, address);
  const SourceLines* lines = frame.dso ? sources_->lines(frame.dso) : nullptr;
  const auto place = lines != nullptr ? sources_->virtual_address(frame) : std::nullopt;
  const SourceLine line = place ? lines->find(*place) : SourceLine();
  if (!line || line.line == 0) return;
  const std::string_view path = lines->file_path(line.file);
  Line& shown = shown_[sample.sample.tid];
  if (shown.number == line.line && shown.path == path) return;
  const std::vector<std::string>* text = texts_.find(path);
  if (text == nullptr || line.line > text->size()) return;
  shown = {std::string(path), line.line};
  text_.clear();
  fmt::format_to(std::back_inserter(text_), "|{:<8} ", line.line);
  text_ += printable_line((*text)[line.line - 1]);
  text_ += '\n';
  out.room(text_.size());
  out.put(text_);
}

}  // namespace peregrine
