#include "analysis/field/sample_values.h"

#include <string_view>

namespace peregrine {

UsedFields::Source SampleValues::source(const data::Evlist& evlist, const std::vector<std::string>& names,
                                        const TraceFormats& formats) {
  return {.kind =
              [&evlist, &names, &formats](std::string_view name) {
                const auto field = SampleField::make(name, evlist, names, formats);
                return field ? field->kind() : FieldForm::Unknown;
              },
          .all = [&evlist, &formats] { return SampleField::all(evlist, formats); }};
}

std::optional<i128> SampleValues::number(std::size_t field) const { return fields_[field].number(*sample_); }

bool SampleValues::append(std::string& out, std::size_t field) const {
  return fields_[field].append(out, *sample_, *resolver_);
}

}  // namespace peregrine
