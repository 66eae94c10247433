// recording: the first and last steps of every command that reads a perf.data file: open it, set up symbols, and report
// what was missing. Main thread only.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/command.h"
#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "machine/source/source_table.h"
#include "pipeline/bundle/bundle.h"
#include "pipeline/decode/decoded_stream.h"
#include "pipeline/replay/account.h"
#include "pipeline/replay/event_switch.h"
#include "pipeline/replay/filter.h"
#include "symbol/lookup/debug_server.h"

namespace peregrine::cmd {

inline constexpr std::string_view kDefaultInput = "perf.data";

// Which recording `given`, a value of -i, means: where nothing is given, a pipe on standard input ("-"), else
// perf.data.
std::string recording_name(const std::string& given);

// report and annotate take a part of a symbol as word, as in linux-perf. Usage: it is a file, which -i names.
Result<> refuse_recordings(const Invocation& call);

// A reader with what came with the recording: the archive that holds it, or that lies beside it. Outlives the machine
// that reads symbols from there.
struct OpenedRecording : data::Reader {
  explicit OpenedRecording(data::Reader reader) : data::Reader(std::move(reader)) {}
  std::optional<Bundle> bundle = {};
  std::unique_ptr<DebugServer> server = {};     // whom SymbolPlaces ask, with --debuginfod
  std::unique_ptr<DecodedStream> decoded = {};  // of a recording whose traces are decoded
  Fd kallsyms = Fd(), kcore = Fd();             // those of record --kcore, which SymbolPlaces borrow
};

// Opens `path` ("" as recording_name() says, "-" standard input), which may be an archive that has a recording inside.
// The file must be the caller's or root's, unless `force`. Errors carry linux-perf's text; say_open_error prints them
// as it does.
Result<OpenedRecording> open_recording(const std::string& path, bool force);
// An archive, judged in the same way, unpacked into a private temporary folder.
Result<Bundle> open_archive(const std::string& path, bool force);
// The exit code.
int say_open_error(Invocation& call, const std::string& path, const Error& error);

// What --symfs means: where another machine's binaries lie, each at its path there, or all in the folder itself.
struct Sysroot {
  std::string folder;
  bool flat = false;
};

// Symbol options that report, script and others share.
struct SymbolOptions {
  std::string symfs;  // "DIR", "DIR,hierarchy", "DIR,flat": see sysroot()
  std::string vmlinux;
  std::string kallsyms;
  bool force = false;
  bool demangle = true;
  bool demangle_kernel = false;
  bool parameters = false;             // C++ names with them: what -v shows
  bool stripped_functions = false;     // see DebugSearch
  std::optional<std::string> servers;  // --debuginfod
  GuestPlaces guests = {};

  Sysroot sysroot() const;
};
// The recording's own copy of the kernel's symbols (record --kcore) serves where the options name none, and an archive
// beside it is opened when this machine lacks any of its files. Says what is missing from it.
SymbolPlaces symbol_places(const SymbolOptions& options, Invocation& call, OpenedRecording& recording);
// Of what runs here now.
SymbolPlaces live_symbol_places(const Config& config);

// --switch-on, --switch-off, --show-on-off-events: names of events.
struct SwitchOptions {
  std::string on, off;
  bool show = false;
};
// Nothing when there is no event of that name, which was then said.
std::optional<EventSwitch> make_event_switch(const SwitchOptions& options, const std::vector<std::string>& names,
                                             Invocation& call);

// A message that other programs match, and linux-perf's exit code for a command that could not start.
int refuse_verbatim(Invocation& call, std::string_view message, int code = 255);

// Lost, throttled, unordered and unreadable records, as warnings on stderr.
void warn_about_losses(Invocation& call, const ReplayAccount& account, const data::ReadAccount& read);

// Warns that --stitch-lbr has nothing to join.
void check_stitching(const data::Evlist& evlist, Invocation& call);

// Whether -C can choose samples of these events; says so when it cannot.
bool samples_have_cpus(const data::Evlist& evlist, Invocation& call);
// -C as report and annotate take it: `cpus` into the filter. False when samples_have_cpus() is; an error (Usage) for
// what is no list of CPUs.
Result<bool> choose_cpus(const std::string& cpus, const data::Evlist& evlist, SampleFilter& filter, Invocation& call);
// --time: spans of the recording; none: all of it. Errors: Usage, as parse_time_ranges().
Result<std::vector<TimeRange>> choose_times(std::string_view text, const data::Reader& reader);
// "a,b" as words.
std::vector<std::string> split_words(std::string_view text, char separator = ',');
template <class Set>
void add_words(Set& set, const std::string& list) {
  for (std::string& word : split_words(list)) set.insert(std::move(word));
}

}  // namespace peregrine::cmd
