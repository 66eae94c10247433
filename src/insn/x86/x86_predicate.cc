#include "insn/x86/x86_predicate.h"

#include <optional>
#include <string_view>

#include "base/types.h"

namespace peregrine {

namespace {

constexpr std::string_view kSse[8] = {"eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord"};
constexpr std::string_view kAvx[32] = {
    "eq",     "lt",     "le",    "unord",  "neq",    "nlt",      "nle",    "ord",   "eq_uq",   "nge",    "ngt",
    "false",  "neq_oq", "ge",    "gt",     "true",   "eq_os",    "lt_oq",  "le_oq", "unord_s", "neq_us", "nlt_uq",
    "nle_uq", "ord_s",  "eq_us", "nge_uq", "ngt_uq", "false_os", "neq_os", "ge_oq", "gt_oq",   "true_us"};
constexpr std::string_view kInteger[8] = {"eq", "lt", "le", "", "neq", "nlt", "nle", ""};

struct Predicate {
  std::string_view stem, predicate, tail;
};

std::optional<u64> last_immediate(const X86Instruction& x86) {
  const auto visible = x86.visible();
  if (visible.empty() || visible.back().type != ZYDIS_OPERAND_TYPE_IMMEDIATE) return std::nullopt;
  return visible.back().imm.value.u & 0xff;
}

std::optional<Predicate> carryless(u64 immediate, std::string_view name) {
  const std::string_view stem = name.starts_with('v') ? "vpclmul" : "pclmul";
  switch (immediate) {
    case 0x00:
      return Predicate{stem, "lqlq", "dq"};
    case 0x01:
      return Predicate{stem, "hqlq", "dq"};
    case 0x10:
      return Predicate{stem, "lqhq", "dq"};
    case 0x11:
      return Predicate{stem, "hqhq", "dq"};
    default:
      return std::nullopt;
  }
}

std::optional<Predicate> predicate_of(const X86Instruction& x86, std::string_view name) {
  const auto immediate = last_immediate(x86);
  if (!immediate) return std::nullopt;
  if (name == "pclmulqdq" || name == "vpclmulqdq") return carryless(*immediate, name);
  if (name == "cmpps" || name == "cmppd" || name == "cmpss" || name == "cmpsd") {
    if (*immediate >= 8) return std::nullopt;
    return Predicate{"cmp", kSse[*immediate], name.substr(3)};
  }
  if (name == "vcmpps" || name == "vcmppd" || name == "vcmpss" || name == "vcmpsd") {
    if (*immediate >= 32) return std::nullopt;
    return Predicate{"vcmp", kAvx[*immediate], name.substr(4)};
  }
  const bool evex = x86.decoded.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
  if (!evex || !name.starts_with("vpcmp") || name.size() > 7 || *immediate >= 8 || kInteger[*immediate].empty())
    return std::nullopt;
  return Predicate{"vpcmp", kInteger[*immediate], name.substr(5)};  // b, ub, d, uq…
}

bool may_have_predicate(ZydisMnemonic mnemonic) {
  switch (mnemonic) {
    case ZYDIS_MNEMONIC_CMPPS:
    case ZYDIS_MNEMONIC_CMPPD:
    case ZYDIS_MNEMONIC_CMPSS:
    case ZYDIS_MNEMONIC_CMPSD:
    case ZYDIS_MNEMONIC_VCMPPS:
    case ZYDIS_MNEMONIC_VCMPPD:
    case ZYDIS_MNEMONIC_VCMPSS:
    case ZYDIS_MNEMONIC_VCMPSD:
    case ZYDIS_MNEMONIC_VPCMPB:
    case ZYDIS_MNEMONIC_VPCMPUB:
    case ZYDIS_MNEMONIC_VPCMPW:
    case ZYDIS_MNEMONIC_VPCMPUW:
    case ZYDIS_MNEMONIC_VPCMPD:
    case ZYDIS_MNEMONIC_VPCMPUD:
    case ZYDIS_MNEMONIC_VPCMPQ:
    case ZYDIS_MNEMONIC_VPCMPUQ:
    case ZYDIS_MNEMONIC_PCLMULQDQ:
    case ZYDIS_MNEMONIC_VPCLMULQDQ:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool append_predicate_word(const X86Instruction& x86, const ZydisNames& names, std::string& word) {
  if (!may_have_predicate(x86.decoded.mnemonic)) return false;
  const char* name = names.mnemonic(x86.decoded.mnemonic);
  const auto found = predicate_of(x86, name == nullptr ? "" : name);
  if (!found) return false;
  word.append(found->stem).append(found->predicate).append(found->tail);
  return true;
}

bool has_predicate_word(const X86Instruction& x86, const ZydisNames& names) {
  std::string word;
  return append_predicate_word(x86, names, word);
}

}  // namespace peregrine
