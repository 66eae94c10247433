// A sample as a line of CSV: script --format csv.
//
//   time,event,comm,pid,tid,cpu,period,ip,symbol,dso,stack,trace
//   17284.993652123,cpu-clock,load,7,8,0,250000,0x401004,work,/opt/prog,main;work,
//
// `ip`, `symbol` and `dso` belong to the sampled address, `stack` is the call chain from the outermost frame, `trace`
// is a tracepoint's printed text. Missing values are empty. The table of fields has the columns.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "machine/resolver/resolver.h"
#include "output/text/field/field_value.h"
#include "output/text/field/script_field.h"
#include "output/text/field/script_plan.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// The first line, with its newline.
std::string script_csv_titles(std::span<const ScriptField> rows);

class CsvWriter : public SampleWriter {
 public:
  CsvWriter(std::span<const ScriptField> rows, unsigned max_stack)
      : max_stack_(max_stack), columns_(machine_columns(rows, kCsvFormat)) {}
  void put(ScriptText& out, const ScriptEvent& event, const ReplaySample& sample, Resolver& resolver) override;

 private:
  void add(const MachineField& column, FieldSource& source);
  void add_stack(const FieldSource& source);
  void add_trace(const FieldSource& source);

  unsigned max_stack_;
  std::vector<MachineField> columns_;
  std::string text_, stack_;
  ScriptText trace_;
  std::vector<FrameId> chain_;
};

}  // namespace peregrine
