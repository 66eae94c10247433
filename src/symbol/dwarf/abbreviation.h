// AbbreviationTable: which attributes a unit's debugging entries have, and in which forms.
//
// Most entries (types, variables) are skipped, so each abbreviation also stores how to skip an entry's attributes, with
// adjacent fixed-size forms merged. Immutable.
#pragma once
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/form.h"

namespace peregrine {

struct AttributeSpec {
  DwarfAttribute attribute;
  DwarfForm form;
  i64 implicit = 0;
};

struct Abbreviation {
  DwarfTag tag;
  bool has_children = false;
  bool has_sibling = false;
  u32 first_spec = 0, spec_count = 0;
  u32 first_step = 0, step_count = 0;
};

class AbbreviationTable {
 public:
  // `bytes` start at the table; `complete`: they extend to the end of the section. With `only_code`, parsing stops at
  // that code. Nothing if the table does not end within the bytes; anything invalid ends it.
  static std::optional<AbbreviationTable> parse(Bytes bytes, ByteOrder order, const UnitFormat& format, bool complete,
                                                u64 only_code = 0);

  const Abbreviation* find(u64 code) const {
    if (code - 1 < dense_.size()) return &dense_[code - 1];
    if (sparse_.empty()) return nullptr;
    const auto found = sparse_.find(code);
    return found == sparse_.end() ? nullptr : &found->second;
  }
  std::span<const AttributeSpec> specs(const Abbreviation& abbreviation) const {
    return std::span(specs_).subspan(abbreviation.first_spec, abbreviation.spec_count);
  }
  // Skips the attributes of one entry; false if that fails.
  bool skip(ByteReader& reader, const Abbreviation& abbreviation) const;
  const UnitFormat& format() const { return format_; }

 private:
  // Skip `fixed` bytes, then a value of that form; Address means no value follows.
  struct Step {
    u32 fixed = 0;
    DwarfForm form = DwarfForm::Address;
  };
  void add_steps(Abbreviation& abbreviation);

  UnitFormat format_;
  std::vector<Abbreviation> dense_;  // codes 1 to N, which is how compilers number them
  std::unordered_map<u64, Abbreviation> sparse_;
  std::vector<AttributeSpec> specs_;
  std::vector<Step> steps_;
};

}  // namespace peregrine
