// AbbreviationTable: which attributes, in which forms, the debugging entries of a unit have.
//
// Most entries of a unit are of no interest here (types, variables), so each abbreviation also keeps how to step over
// an entry's attributes, with runs of fixed size joined. Immutable.
#pragma once
#include <span>
#include <unordered_map>
#include <vector>

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
  // `bytes` begin with the table; `complete` says whether they end with the section. With `only_code`, reading stops at
  // that code. Nothing when the table does not end within the bytes; what cannot be understood ends it.
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
  // Steps over the attributes of one entry; false where that is not possible.
  bool skip(ByteReader& reader, const Abbreviation& abbreviation) const;
  const UnitFormat& format() const { return format_; }

 private:
  // First `fixed` bytes, then a value of that form; Address stands for nothing more.
  struct Step {
    u32 fixed = 0;
    DwarfForm form = DwarfForm::Address;
  };
  void add_steps(Abbreviation& abbreviation);

  UnitFormat format_;
  std::vector<Abbreviation> dense_;  // codes from 1 on, as all compilers number them
  std::unordered_map<u64, Abbreviation> sparse_;
  std::vector<AttributeSpec> specs_;
  std::vector<Step> steps_;
};

}  // namespace peregrine
