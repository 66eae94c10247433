#include "insn/x86/zydis_disassembler.h"

#include <fmt/format.h>

#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <utility>

#include "base/result.h"
#include "base/types.h"
#include "insn/data_flow.h"
#include "insn/instruction.h"
#include "insn/shared_library.h"
#include "insn/x86/x86_data_flow.h"
#include "insn/x86/x86_instruction.h"
#include "insn/x86/x86_operand.h"
#include "insn/x86/x86_word.h"

namespace peregrine {

namespace {

Flow flow_of(const ZydisDecodedInstruction& decoded) {
  switch (decoded.meta.category) {
    case ZYDIS_CATEGORY_CALL:
      return Flow::Call;
    case ZYDIS_CATEGORY_RET:
      return Flow::Return;
    case ZYDIS_CATEGORY_UNCOND_BR:
      return Flow::Jump;
    case ZYDIS_CATEGORY_COND_BR:
      return Flow::Branch;
    default:
      return Flow::Next;
  }
}

class ZydisDisassembler : public Disassembler {
 public:
  ZydisDisassembler(SharedLibrary library, const ZydisDecoder& decoder, decltype(ZydisDecoderDecodeFull)* decode_full,
                    const ZydisNames& names, Syntax syntax)
      : library_(std::move(library)), decoder_(decoder), decode_(decode_full), names_(names), syntax_(syntax) {}

  bool decode(std::span<const std::byte> bytes, u64 address, Instruction& instruction) override {
    if (bytes.empty()) return false;
    instruction = {.address = address};
    const ZyanStatus status = decode_(&decoder_, bytes.data(), bytes.size(), &x86_.decoded, x86_.operands);
    if (!ZYAN_SUCCESS(status)) {
      instruction.valid = false;
      instruction.size = 1;
      instruction.mnemonic = "(bad)";
      return true;
    }
    x86_.bytes = bytes.first(x86_.decoded.length);
    x86_.address = address;
    instruction.size = x86_.decoded.length;
    if (x86_.decoded.mnemonic == ZYDIS_MNEMONIC_FWAIT && decode_waiting(bytes, address, instruction)) return true;
    instruction.flow = flow_of(x86_.decoded);
    append_x86_word(x86_, syntax_, names_, instruction.mnemonic);
    write_x86_operands(x86_, syntax_, names_, instruction);
    return true;
  }

  bool data_flow(std::span<const std::byte> bytes, u64 address, DataFlow& flow) override {
    flow = {};
    if (!ZYAN_SUCCESS(decode_(&decoder_, bytes.data(), bytes.size(), &x86_.decoded, x86_.operands))) return false;
    if (!x86_.is_64()) return false;
    x86_.bytes = bytes.first(x86_.decoded.length);
    x86_.address = address;
    flow.size = x86_.decoded.length;
    flow.flow = flow_of(x86_.decoded);
    describe_x86_data_flow(x86_, flow);
    return true;
  }

 private:
  // Assemblers treat fwait and the x87 instruction after it as one: fstcw is 9b followed by fnstcw.
  bool decode_waiting(std::span<const std::byte> bytes, u64 address, Instruction& instruction) {
    const std::span<const std::byte> rest = bytes.subspan(1);
    const bool x87 = !rest.empty() && (rest[0] & std::byte{0xf8}) == std::byte{0xd8};
    if (!x87 || !ZYAN_SUCCESS(decode_(&decoder_, rest.data(), rest.size(), &x86_.decoded, x86_.operands))) {
      instruction.mnemonic = "fwait";
      return true;
    }
    x86_.bytes = rest.first(x86_.decoded.length);
    x86_.address = address + 1;
    instruction.size = 1u + x86_.decoded.length;
    append_x86_word(x86_, syntax_, names_, instruction.mnemonic);
    if (instruction.mnemonic.starts_with("fn") && instruction.mnemonic != "fnop") instruction.mnemonic.erase(1, 1);
    write_x86_operands(x86_, syntax_, names_, instruction);
    return true;
  }

  SharedLibrary library_;
  ZydisDecoder decoder_;
  decltype(ZydisDecoderDecodeFull)* decode_;
  ZydisNames names_;
  Syntax syntax_;
  X86Instruction x86_{};
};

}  // namespace

Result<std::unique_ptr<Disassembler>> open_zydis(Isa isa, Syntax syntax) {
  // The structures change between minor versions, so only the version of this build is usable.
  auto library = SharedLibrary::open(
      fmt::format("libZydis.so.{}.{}", ZYDIS_VERSION_MAJOR(ZYDIS_VERSION), ZYDIS_VERSION_MINOR(ZYDIS_VERSION)),
      fmt::format("libzydis{}.{}", ZYDIS_VERSION_MAJOR(ZYDIS_VERSION), ZYDIS_VERSION_MINOR(ZYDIS_VERSION)));
  if (!library) return std::unexpected(std::move(library.error()));
  decltype(ZydisDecoderInit)* init = nullptr;
  decltype(ZydisDecoderDecodeFull)* decode = nullptr;
  ZydisNames names;
  PEREGRINE_TRY(library->find("ZydisDecoderInit", init));
  PEREGRINE_TRY(library->find("ZydisDecoderDecodeFull", decode));
  PEREGRINE_TRY(library->find("ZydisMnemonicGetString", names.mnemonic));
  PEREGRINE_TRY(library->find("ZydisRegisterGetString", names.register_name));
  ZydisDecoder decoder;
  const bool is_64 = isa == Isa::X86_64;
  if (!ZYAN_SUCCESS(init(&decoder, is_64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LONG_COMPAT_32,
                         is_64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32)))
    return fail(ErrorKind::Unsupported, "the installed Zydis cannot disassemble {} instructions", isa_name(isa));
  return std::make_unique<ZydisDisassembler>(std::move(*library), decoder, decode, names, syntax);
}

}  // namespace peregrine
