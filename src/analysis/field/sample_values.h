// SampleValues: the fields of a replayed sample, for expressions. One thread.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/field/field_values.h"
#include "analysis/field/sample_field.h"
#include "base/number/wide_number.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "event/tracepoint/trace_formats.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class SampleValues : public FieldValues {
 public:
  // The fields of a recording; all three must outlive the source.
  static UsedFields::Source source(const data::Evlist& evlist, const std::vector<std::string>& names,
                                   const TraceFormats& formats);
  // `fields`: in the order of UsedFields::used().
  explicit SampleValues(std::vector<SampleField> fields) : fields_(std::move(fields)) {}

  // The sample that the values are of; both are borrowed.
  void point_at(const ReplaySample& sample, Resolver& resolver) {
    sample_ = &sample;
    resolver_ = &resolver;
  }
  std::optional<i128> number(std::size_t field) const override;
  bool append(std::string& out, std::size_t field) const override;

 private:
  std::vector<SampleField> fields_;
  const ReplaySample* sample_ = nullptr;
  Resolver* resolver_ = nullptr;
};

}  // namespace peregrine
