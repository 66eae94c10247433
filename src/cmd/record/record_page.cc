#include "cmd/record/record_page.h"

#include <fmt/format.h>

#include <expected>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cmd/report/report_options.h"
#include "cmd/sandbox/page_opener.h"
#include "output/text_file.h"
#include "pipeline/recording/recording.h"
#include "session/export/picture_request.h"

namespace peregrine::cmd {

Result<> check_page(const RecordCommandOptions& options) {
  if (options.open) PEREGRINE_TRY(check_open(options.html, "--html FILE"));
  if (options.html.empty()) return {};
  const RecordingRequest& recording = options.request.recording;
  const std::string_view excluded = recording.output.path == "-"       ? "output to a pipe"
                                    : recording.switching.when         ? "--switch-output"
                                    : recording.switching.stamped_name ? "--timestamp-filename"
                                    : !recording.rings.threads.empty() ? "--threads"
                                                                       : "";
  if (!excluded.empty())
    return std::unexpected(
        Error{ErrorKind::Usage, fmt::format("--html cannot be combined with {}", excluded)}.with_hint(
            "record first, then run `report --html FILE -i RECORDING`"));
  PEREGRINE_TRY(check_picture_file("--html", options.html, ".html"));
  if (options.html == "-") return {};
  auto writable = check_whole_file(options.html);
  if (!writable && writable.error().kind == ErrorKind::Denied)
    writable.error().hint = fmt::format("--html takes the name of the page: --html page.html -- {}", options.html);
  return writable;
}

Result<bool> write_page(const RecordCommandOptions& options, Invocation& call) {
  if (options.html.empty()) return false;
  ReportOptions shown{.input = options.request.recording.output.path};
  PEREGRINE_TRY(shown.configure(call.config));
  shown.symbols.servers = options.servers;
  shown.pictures.html = options.html;
  shown.request.look.quiet = options.request.quiet;
  // Arguments after the command's name are the workload there, but would be symbols here.
  Invocation alone = call;
  alone.words.clear();
  auto code = report(shown, alone);
  if (!code) return std::unexpected(std::move(code.error()));
  return *code == 0;
}

}  // namespace peregrine::cmd
