// The options of `record`. The option table and the Command are in the .cc file.
//
// `request` is passed to the session; record() adds what the options do not specify, such as the workload. The
// other members concern only the command line.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/target/control_channel.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "event/config/callgraph.h"
#include "event/config/record_config.h"
#include "session/events/requested_events.h"
#include "session/probe/temporary_probes.h"
#include "session/record/record_request.h"

namespace peregrine::cmd {

struct RecordCommandOptions {
  RequestedEvents events;
  RecordRequest request;

  CallgraphRequest usual_callgraph{.mode = CallgraphMode::FramePointer};  // mode of -g
  std::optional<ControlChannel> control;                                  // --control
  std::vector<std::string> probes;                                        // --probe
  std::string html;                                                       // page of the recording
  bool open = false;                                                      // that page, in a browser
  std::optional<std::string> servers;                                     // --debuginfod
  bool no_build_id_cache = false;
  bool dry_run = false;
  std::string filter_setup;  // --setup-filter: "pin", "unpin", or "" to record
  std::string vmlinux;
  std::string accepted;  // option values that need no processing here

  // Probes at SDT markers named by -e (record_markers.cc); removed after the recording.
  std::vector<std::unique_ptr<TemporaryProbes>> markers;

  SamplingRequest& sampling() { return request.recording.config.sampling; }
  SampleFieldRequest& fields() { return request.recording.config.fields; }
  CallgraphRequest& callgraph() { return request.recording.config.callchains.callgraph; }

  // Reads perfconfig settings before the command line is parsed.
  Result<> configure(const Config& settings);
  Result<> prepare(Invocation& call);
};

// The command itself, in record.cc.
Result<int> record(RecordCommandOptions& options, Invocation& call);

// Sets what a command line does not specify about the recording or view: the program's name and version.
void describe_program(RecordRequest& request, const Invocation& call);

}  // namespace peregrine::cmd
