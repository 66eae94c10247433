// ScriptPlaces: the folders of plug-ins, scripts and their modules: lib/peregrine next to bin/, in the build tree and
// when installed, or the folder in PERF_EXEC_PATH.
//
//   lib/peregrine/script_python.so            the plug-ins
//   lib/peregrine/scripts/python/NAME.py      the scripts, and bin/NAME-record, bin/NAME-report
//   lib/peregrine/perf                        this program, as the shell files call it
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/frame/config.h"
#include "script/interpreter.h"

namespace peregrine::cmd {

struct ScriptPlaces {
  std::string plugins;  // always this program's own
  std::string scripts;  // PERF_EXEC_PATH for scripts

  static ScriptPlaces find(const Config& config);
  bool are_own() const { return scripts == plugins; }
  // The path for running a file in `scripts`: our own unchanged, those in PERF_EXEC_PATH only if nobody but the user
  // and root could have put them there. Errors: those of trusted_code().
  Result<std::string> usable(const std::string& file) const;
  // Sets PERF_EXEC_PATH and PATH, for scripts and their child processes.
  void set_environment(const Config& config) const;
};

// The value of -s: "python:FILE", "FILE.pl", or a name from the list.
struct ScriptSpec {
  script::Language language = script::Language::Python;
  std::string file;
};
// Usage: unknown language. Denied: a name from the list that usable() refuses.
Result<ScriptSpec> parse_script_spec(std::string_view text, const ScriptPlaces& places);
// Whether an argument is a script file, to be run as with -s: "dir/x.py", "x.pl". Errors: those of trusted_code(), for
// a file in the working folder that is named without a path.
Result<bool> is_script_file(const std::string& word);
// "python", "Perl", "py", "pl".
std::optional<script::Language> find_language(std::string_view name);

}  // namespace peregrine::cmd
