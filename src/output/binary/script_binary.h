// Samples as rows of 64-bit numbers in host byte order: script --format binary. The module `perf` fills its arrays from
// them.
//
// Columns are fields (by default time in ns, pid, tid, cpu, period, ip) or tracepoint fields. Missing numbers are 0.
// There is no header: the reader chose the columns.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "output/text/field/field_value.h"
#include "output/text/field/script_field.h"
#include "output/text/field/script_plan.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class BinaryWriter : public SampleWriter {
 public:
  // If `columns` is empty: those of the table of fields.
  BinaryWriter(std::span<const ScriptField> rows, const std::vector<std::string>& columns, unsigned max_stack);
  void put(ScriptText& out, const ScriptEvent& event, const ReplaySample& sample, Resolver& resolver) override;

 private:
  struct Column {
    MachineField field;  // kind None for a tracepoint's field
    std::string traced;  // name of the tracepoint field
  };
  u64 value_of(const Column& column, FieldSource& source);
  u64 innermost_address(FieldSource& source);

  unsigned max_stack_;
  std::vector<Column> columns_;
  std::vector<FrameId> chain_;
};

}  // namespace peregrine
