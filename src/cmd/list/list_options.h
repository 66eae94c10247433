// The options of list. The option table and the Command are in the .cc file.
#pragma once
#include <string>

#include "cli/frame/command.h"
#include "event/source.h"

namespace peregrine::cmd {

struct ListRequest {
  EventSources sources;
  bool describe = true, long_description = false, details = false;
  bool deprecated = false, debug = false, raw_dump = false, json = false, summary = false;
  std::string cpu_type, unit, output;
  std::string attr_of;  // --attr: words for -e

  Result<> configure(const Config& config);
};

// In list.cc.
Result<int> run_list(ListRequest& request, Invocation& call);

// In list_attrs.cc.
Result<int> list_attrs(const std::string& words, ListRequest& request, Invocation& call);

}  // namespace peregrine::cmd
