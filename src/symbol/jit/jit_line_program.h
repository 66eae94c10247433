// JitLineProgram: encodes source lines of dumped code as DWARF 2: .debug_line, one unit in .debug_info, and its
// .debug_abbrev. Fed by jit_image, function by function; lines() etc. are valid after finish().
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "symbol/jit/jitdump.h"

namespace peregrine {

class JitLineProgram {
 public:
  explicit JitLineProgram(ByteOrder order);

  // Adds code that was at `address` and is at `place` in the image. Lines outside it are dropped.
  void add(const JitLines& lines, u64 address, u64 size, u64 place);
  void finish(std::string_view unit_name);

  bool empty() const { return end_ == 0; }
  Bytes lines() const { return lines_.bytes(); }
  Bytes unit() const { return unit_.bytes(); }
  Bytes abbreviations() const { return abbreviations_.bytes(); }

 private:
  u64 file_number(const std::string& name);

  std::map<std::string, u64, std::less<>> numbers_;
  std::vector<const std::string*> files_;
  ByteWriter rows_, lines_, unit_, abbreviations_;
  u64 begin_ = ~u64{0}, end_ = 0;  // range of all code with lines
};

}  // namespace peregrine
