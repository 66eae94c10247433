#include "symbol/jit/jit_line_program.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {
namespace {

// DWARF 2: standard opcodes, extended opcodes, and the tags and attributes of the unit.
constexpr u8 kCopy = 1, kAdvancePc = 2, kAdvanceLine = 3, kSetFile = 4;
constexpr u8 kExtended = 0, kEndSequence = 1, kSetAddress = 2;
constexpr u8 kCompileUnit = 0x11, kNoChildren = 0, kAtName = 3, kAtLines = 0x10, kAtLow = 0x11, kAtHigh = 0x12;
constexpr u8 kFormAddress = 1, kFormData4 = 6, kFormString = 8;
constexpr u16 kDwarfVersion = 2;

void put_unsigned(ByteWriter& out, u64 value) {
  for (; value >= 0x80; value >>= 7) out.put8(static_cast<u8>(value | 0x80));
  out.put8(static_cast<u8>(value));
}

void put_signed(ByteWriter& out, i64 value) {
  for (;;) {
    const u8 low = static_cast<u8>(value & 0x7f);
    value >>= 7;
    if ((value == 0 && (low & 0x40) == 0) || (value == -1 && (low & 0x40) != 0)) {
      out.put8(low);
      return;
    }
    out.put8(low | 0x80);
  }
}

void put_text(ByteWriter& out, std::string_view text) { out.append(text).put8(0); }

}  // namespace

JitLineProgram::JitLineProgram(ByteOrder order) : rows_(order), lines_(order), unit_(order), abbreviations_(order) {}

u64 JitLineProgram::file_number(const std::string& name) {
  const auto [known, added] = numbers_.try_emplace(name, files_.size() + 1);
  if (added) files_.push_back(&known->first);
  return known->second;
}

void JitLineProgram::add(const JitLines& lines, u64 address, u64 size, u64 place) {
  std::vector<JitLine> inside;
  std::ranges::copy_if(lines.lines, std::back_inserter(inside),
                       [&](const JitLine& line) { return line.address - address < size; });
  if (inside.empty()) return;
  std::ranges::stable_sort(inside, {}, &JitLine::address);
  rows_.put8(kExtended).put8(9).put8(kSetAddress).put64(place);
  u64 at = address, file = 1;
  i64 line = 1;
  for (const JitLine& row : inside) {
    if (const u64 number = file_number(lines.files[row.file]); number != file) {
      file = number;
      rows_.put8(kSetFile);
      put_unsigned(rows_, file);
    }
    rows_.put8(kAdvanceLine);
    put_signed(rows_, i64{row.line} - line);
    rows_.put8(kAdvancePc);
    put_unsigned(rows_, row.address - at);
    rows_.put8(kCopy);
    at = row.address;
    line = row.line;
  }
  rows_.put8(kAdvancePc);
  put_unsigned(rows_, address + size - at);
  rows_.put8(kExtended).put8(1).put8(kEndSequence);
  begin_ = std::min(begin_, place);
  end_ = std::max(end_, place + size);
}

void JitLineProgram::finish(std::string_view unit_name) {
  if (empty()) return;
  constexpr u8 kOperands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1};
  lines_.put32(0).put16(kDwarfVersion).put32(0);
  const std::size_t behind_length = lines_.size();
  lines_.put8(1).put8(1).put8(static_cast<u8>(-5)).put8(14).put8(std::size(kOperands) + 1);
  for (const u8 count : kOperands) lines_.put8(count);
  lines_.put8(0);  // no directories
  for (const std::string* file : files_) {
    put_text(lines_, file->empty() ? "?" : std::string_view(*file));
    lines_.zeros(3);
  }
  lines_.put8(0);
  lines_.patch(6, static_cast<u32>(lines_.size() - behind_length));
  lines_.append(rows_.bytes());
  lines_.patch(0, static_cast<u32>(lines_.size() - 4));

  unit_.put32(0).put16(kDwarfVersion).put32(0).put8(8);
  unit_.put8(1);
  put_text(unit_, unit_name);
  unit_.put32(0).put64(begin_).put64(end_);
  unit_.patch(0, static_cast<u32>(unit_.size() - 4));

  abbreviations_.put8(1).put8(kCompileUnit).put8(kNoChildren);
  abbreviations_.put8(kAtName).put8(kFormString).put8(kAtLines).put8(kFormData4);
  abbreviations_.put8(kAtLow).put8(kFormAddress).put8(kAtHigh).put8(kFormAddress);
  abbreviations_.zeros(3);
}

}  // namespace peregrine
