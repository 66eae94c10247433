// NamedScript: an installed script that is run by its name, with shell files that record for it and run it; and how
// a command line's arguments are divided between the two.
//
//   FOLDER/scripts/python/NAME.py, FOLDER/scripts/python/bin/NAME-record, FOLDER/scripts/python/bin/NAME-report
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace peregrine {

struct NamedScript {
  std::string name;                      // "syscall-counts"
  std::string description = {};          // from the line "# description:" in its report file
  std::string arguments = {};            // from the line "# args:": "[comm|pid]", "<comm>"
  std::string record = {}, report = {};  // paths; empty: none
};

// All scripts below `folder`, by name.
std::vector<NamedScript> named_scripts(const std::string& folder);
std::optional<NamedScript> find_named_script(const std::string& folder, std::string_view name);

struct LiveWords {
  std::vector<std::string> report;  // arguments of the script
  std::vector<std::string> record;  // options of `record` and a command
};
// Arguments before the first "--" belong to the script, those after it to `record`. Without "--", only the arguments
// that the script requires ("<comm>") belong to it, as in linux-perf; a script named "…top" gets all arguments. Errors:
// Usage, arguments are missing, or there are more than the script takes.
Result<LiveWords> split_live_words(const NamedScript& script, std::vector<std::string> words);
// Errors: Usage, more arguments than the script's "# args:" line has.
Result<> check_script_arguments(const NamedScript& script, const std::vector<std::string>& arguments);

}  // namespace peregrine
