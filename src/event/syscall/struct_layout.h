// StructLayout: where the fields of the structs lie that 64-bit processes hand to system calls, as far as they are
// worth showing. Constant text (struct_layout.cc), from the uapi headers.
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
  std::string_view name;  // empty: the struct is this one value
  FieldKind kind = FieldKind::Signed;
  u16 offset = 0, size = 0;
  const WordTable* words = nullptr;
};

struct StructLayout {
  std::string_view name;
  u16 size = 0;  // what is to be read
  std::vector<LayoutField> fields;
};

class StructLayouts {
 public:
  // `words` outlives it. `generic`: those of the architectures that came after x86.
  StructLayouts(const WordTables& words, bool generic);
  const StructLayout* find(std::string_view name) const;
  // Takes what `from` gives for each layout, if anything; it stays at its place. The names outlive this.
  void replace(const std::function<std::optional<StructLayout>(const StructLayout&)>& from);

 private:
  std::vector<StructLayout> layouts_;
};

}  // namespace peregrine
