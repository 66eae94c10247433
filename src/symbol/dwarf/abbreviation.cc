#include "symbol/dwarf/abbreviation.h"

#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/leb128.h"
#include "base/types.h"
#include "symbol/dwarf/dwarf_constants.h"

namespace peregrine {

std::optional<AbbreviationTable> AbbreviationTable::parse(Bytes bytes, ByteOrder order, const UnitFormat& format,
                                                          bool complete, u64 only_code) {
  AbbreviationTable table;
  table.format_ = format;
  ByteReader reader(bytes, order);
  while (reader.left() > 0) {
    const u64 code = get_uleb128(reader);
    if (code == 0) return reader.ok() || complete ? std::optional(std::move(table)) : std::nullopt;
    Abbreviation abbreviation{.tag = static_cast<DwarfTag>(get_uleb128(reader))};
    abbreviation.has_children = reader.get8() != 0;
    abbreviation.first_spec = static_cast<u32>(table.specs_.size());
    for (;;) {
      AttributeSpec spec{};
      spec.attribute = static_cast<DwarfAttribute>(get_uleb128(reader));
      spec.form = static_cast<DwarfForm>(get_uleb128(reader));
      if (spec.form == DwarfForm::ImplicitConstant) spec.implicit = get_sleb128(reader);
      if (!reader.ok()) return complete ? std::optional(std::move(table)) : std::nullopt;
      if (static_cast<u16>(spec.attribute) == 0 && static_cast<u16>(spec.form) == 0) break;
      if (spec.attribute == DwarfAttribute::Sibling) abbreviation.has_sibling = true;
      table.specs_.push_back(spec);
    }
    abbreviation.spec_count = static_cast<u32>(table.specs_.size()) - abbreviation.first_spec;
    table.add_steps(abbreviation);
    if (code == table.dense_.size() + 1)
      table.dense_.push_back(abbreviation);
    else
      table.sparse_.try_emplace(code, abbreviation);
    if (code == only_code) return table;
  }
  return complete ? std::optional(std::move(table)) : std::nullopt;
}

void AbbreviationTable::add_steps(Abbreviation& abbreviation) {
  abbreviation.first_step = static_cast<u32>(steps_.size());
  u32 fixed = 0;
  for (const AttributeSpec& spec : specs(abbreviation)) {
    if (const auto size = fixed_size(spec.form, format_)) {
      fixed += *size;
    } else {
      steps_.push_back(Step{fixed, spec.form});
      fixed = 0;
    }
  }
  if (fixed != 0) steps_.push_back(Step{fixed, DwarfForm::Address});
  abbreviation.step_count = static_cast<u32>(steps_.size()) - abbreviation.first_step;
}

bool AbbreviationTable::skip(ByteReader& reader, const Abbreviation& abbreviation) const {
  for (u32 i = 0; i < abbreviation.step_count; ++i) {
    const Step& step = steps_[abbreviation.first_step + i];
    reader.skip(step.fixed);
    if (step.form != DwarfForm::Address && !skip_form(reader, step.form, format_)) return false;
  }
  return reader.ok();
}

}  // namespace peregrine
