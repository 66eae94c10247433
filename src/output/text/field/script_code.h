// ScriptCode: the instructions and the source text of samples, as `script` writes them: -F insn, insnlen, disasm,
// srccode; and what -F brstackinsn is made of.
//
// Belongs to one worker. Bytes come from the files of the dsos: code that is in no file prints nothing.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "insn/disassembler.h"
#include "machine/resolver/code_reader.h"
#include "machine/source/source_table.h"
#include "machine/source/source_text.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

constexpr std::size_t kLongestInstruction = 16;  // bytes of an instruction

// Bytes of an instruction set, from an address on.
struct CodeBytes {
  std::span<const std::byte> bytes;
  u64 address = 0;
  Isa isa = Isa::Unknown;
};

class ScriptCode {
 public:
  // Both outlive it. Without `sources` no text of source files is known. `mnemonics`: insn shows words, not bytes.
  ScriptCode(const DsoTable& dsos, SourceTable* sources, bool mnemonics);
  ~ScriptCode();

  // " ilen: 3 insn: 48 89 c3", of the instruction at the sample's ip.
  void put_instruction(ScriptText& out, const ReplaySample& sample, Resolver& resolver, u64 fields);
  // "|12       return x;\n": the line of source at the address, when it is not the one that the thread showed last.
  void put_source_text(ScriptText& out, const ReplaySample& sample, Resolver& resolver, u64 address);

  // Up to `size` bytes from the address on, valid until the next call.
  CodeBytes read(const ReplaySample& sample, Resolver& resolver, u64 address, std::size_t size);
  // The instruction at the start of `code`. False where there is none.
  bool decode(const CodeBytes& code, Instruction& instruction);
  // "insn: 48 89 c3 ", or "mov %rax,%rbx" where words are wanted.
  void append_instruction(std::string& text, const CodeBytes& code, const Instruction& instruction, bool words) const;
  // "\tprog.c:12", for the head of a block; nothing where the line is unknown.
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
  std::map<Isa, std::unique_ptr<Disassembler>> disassemblers_;  // null: nobody reads that one
  std::unordered_map<u32, Line> shown_;                         // by thread
  std::vector<std::byte> bytes_;
  Instruction instruction_;
  std::string text_;
};

}  // namespace peregrine
