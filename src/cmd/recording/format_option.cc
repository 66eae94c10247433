#include "cmd/recording/format_option.h"

#include <unistd.h>

#include "base/result.h"
#include "cli/frame/csv_guard.h"
#include "cmd/recording/recording.h"
#include "output/sink.h"

namespace peregrine::cmd {

Result<int> write_into(const OutputFormat& format, Writing writing, const std::string& separator,
                       const std::string& input, Invocation& call, const std::function<Result<int>(Invocation&)>& run) {
  const bool csv = format.name == "csv";
  if (format.csv_safe && !csv && (separator.empty() || !format.name.empty()))
    return fail(ErrorKind::Usage, "--csv-safe requires CSV: use --format csv or, if available, --field-separator");
  const auto guarded = [&](Invocation& into) {
    return format.csv_safe ? guard_cells(csv ? std::string() : separator, into, run) : run(into);
  };
  const std::string& path = format.output;
  if (path.empty() || path == "-") return guarded(call);
  PEREGRINE_TRY(check_output(path, recording_name(input)));
  // A mistyped name of a recording must not overwrite the file: `run` reports it, and nothing is written.
  if (!input.empty() && input != "-" && ::access(input.c_str(), F_OK) != 0) return guarded(call);
  return write_output(path, writing, format.content(), [&](Sink& out) {
    Invocation redirected = call.with_output(out);
    return guarded(redirected);
  });
}

}  // namespace peregrine::cmd
