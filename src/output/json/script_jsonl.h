// A sample as one JSON object per line: script --format jsonl.
//
//   {"time":17284.993652123,"event":"sched:sched_switch","comm":"bash","pid":1977,"tid":1977,"cpu":0,
//    "fields":{"prev_comm":"bash","prev_state":1},"labels":{"prev_state":"S"},"stack":[{"ip":"0x12","symbol":"main"}]}
//
// Numbers are numbers, text is text, arrays are arrays of numbers; "labels" has the names of flags and symbolic values.
#pragma once
#include <string>
#include <vector>

#include "output/text/script/script_sample.h"

namespace peregrine {

class JsonWriter : public SampleWriter {
 public:
  explicit JsonWriter(unsigned max_stack) : max_stack_(max_stack) {}
  void put(ScriptText& out, const ScriptEvent& event, const ReplaySample& sample, Resolver& resolver) override;

 private:
  unsigned max_stack_;
  std::string text_;
  std::vector<FrameId> chain_;
};

}  // namespace peregrine
