// The options that name a recording and its symbols, and the requests made from them. Each function creates a request
// for session/recording from options and configuration. Main thread only.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "machine/dso/dso.h"
#include "pipeline/bundle/bundle.h"
#include "pipeline/replay/event_switch.h"
#include "session/recording/opened_recording.h"
#include "session/recording/sample_choice.h"
#include "session/recording/symbol_request.h"

namespace peregrine::cmd {

inline constexpr std::string_view kDefaultInput = "perf.data";

// The recording named by `given`, a value of -i. By default: "-" if standard input is a pipe, else perf.data.
std::string recording_name(const std::string& given);

// report and annotate accept part of a symbol's name as an argument, as in linux-perf. Errors: Usage, the argument is a
// file, which -i accepts.
Result<> refuse_recordings(const Invocation& call);

// Whether an argument names a file that begins like perf.data.
bool is_recording(const std::string& word);
// The command to type to read it.
std::string recording_hint(const Invocation& call, std::string_view path);

// `path`: see recording_name(). The file must belong to the caller or root, unless `force`. say_open_error() prints
// errors as linux-perf does, and returns the exit code.
Result<OpenedRecording> open_recording(const std::string& path, bool force, SessionListener& listener);
Result<Bundle> open_archive(const std::string& path, bool force);
// `recorder`: the command that makes such recordings. `remedy`: what to do if the file is missing, for a default name
// that is in `path`.
int say_open_error(Invocation& call, const std::string& path, const Error& error, std::string_view recorder = "record",
                   std::string_view remedy = {});

// The symbol options shared by commands that read recordings.
struct SymbolOptions {
  std::string symfs;  // "DIR", "DIR,hierarchy", "DIR,flat": see sysroot()
  std::string vmlinux;
  std::string kallsyms;
  bool force = false;
  bool demangle = true;
  bool demangle_kernel = false;
  bool parameters = false;             // C++ names with their parameters, as with -v
  bool stripped_functions = false;     // see DebugSearch
  std::optional<std::string> servers;  // --debuginfod
  GuestPlaces guests = {};

  Sysroot sysroot() const;
};
SymbolRequest symbol_request(const SymbolOptions& options, const Config& config);
SymbolPlaces symbol_places(const SymbolOptions& options, Invocation& call, OpenedRecording& recording);

// As find_event_switch(). Nothing if there is no such event, which was reported; the exit code is 254.
std::optional<EventSwitch> make_event_switch(const SwitchedEvents& wanted, const std::vector<std::string>& names,
                                             Invocation& call);

// A message that other programs match, with linux-perf's exit code for a command that could not start.
int refuse_verbatim(Invocation& call, std::string_view message, int code = 255);

}  // namespace peregrine::cmd
