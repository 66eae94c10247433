// RecordableTracepoints: the tracepoints of one system ("sched") that this kernel can record. If they cannot be listed,
// all names count as present; `record` then reports why it cannot open them.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sys/root.h"

namespace peregrine {

class RecordableTracepoints {
 public:
  explicit RecordableTracepoints(std::string_view system, const Root& root = Root());

  bool has(std::string_view name) const { return !names_ || std::ranges::find(*names_, name) != names_->end(); }
  // Appends "-e", "SYSTEM:NAME" to `words` for each name that is present.
  void add_events(std::initializer_list<std::string_view> wanted, std::vector<std::string>& words) const;
  // The error to show if `record` fails with `failure` for these events. The user did not type them, so a syntax error
  // would be confusing: if tracefs is unreadable, that is the cause.
  Error cause_of(Error failure) const;

 private:
  std::string system_;
  std::optional<std::vector<std::string>> names_;
  std::optional<Error> denied_;
};

}  // namespace peregrine
