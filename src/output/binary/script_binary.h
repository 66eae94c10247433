// Samples as rows of 64-bit numbers in host byte order: script --format binary. The module `perf` fills its arrays from
// them.
//
// Columns are time (ns), pid, tid, cpu, period, ip, or tracepoint fields. Missing numbers are 0. There is no header:
// the reader chose the columns.
#pragma once
#include <string>
#include <vector>

#include "output/text/script/script_sample.h"

namespace peregrine {

class BinaryWriter : public SampleWriter {
 public:
  // If `columns` is empty: the six above, in that order.
  BinaryWriter(const std::vector<std::string>& columns, unsigned max_stack);
  void put(ScriptText& out, const ScriptEvent& event, const ReplaySample& sample, Resolver& resolver) override;

 private:
  enum class Kind : u8 { Time, Pid, Tid, Cpu, Period, Ip, Traced };
  struct Column {
    Kind kind = Kind::Traced;
    std::string name;
  };
  static Kind kind_of(std::string_view name);
  u64 value_of(const Column& column, const ScriptEvent& event, const ReplaySample& sample, Resolver& resolver);
  u64 innermost_address(const ScriptEvent& event, const ReplaySample& sample, Resolver& resolver);

  unsigned max_stack_;
  std::vector<Column> columns_;
  std::vector<FrameId> chain_;
};

}  // namespace peregrine
