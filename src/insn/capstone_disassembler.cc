#include "insn/capstone_disassembler.h"

#include <capstone/capstone.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/types.h"
#include "insn/arm64_data_flow.h"
#include "insn/data_flow.h"
#include "insn/instruction.h"
#include "insn/shared_library.h"

namespace peregrine {

namespace {

struct Functions {
  decltype(cs_open)* open = nullptr;
  decltype(cs_close)* close = nullptr;
  decltype(cs_option)* option = nullptr;
  decltype(cs_malloc)* allocate = nullptr;
  decltype(cs_free)* release = nullptr;
  decltype(cs_disasm_iter)* decode = nullptr;
  decltype(cs_insn_group)* in_group = nullptr;
};

struct Mode {
  cs_arch arch;
  unsigned mode;
  u32 step;  // bytes to skip at an invalid instruction
};

std::optional<Mode> mode_of(Isa isa, ByteOrder order) {
  const unsigned endian = order == ByteOrder::Big ? static_cast<unsigned>(CS_MODE_BIG_ENDIAN) : 0u;
  switch (isa) {
    case Isa::Arm64:  // instructions are little-endian even if data is big-endian
      return Mode{CS_ARCH_ARM64, 0, 4};
    case Isa::Arm:
      return Mode{CS_ARCH_ARM, endian | CS_MODE_ARM, 4};
    case Isa::Thumb:
      return Mode{CS_ARCH_ARM, endian | CS_MODE_THUMB, 2};
    case Isa::Mips:
      return Mode{CS_ARCH_MIPS, endian | CS_MODE_MIPS32, 4};
    case Isa::Mips64:
      return Mode{CS_ARCH_MIPS, endian | CS_MODE_MIPS64, 4};
    case Isa::Ppc:
      return Mode{CS_ARCH_PPC, endian | CS_MODE_32, 4};
    case Isa::Ppc64:
      return Mode{CS_ARCH_PPC, endian | CS_MODE_64, 4};
    case Isa::Sparc:
      return Mode{CS_ARCH_SPARC, endian | CS_MODE_V9, 4};
    case Isa::S390:
      return Mode{CS_ARCH_SYSZ, endian, 2};
    default:
      return std::nullopt;
  }
}

// Returns the address at the end of a direct jump's or call's text. Some architectures put '#' before it.
std::optional<u64> last_address(std::string_view text) {
  const std::size_t at = text.rfind("0x");
  if (at == std::string_view::npos) return std::nullopt;
  return parse_number<u64>(text.substr(at + 2), 16);
}

class CapstoneDisassembler : public Disassembler {
 public:
  CapstoneDisassembler(SharedLibrary library, const Functions& functions, csh handle, const Mode& mode)
      : library_(std::move(library)),
        functions_(functions),
        handle_(handle),
        decoded_(functions.allocate(handle)),
        step_(mode.step),
        arm_(mode.arch == CS_ARCH_ARM64) {}
  CapstoneDisassembler(const CapstoneDisassembler&) = delete;
  ~CapstoneDisassembler() override {
    if (decoded_ != nullptr) functions_.release(decoded_, 1);
    functions_.close(&handle_);
  }

  bool decode(std::span<const std::byte> bytes, u64 address, Instruction& instruction) override {
    if (bytes.empty() || decoded_ == nullptr) return false;
    const auto* code = reinterpret_cast<const u8*>(bytes.data());
    std::size_t left = bytes.size();
    u64 at = address;
    instruction = {.address = address};
    if (!functions_.decode(handle_, &code, &left, &at, decoded_)) {
      instruction.valid = false;
      instruction.size = static_cast<u32>(std::min<std::size_t>(step_, bytes.size()));
      instruction.mnemonic = ".byte";
      for (u32 i = 0; i < instruction.size; ++i)
        instruction.operands += fmt::format("{}0x{:02x}", i == 0 ? "" : ", ", std::to_integer<unsigned>(bytes[i]));
      return true;
    }
    instruction.size = decoded_->size;
    instruction.mnemonic = decoded_->mnemonic;
    instruction.operands = decoded_->op_str;
    instruction.flow = flow();
    find_target(instruction);
    return true;
  }

  bool data_flow(std::span<const std::byte> bytes, u64 address, DataFlow& data) override {
    data = {};
    Instruction instruction;
    if (!arm_ || !decode(bytes, address, instruction) || !instruction.valid) return false;
    data.size = instruction.size;
    data.flow = instruction.flow;
    data.jump = instruction.target;
    describe_arm64_data_flow(*decoded_, data);
    return true;
  }

 private:
  bool in(cs_group_type group) const { return functions_.in_group(handle_, decoded_, group); }

  Flow flow() const {
    const std::string_view word = decoded_->mnemonic;
    // The groups are incomplete for some instruction sets, so calls and jumps are also known by their names.
    if (in(CS_GRP_RET)) return Flow::Return;
    if (in(CS_GRP_CALL) || word == "bl" || (word == "blr" && arm_) || word == "blx" || word == "jal" || word == "jalr")
      return Flow::Call;
    if (!in(CS_GRP_JUMP) && !in(CS_GRP_BRANCH_RELATIVE)) return Flow::Next;
    const bool always = word == "b" || word == "br" || word == "j" || word == "jr" || word == "ba";
    return always ? Flow::Jump : Flow::Branch;
  }

  // binutils writes "b 1234", capstone "b #0x1234".
  static void find_target(Instruction& instruction) {
    if (instruction.flow == Flow::Next || instruction.flow == Flow::Return) return;
    instruction.target = last_address(instruction.operands);
    if (!instruction.target) return;
    std::size_t at = instruction.operands.rfind("0x");
    if (at > 0 && instruction.operands[at - 1] == '#') --at;
    instruction.operands =
        fmt::format("{}{:x}", std::string_view(instruction.operands).substr(0, at), *instruction.target);
  }

  SharedLibrary library_;
  Functions functions_;
  csh handle_;
  cs_insn* decoded_;
  u32 step_;
  bool arm_;  // otherwise PowerPC, where blr returns
};

}  // namespace

Result<std::unique_ptr<Disassembler>> open_capstone(Isa isa, ByteOrder order) {
  const auto mode = mode_of(isa, order);
  if (!mode)
    return std::unexpected(
        Error{ErrorKind::Unsupported, fmt::format("this build cannot disassemble {} instructions", isa_name(isa))}
            .with_hint("pass an objdump that can with --objdump"));
  auto library = SharedLibrary::open(fmt::format("libcapstone.so.{}", CS_API_MAJOR), "libcapstone4");
  if (!library) return std::unexpected(std::move(library.error()));
  Functions functions;
  PEREGRINE_TRY(library->find("cs_open", functions.open));
  PEREGRINE_TRY(library->find("cs_close", functions.close));
  PEREGRINE_TRY(library->find("cs_option", functions.option));
  PEREGRINE_TRY(library->find("cs_malloc", functions.allocate));
  PEREGRINE_TRY(library->find("cs_free", functions.release));
  PEREGRINE_TRY(library->find("cs_disasm_iter", functions.decode));
  PEREGRINE_TRY(library->find("cs_insn_group", functions.in_group));
  csh handle = 0;
  const cs_err opened = functions.open(mode->arch, static_cast<cs_mode>(mode->mode), &handle);
  if (opened != CS_ERR_OK)
    return fail(ErrorKind::Unsupported, "the installed capstone cannot disassemble {} instructions", isa_name(isa));
  functions.option(handle, CS_OPT_DETAIL, CS_OPT_ON);
  return std::make_unique<CapstoneDisassembler>(std::move(*library), functions, handle, *mode);
}

}  // namespace peregrine
