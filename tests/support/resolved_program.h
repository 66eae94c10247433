// ResolvedProgram: one process that runs a program with known functions, and everything that resolves its addresses.
//
//   process 40 "shell", thread 41:  0x401000  outer  inner  0x402000     mapped at file offset 0x1000
//                                             [0x1000) [0x1100)          as addresses in the file
//
// For tests of everything after the machine. The program is an ELF file in a folder that is deleted with the object.
#pragma once
#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "abi/record.h"
#include "abi/side_band.h"
#include "base/types.h"
#include "machine/machine.h"
#include "machine/resolver/resolver.h"
#include "support/elf_image.h"
#include "support/temporary_folder.h"

namespace peregrine::support {

class ResolvedProgram {
 public:
  static constexpr u32 kPid = 40, kTid = 41;
  static constexpr u64 kMapped = 0x401000;  // where `outer` begins
  static constexpr u64 kInner = kMapped + 0x100;

  // `code`: the first bytes of `outer`; zeros follow.
  explicit ResolvedProgram(std::string_view code = {}) {
    ElfImage image;
    image.build_id = std::string("\x01\x02\x03\x04\x05\x06\x07\x08", 8);
    image.symtab = {{.name = "outer", .value = image.text_address, .size = 0x100},
                    {.name = "inner", .value = image.text_address + 0x100, .size = 0x100, .binding = STB_LOCAL}};
    std::vector<std::byte> bytes = image.bytes();
    std::ranges::transform(code, bytes.begin() + ElfImage::kTextOffset,
                           [](char c) { return static_cast<std::byte>(c); });
    file_ = folder_.write("shell", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    machine.apply({abi::CommRecord{kPid, kTid, "shell", false}, {}, 0, 0}, 1);
    abi::MmapRecord map;
    map.pid = kPid;
    map.tid = kTid;
    map.start = kMapped;
    map.length = ElfImage::kTextSize;
    map.page_offset = ElfImage::kTextOffset;
    map.filename = file_;
    machine.apply({map, {}, abi::misc_bit::User, 0}, 1);
    machine.set_applied_until(100);
  }

  const std::string& file() const { return file_; }
  const Resolver::Context& context() { return resolver.context(kPid, kTid, 2); }

 private:
  TemporaryFolder folder_;
  std::string file_;

 public:
  Machine machine;
  Resolver resolver{machine};
};

}  // namespace peregrine::support
