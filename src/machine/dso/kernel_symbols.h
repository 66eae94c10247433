// KernelSymbols: the symbol tables of the recorded kernel and its modules, from the first source that has them.
//
// Uses linux-perf's order: a list or image named by the user, a vmlinux with the build-id, the running kernel's own
// list if it is the same kernel (or the kernel was not recorded), a list in the build-id cache. Loaded once; thread
// safe.
#pragma once
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/build_id.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "symbol/elf/elf_file.h"
#include "symbol/kernel/kallsyms.h"
#include "symbol/lookup/symbol_source.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

class KernelSymbols {
 public:
  explicit KernelSymbols(const SymbolPlaces& places) : places_(places) {}

  // Call this before the first table is used.
  void set_reference(std::string_view symbol, u64 address);

  // `kernel` is the recorded build-id of the kernel.
  const SymbolTable& kernel(const BuildId& kernel);
  // Returns nullptr if the list does not have the module.
  const SymbolTable* module(const BuildId& kernel, std::string_view bracketed_name);
  // Opens kernel and module code as it ran: the copy next to --kallsyms, /proc/kcore of the same kernel, or a kept
  // copy.
  Result<ElfFile> open_core(const BuildId& kernel) const;
  // The offset from a recorded kernel address to the address in the table.
  u64 bias() const { return bias_; }
  // The same for addresses in this image, which may be linked for a different address than it ran at.
  u64 image_bias(const ElfFile& image) const;
  const std::vector<SymbolSource>& tried() const { return tried_; }

 private:
  void load(const BuildId& kernel);
  bool load_image(const std::string& path);
  bool load_list(const std::string& path);
  bool take_list(const std::string& path, Result<Kallsyms> list);
  MissReason note(const std::string& path, const Error& error) const;
  bool load_live(const BuildId& kernel);
  Result<Kallsyms> read_live(const BuildId& running) const;
  void set_bias(u64 address_in_table);

  const SymbolPlaces& places_;
  std::once_flag once_;
  Kallsyms kallsyms_;
  SymbolTable image_;
  bool from_image_ = false;
  std::string reference_name_;
  u64 reference_ = 0;
  u64 bias_ = 0;
  std::vector<SymbolSource> tried_;
};

}  // namespace peregrine
