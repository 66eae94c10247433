// StructLayout: the displayed fields of structs that 64-bit processes pass to system calls. Constant text
// (struct_layout.cc), from the uapi headers.
#pragma once
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "event/syscall/word_table.h"

namespace peregrine {

enum class FieldKind : u8 { Signed, Unsigned, Pointer, Octal, Text, SignalSet };

struct LayoutField {
  std::string_view name;  // empty: the struct is just this value
  FieldKind kind = FieldKind::Signed;
  u16 offset = 0, size = 0;
  const WordTable* words = nullptr;
};

struct StructLayout {
  std::string_view name;
  u16 size = 0;  // bytes to read
  std::vector<LayoutField> fields;
};

class StructLayouts {
 public:
  // `words` must outlive this. `generic`: for architectures with the generic ABI (newer than x86).
  StructLayouts(const WordTables& words, bool generic);
  const StructLayout* find(std::string_view name) const;
  // Replaces each layout in place if `from` returns one. Its names must outlive this.
  void replace(const std::function<std::optional<StructLayout>(const StructLayout&)>& from);

 private:
  std::vector<StructLayout> layouts_;
};

}  // namespace peregrine
