// KernelSymbols: the symbol tables of the recorded kernel and its modules, from the first place that knows them.
//
// In linux-perf's order: a list or image named by the user, a vmlinux of that build-id, the running kernel's own list
// when it is the same kernel (or nobody recorded which), a list saved in the build-id cache. Loaded once; thread safe.
#pragma once
#include <mutex>
#include <string>
#include <vector>

#include "machine/dso/dso.h"
#include "symbol/kernel/kallsyms.h"

namespace peregrine {

class KernelSymbols {
 public:
  explicit KernelSymbols(const SymbolPlaces& places) : places_(places) {}

  // Before the first table is asked for.
  void set_reference(std::string_view symbol, u64 address);

  // `kernel` is the recorded build-id of the kernel.
  const SymbolTable& kernel(const BuildId& kernel);
  // nullptr when the list has no such module.
  const SymbolTable* module(const BuildId& kernel, std::string_view bracketed_name);
  // Its code as it ran, with the modules': the copy beside --kallsyms, /proc/kcore of the same kernel, a kept copy.
  Result<ElfFile> open_core(const BuildId& kernel) const;
  // What must be added to a recorded kernel address to look it up.
  u64 bias() const { return bias_; }
  // The same for addresses of that image, which may have been linked elsewhere than it ran.
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
