// DwarfOperation: the operations of DWARF expressions (DWARF 5, 2.5 and 7.7.1), and their arithmetic.
//
// Covers DWARF 2 to 5 and the GNU operations that compilers emit before version 5. Pure.
#pragma once
#include <optional>

#include "base/types.h"

namespace peregrine {

enum class DwarfOperation : u8 {
  Address = 0x03,
  Dereference = 0x06,
  Constant1u = 0x08,
  Constant1s = 0x09,
  Constant2u = 0x0a,
  Constant2s = 0x0b,
  Constant4u = 0x0c,
  Constant4s = 0x0d,
  Constant8u = 0x0e,
  Constant8s = 0x0f,
  ConstantUnsigned = 0x10,
  ConstantSigned = 0x11,
  Duplicate = 0x12,
  Drop = 0x13,
  Over = 0x14,
  Pick = 0x15,
  Swap = 0x16,
  Rotate = 0x17,
  Absolute = 0x19,
  And = 0x1a,
  Divide = 0x1b,
  Minus = 0x1c,
  Modulo = 0x1d,
  Multiply = 0x1e,
  Negate = 0x1f,
  Not = 0x20,
  Or = 0x21,
  Plus = 0x22,
  PlusConstant = 0x23,
  ShiftLeft = 0x24,
  ShiftRight = 0x25,
  ShiftRightSigned = 0x26,
  ExclusiveOr = 0x27,
  Branch = 0x28,
  Equal = 0x29,
  GreaterEqual = 0x2a,
  Greater = 0x2b,
  LessEqual = 0x2c,
  Less = 0x2d,
  NotEqual = 0x2e,
  Skip = 0x2f,
  Literal0 = 0x30,
  Literal31 = 0x4f,
  Register0 = 0x50,
  Register31 = 0x6f,
  BaseRegister0 = 0x70,
  BaseRegister31 = 0x8f,
  RegisterX = 0x90,
  FrameBase = 0x91,
  BaseRegisterX = 0x92,
  Piece = 0x93,
  DereferenceSize = 0x94,
  NoOperation = 0x96,
  FormTlsAddress = 0x9b,
  CallFrameAddress = 0x9c,
  BitPiece = 0x9d,
  ImplicitValue = 0x9e,
  StackValue = 0x9f,
  ImplicitPointer = 0xa0,
  AddressIndex = 0xa1,
  EntryValue = 0xa3,
  GnuPushTls = 0xe0,
  GnuImplicitPointer = 0xf2,
  GnuEntryValue = 0xf3,
  GnuAddressIndex = 0xfb,
};

// Arithmetic with two operands, zero-extended from words of `word_size` bytes; the caller truncates the result to that
// size. Nothing for a division by zero, and for other operations.
constexpr std::optional<u64> calculate(DwarfOperation operation, u64 left, u64 right, unsigned word_size) {
  const auto as_signed = [word_size](u64 value) -> i64 {
    return word_size == 8 ? static_cast<i64>(value) : static_cast<i32>(value);
  };
  const i64 signed_left = as_signed(left), signed_right = as_signed(right);
  const auto truth = [](bool holds) -> u64 { return holds ? 1 : 0; };
  switch (operation) {
    case DwarfOperation::And:
      return left & right;
    case DwarfOperation::Or:
      return left | right;
    case DwarfOperation::ExclusiveOr:
      return left ^ right;
    case DwarfOperation::Plus:
      return left + right;
    case DwarfOperation::Minus:
      return left - right;
    case DwarfOperation::Multiply:
      return left * right;
    case DwarfOperation::Divide:
      if (right == 0) return std::nullopt;
      return signed_right == -1 ? 0 - left : static_cast<u64>(signed_left / signed_right);
    case DwarfOperation::Modulo:
      if (right == 0) return std::nullopt;
      return left % right;
    case DwarfOperation::ShiftLeft:
      return right < 64 ? left << right : 0;
    case DwarfOperation::ShiftRight:
      return right < 64 ? left >> right : 0;
    case DwarfOperation::ShiftRightSigned:
      return static_cast<u64>(signed_left >> (right < 64 ? right : 63));
    case DwarfOperation::Equal:
      return truth(signed_left == signed_right);
    case DwarfOperation::NotEqual:
      return truth(signed_left != signed_right);
    case DwarfOperation::GreaterEqual:
      return truth(signed_left >= signed_right);
    case DwarfOperation::Greater:
      return truth(signed_left > signed_right);
    case DwarfOperation::LessEqual:
      return truth(signed_left <= signed_right);
    case DwarfOperation::Less:
      return truth(signed_left < signed_right);
    default:
      return std::nullopt;
  }
}

// The same for one operand: absolute value, negation, complement.
constexpr std::optional<u64> calculate(DwarfOperation operation, u64 operand, unsigned word_size) {
  const bool negative = (word_size == 8 ? operand >> 63 : operand >> 31 & 1) != 0;
  switch (operation) {
    case DwarfOperation::Absolute:
      return negative ? 0 - operand : operand;
    case DwarfOperation::Negate:
      return 0 - operand;
    case DwarfOperation::Not:
      return ~operand;
    default:
      return std::nullopt;
  }
}

}  // namespace peregrine
