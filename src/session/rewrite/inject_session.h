// inject: copies a recording with edits, or with its hardware traces decoded; and converts the times of guests' traces
// in place.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auxtrace/itrace.h"
#include "base/result.h"
#include "output/sink.h"
#include "pipeline/decode/intel_pt/vm_times.h"
#include "pipeline/rewrite/build_id_injection.h"
#include "pipeline/rewrite/guest_merge.h"
#include "pipeline/rewrite/rewrite.h"
#include "session/recording/opened_recording.h"
#include "session/recording/symbol_request.h"
#include "session/session_listener.h"

namespace peregrine {

// Build-ids of paths: comma-separated "ID PATH" pairs, or "file://" and the name of a file with one pair per line.
// Errors: Usage, not such a pair; the file cannot be read.
Result<std::vector<KnownBuildId>> read_known_build_ids(const std::string& source);

// A guest's recording to merge: PATH,PID[,OFFSET[,SCALE]]. Errors: Usage.
struct GuestData {
  std::string path;
  GuestMergeOptions options;
};
Result<GuestData> parse_guest_data(std::string_view text);

// Errors: Usage, the copy would overwrite a regular file or folder that is being read: `input` ("-": standard input) or
// the guest's recording (empty: none).
Result<> check_copy_place(const std::string& output, const std::string& input, const std::string& guest);

struct InjectDecoding {
  ItraceOptions itrace;
  SymbolRequest symbols;
};

struct InjectRequest {
  std::string output;  // "-": standard output, as a pipe
  RewriteOptions edits;
  std::optional<InjectDecoding> decoding = {};  // decode hardware traces, without other edits
};

// Writes the copy, which appears at its path when complete. The listener gets warnings about the decoding. Errors:
// Unsupported, there are no traces to decode; reading, writing.
Result<RewriteSummary> inject_recording(const InjectRequest& request, OpenedRecording& recording,
                                        SessionListener& listener);

// Reports what could not be copied; `verbose`: also the added build-ids, and minor losses.
void report_rewrite(const RewriteSummary& summary, bool verbose, SessionListener& listener);

// Replaces guest times in a recording's Intel PT traces with the host's, in the file itself, unless `options.dry_run`.
// Errors of opening the recording are separate, since commands print them in linux-perf's words.
struct VmTimeOutcome {
  std::optional<Error> not_opened = {};
  VmTimes times = {};
};
Result<VmTimeOutcome> replace_vm_times(const std::string& path, const VmTimeOptions& options, bool force);
// Prints the offset of each guest, and reports errors and guests that were converted earlier.
void print_vm_times(const VmTimes& times, Sink& out, SessionListener& listener);

}  // namespace peregrine
