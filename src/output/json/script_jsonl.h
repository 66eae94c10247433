// A sample as one JSON object per line: script --format jsonl.
//
//   {"time":17284.993652123,"event":"sched:sched_switch","comm":"bash","pid":1977,"tid":1977,"cpu":0,
//    "fields":{"prev_comm":"bash","prev_state":1},"labels":{"prev_state":"S"},"stack":[{"ip":"0x12","symbol":"main"}]}
//
// Numbers are numbers, text is text, arrays are arrays of numbers; "labels" has the names of flags and symbolic values.
// The members before "fields" are in the table of fields.
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

class JsonWriter : public SampleWriter {
 public:
  JsonWriter(std::span<const ScriptField> rows, unsigned max_stack)
      : max_stack_(max_stack), columns_(machine_columns(rows, kJsonFormat)) {}
  void put(ScriptText& out, const ScriptEvent& event, const ReplaySample& sample, Resolver& resolver) override;

 private:
  void add_stack(const FieldSource& source);

  unsigned max_stack_;
  std::vector<MachineField> columns_;
  std::string text_;
  std::vector<FrameId> chain_;
};

}  // namespace peregrine
