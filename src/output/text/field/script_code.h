// ScriptCode: instructions and source text of samples in `script`: -F insn, insnlen, disasm, srccode; also used by -F
// brstackinsn.
//
// Belongs to one worker. Bytes come from dsos' files; prints nothing for code outside of files.
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/types.h"
#include "insn/disassembler.h"
#include "insn/instruction.h"
#include "machine/dso/dso.h"
#include "machine/resolver/code_reader.h"
#include "machine/resolver/resolver.h"
#include "machine/source/source_table.h"
#include "machine/source/source_text.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

constexpr std::size_t kLongestInstruction = 16;  // bytes of an instruction

// Instruction bytes starting at an address.
struct CodeBytes {
  std::span<const std::byte> bytes;
  u64 address = 0;
  Isa isa = Isa::Unknown;
};

class ScriptCode {
 public:
  // Both must outlive this. Without `sources` there is no source text. `mnemonics`: insn prints mnemonics instead of
  // bytes.
  ScriptCode(const DsoTable& dsos, SourceTable* sources, bool mnemonics);
  ~ScriptCode();

  // " ilen: 3 insn: 48 89 c3" for the instruction at the sample's ip.
  void put_instruction(ScriptText& out, const ReplaySample& sample, Resolver& resolver, u64 fields);
  // "|12       return x;\n": the source line at the address, unless it is the last one shown for the thread.
  void put_source_text(ScriptText& out, const ReplaySample& sample, Resolver& resolver, u64 address);

  // Up to `size` bytes from the address; valid until the next call.
  CodeBytes read(const ReplaySample& sample, Resolver& resolver, u64 address, std::size_t size);
  // Decodes the instruction at the start of `code`. False if it is invalid.
  bool decode(const CodeBytes& code, Instruction& instruction);
  // "insn: 48 89 c3 ", or "mov %rax,%rbx" if mnemonics are requested.
  void append_instruction(std::string& text, const CodeBytes& code, const Instruction& instruction, bool words) const;
  // "\tprog.c:12", for the head of a block; nothing if unknown.
  void append_source_line(std::string& text, const Frame& frame);
  bool mnemonics() const { return mnemonics_; }

 private:
  struct Line {
    std::string path;
    u32 number = 0;
  };

  SourceTable* sources_;
  bool mnemonics_;
  CodeReader reader_;
  SourceTexts texts_;
  std::map<Isa, std::unique_ptr<Disassembler>> disassemblers_;  // null: not supported
  std::unordered_map<u32, Line> shown_;                         // by thread
  std::vector<std::byte> bytes_;
  Instruction instruction_;
  std::string text_;
};

}  // namespace peregrine
