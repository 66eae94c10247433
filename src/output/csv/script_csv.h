// A sample as a line of CSV: script --format csv.
//
//   time,event,comm,pid,tid,cpu,period,ip,symbol,dso,stack,trace
//   17284.993652123,cpu-clock,load,7,8,0,250000,0x401004,work,/opt/prog,main;work,
//
// `ip`, `symbol` and `dso` belong to the sampled address, `stack` is the call chain from the outermost frame, `trace`
// is a tracepoint's printed text. Missing values are empty.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "output/text/script/script_sample.h"

namespace peregrine {

inline constexpr std::string_view kScriptCsvTitles = "time,event,comm,pid,tid,cpu,period,ip,symbol,dso,stack,trace\n";

class CsvWriter : public SampleWriter {
 public:
  explicit CsvWriter(unsigned max_stack) : max_stack_(max_stack) {}
  void put(ScriptText& out, const ScriptEvent& event, const ReplaySample& sample, Resolver& resolver) override;

 private:
  void add_code(const ReplaySample& sample, Resolver& resolver);
  void add_stack(const ScriptEvent& event, const ReplaySample& sample, Resolver& resolver);

  unsigned max_stack_;
  std::string text_, stack_;
  ScriptText trace_;
  std::vector<FrameId> chain_;
};

}  // namespace peregrine
