#include "symbol/cfi/compile_cfi.h"

#include <elf.h>

#include <cstddef>
#include <span>
#include <string_view>

#include "base/file/piece_file.h"
#include "base/types.h"
#include "symbol/cfi/cfi_program.h"
#include "symbol/cfi/cfi_section.h"
#include "symbol/cfi/cfi_table_builder.h"
#include "symbol/cfi/loaded_cfi.h"

namespace peregrine {
namespace {

void compile(const CfiSource& source, CfiTableBuilder& builder) {
  builder.expect(source.bytes.size());
  CfiProgram program(source, builder);
  CfiSection section(source);
  const u64 bad = section.each([&](const CfiCie& cie, const CfiFde& fde) {
    // Linkers set the address of dropped code to 0.
    if (fde.start != 0 && !program.run(cie, fde)) builder.skipped(1);
  });
  builder.skipped(bad);
}

// Supplies frames for PLTs, which often have no CFI. On x86, entries have 16 bytes: `jmp *slot; push index; jmp first`,
// or in bare tables only the jump. The first entry is `push; jmp`. On arm64 only the first entry, of 32 bytes, touches
// the stack: it pushes two registers.
class PltFrames {
 public:
  PltFrames(const ElfFile& file, CfiTableBuilder& builder) : file_(file), builder_(builder) {}

  void add() {
    const bool arm = file_.machine() == EM_AARCH64;
    if (!arm && file_.machine() != EM_X86_64 && file_.machine() != EM_386) return;
    for (const std::string_view name : {".plt", ".plt.sec", ".plt.got", ".iplt"}) {
      const ElfSection* section = file_.find_section(name);
      if (section == nullptr || section->size == 0 || section->size > (u64{1} << 24)) continue;
      builder_.begin(section->address, section->size);
      arm ? add_arm(*section, name == ".plt") : add_x86(*section);
      builder_.end();
    }
  }

 private:
  void add_x86(const ElfSection& section) {
    constexpr u64 kEntry = 16, kFirstPush = 6, kPush = 6, kAfterPush = 11;
    constexpr u8 kPushMemory = 0xff, kPushConstant = 0x68;
    const i32 word = file_.is_64() ? 8 : 4;
    const auto byte_at = [&](u64 offset) {
      std::byte byte{};
      return offset < section.size && file_.read_into(section.offset + offset, std::span(&byte, 1)) ? u8(byte) : u8{0};
    };
    const u8 second = byte_at(1);
    const bool has_first = byte_at(0) == kPushMemory && (second == 0x35 || second == 0xb3);
    const bool pushes = has_first && byte_at(kEntry + kPush) == kPushConstant;
    row(section.address, has_first ? 2 * word : word);  // on entry, the index is already on the stack
    if (has_first) row(section.address + kFirstPush, 3 * word);
    for (u64 entry = kEntry; has_first && entry < section.size; entry += kEntry) {
      row(section.address + entry, word);
      if (!pushes) break;
      row(section.address + entry + kAfterPush, 2 * word);
    }
  }

  void add_arm(const ElfSection& section, bool has_first) {
    constexpr u64 kFirstEntry = 32, kAfterPush = 4;
    row(section.address, 0);
    if (!has_first) return;
    row(section.address + kAfterPush, 16);
    row(section.address + kFirstEntry, 0);
  }

  void row(u64 address, i32 cfa_offset) {
    CfiState state;
    u32 return_register = 30;
    state.cfa_register = 31;
    if (file_.machine() != EM_AARCH64) {
      return_register = file_.is_64() ? 16 : 8;
      state.cfa_register = file_.is_64() ? 7 : 4;
      state.put(return_register, CfiRuleKind::AtOffset, file_.is_64() ? -8 : -4);
    }
    state.cfa_value = cfa_offset;
    builder_.row(address, state, return_register, false);
  }

  const ElfFile& file_;
  CfiTableBuilder& builder_;
};

}  // namespace

u64 cfi_sources(const ElfFile& code, const ElfFile* debug) {
  constexpr std::string_view kNames[] = {".eh_frame", ".debug_frame", ".zdebug_frame", ".text",    ".got",
                                         ".got.plt",  ".plt",         ".plt.sec",      ".plt.got", ".iplt"};
  PieceSum sum;
  const auto add = [&](u64 value) { sum.add(&value, sizeof value); };
  for (const ElfFile* file : {&code, debug == &code ? nullptr : debug}) {
    if (file == nullptr) continue;
    add(file->machine());
    for (const std::string_view name : kNames) {
      const ElfSection* section = file->find_section(name);
      if (section == nullptr) continue;
      sum.add(name.data(), name.size());
      for (const u64 value : {u64{section->type}, section->flags, section->address, section->size}) add(value);
    }
    for (const ElfSegment& segment : file->segments())
      for (const u64 value : {u64{segment.type}, segment.offset, segment.address, segment.file_size}) add(value);
  }
  return sum.value();
}

CfiTable compile_cfi(const ElfFile& code, const ElfFile* debug) {
  CfiTableBuilder builder(code.order());
  if (code.type() == ET_REL) return builder.build();  // not relocated yet, so its addresses are meaningless
  if (const auto frames = load_eh_frame(code)) compile(frames->source, builder);
  for (const ElfFile* file : {&code, debug == &code ? nullptr : debug}) {
    if (file == nullptr) continue;
    if (const auto frames = load_debug_frame(*file)) compile(frames->source, builder);
  }
  PltFrames(code, builder).add();
  return builder.build();
}

}  // namespace peregrine
