// CodeImage: the file with a dso's instructions, and the mapping from dso addresses to it.
//
// For a user dso, the file is that of DsoTable::open_code(). For the kernel it is a vmlinux or a kcore of the recorded
// kernel, or the running kernel's if it is the same. Errors name the package or option needed. Const after opening.
#pragma once
#include <optional>
#include <utility>

#include "base/result.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

class CodeImage {
 public:
  static Result<CodeImage> open(const DsoTable& dsos, DsoId dso);

  const ElfFile& file() const { return file_; }
  // Dso addresses are file offsets for files that programs map. For the kernel and its modules they are run-time
  // addresses, which may differ from those in the file.
  std::optional<u64> virtual_address(u64 dso_address) const;
  std::optional<u64> dso_address(u64 virtual_address) const;
  // Returns the file offset of a virtual address.
  std::optional<u64> file_offset(u64 virtual_address) const;

 private:
  CodeImage(ElfFile file, bool by_offset, u64 bias) : file_(std::move(file)), by_offset_(by_offset), bias_(bias) {}

  ElfFile file_;
  bool by_offset_;
  u64 bias_;  // offset for kernel and module addresses
};

}  // namespace peregrine
