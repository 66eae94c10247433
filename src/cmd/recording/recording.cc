#include "cmd/recording/recording.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/number/number_list.h"
#include "base/text/counted.h"
#include "cli/frame/nearest_file.h"
#include "cli/frame/standard_pipe.h"
#include "cmd/recording/damage.h"
#include "cmd/recording/debug_servers.h"
#include "cmd/recording/guest_settings.h"
#include "cmd/recording/kept_files.h"
#include "cmd/recording/temporary_folder.h"
#include "output/text/format/printable.h"
#include "pipeline/bundle/packed_recording.h"
#include "pipeline/bundle/tar_reader.h"
#include "symbol/elf/build_id.h"
#include "sys/hardware/cpu.h"
#include "sys/kernel/host.h"

namespace peregrine::cmd {

namespace {

TrustedOwner trusted_owner(bool force) { return force ? TrustedOwner::Anyone : TrustedOwner::SelfOrRoot; }

Result<OpenedRecording> open_with_kernel(data::RecordingFile file) {
  Fd kallsyms = std::move(file.kallsyms), kcore = std::move(file.kcore);
  auto reader = data::Reader::open(std::move(file));
  if (!reader) return std::unexpected(std::move(reader.error()));
  OpenedRecording recording(std::move(*reader));
  recording.kallsyms = std::move(kallsyms);
  recording.kcore = std::move(kcore);
  return recording;
}

Result<OpenedRecording> open_inside(data::RecordingFile file) {
  const std::string path = file.name;
  auto bundle = Bundle::open(std::move(file.main), path, temporary_folder());
  if (!bundle) return std::unexpected(std::move(bundle.error()));
  if (bundle->recording().empty()) {
    return std::unexpected(
        Error{ErrorKind::Malformed, fmt::format("{}: an archive without a recording", path)}.with_hint(
            "put it beside its perf.data, as perf.data.tar.bz2"));
  }
  auto recorded = data::open_recording_file(bundle->recording(), TrustedOwner::Anyone);
  if (!recorded) return std::unexpected(std::move(recorded.error()));
  auto recording = open_with_kernel(std::move(*recorded));
  if (recording) recording->bundle = std::move(*bundle);
  return recording;
}

}  // namespace

Result<Bundle> open_archive(const std::string& path, bool force) {
  auto file = data::open_file_beside(path, trusted_owner(force));
  if (!file) return std::unexpected(std::move(file.error()));
  return Bundle::open(std::move(*file), path, temporary_folder());
}

namespace {

// Whether a file of the build-id table is on this machine: kept, or still the one that was mapped.
bool is_here(const data::BuildIdEntry& entry, const DebugSearch& search) {
  if (!BuildIdCache(search.cache_folder).find(entry.id).empty()) return true;
  const auto here = entry.name.starts_with('/') ? read_build_id(search.symfs + search.below(entry.name))
                    : search.symfs.empty()      ? read_build_id_notes("/sys/kernel/notes")
                                                : Result<BuildId>(BuildId());
  return here && here->matches(entry.id);
}

bool lacks_files(const data::Reader& reader, const DebugSearch& search) {
  const auto& ids = reader.header().features.build_ids;
  return !ids || !std::ranges::all_of(*ids, [&](const data::BuildIdEntry& entry) { return is_here(entry, search); });
}

void open_archive_beside(OpenedRecording& recording, const DebugSearch& search, bool force, Messages& messages) {
  if (recording.bundle || recording.path() == "-") return;
  const std::string path = archive_beside(recording.path());
  if (path.empty() || !lacks_files(recording, search)) return;
  auto bundle = open_archive(path, force);
  if (!bundle) return messages.warning(bundle.error().message);
  recording.bundle = std::move(*bundle);
}

// Files that did not come along are found on this machine, or are missed by name.
void tell_bundle(const OpenedRecording& recording, const DebugSearch& search, Messages& messages) {
  for (const std::string& problem : recording.bundle->problems()) messages.warning("archive: " + printable(problem));
  const auto& ids = recording.header().features.build_ids;
  if (!ids) return;
  for (const data::BuildIdEntry& entry : *ids) {
    if (!recording.bundle->has(entry.id) && !is_here(entry, search))
      messages.warning(printable(fmt::format("archive: {} {} is missing", entry.id.hex(), entry.name)));
  }
}

}  // namespace

std::string recording_name(const std::string& given) {
  if (!given.empty()) return given;
  return is_pipe(STDIN_FILENO) ? "-" : std::string(kDefaultInput);
}

Result<> refuse_recordings(const Invocation& call) {
  for (const std::string& word : call.words) {
    std::error_code error;
    const bool is_path = word.find('/') != std::string::npos || word.find("perf.data") != std::string::npos;
    if (!is_path || !std::filesystem::exists(word, error)) continue;
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("'{}' is a file, not a symbol", word)}.with_hint(
        fmt::format("read a recording with: {} {} -i {}", call.messages.program(), call.command.name, word)));
  }
  return {};
}

Result<OpenedRecording> open_recording(const std::string& path, bool force) {
  const std::string name = recording_name(path);
  if (name == "-") {
    auto reader = data::Reader::open(name);
    if (!reader) return std::unexpected(std::move(reader.error()));
    return OpenedRecording(std::move(*reader));
  }
  auto file = data::open_recording_file(name, trusted_owner(force));
  if (!file) return std::unexpected(std::move(file.error()));
  if (file->regular() && file->status.st_size == 0)
    return fail(ErrorKind::Malformed, "zero-sized data ({}), nothing to do!", name);
  if (file->regular() && !file->folder && is_tar(file->main.get(), name)) return open_inside(std::move(*file));
  if (file->regular() && !file->folder) {
    auto unpacked = unpack_recording(file->main, name, temporary_folder());
    if (!unpacked) return std::unexpected(std::move(unpacked.error()));
    if (*unpacked) file->main = std::move(**unpacked);
  }
  return open_with_kernel(std::move(*file));
}

int say_open_error(Invocation& call, const std::string& path, const Error& error) {
  const std::string name = recording_name(path);
  if (error.kind == ErrorKind::NotFound || error.kind == ErrorKind::Denied) {
    if (error.system_errno == 0 && error.kind == ErrorKind::Denied) {
      call.messages.verbatim(error.message + "\n");
    } else {
      call.messages.verbatim(
          fmt::format("failed to open {}: {}{}\n", name,
                      error.kind == ErrorKind::NotFound ? "No such file or directory" : "Permission denied",
                      path.empty() ? fmt::format("  (try '{} record' first)", call.messages.program()) : ""));
    }
    const std::string hint = error.kind == ErrorKind::NotFound && !path.empty() ? nearest_file_hint(path) : "";
    if (!hint.empty()) call.messages.verbatim(fmt::format("hint: {}\n", hint));
    return 255;
  }
  if (error.message.starts_with("zero-sized")) {
    call.messages.verbatim(error.message + "\n");
    return 255;
  }
  Error said = error;
  if (name == "-" && said.hint.empty()) said.hint = "a recording is written into a pipe with `record -o -`";
  call.messages.error(said);
  return 234;
}

Sysroot SymbolOptions::sysroot() const {
  const std::size_t comma = symfs.rfind(',');
  if (comma == std::string::npos) return {symfs, false};
  const std::string_view layout = std::string_view(symfs).substr(comma + 1);
  if (layout != "flat" && layout != "hierarchy") return {symfs, false};  // the comma belongs to the folder's name
  return {symfs.substr(0, comma), layout == "flat"};
}

SymbolPlaces live_symbol_places(const Config& config) {
  SymbolPlaces places;
  places.search.cache_folder = config.buildid_directory();
  places.own_cache_folder = config.cache_directory();
  places.kept = kept_files(config);
  places.kernel_release = read_host(places.live_root).release;
  return places;
}

SymbolPlaces symbol_places(const SymbolOptions& options, Invocation& call, OpenedRecording& reader) {
  const Config& config = call.config;
  SymbolPlaces places = live_symbol_places(config);
  const Sysroot sysroot = options.sysroot();
  places.search.symfs = sysroot.folder;
  places.search.flat = sysroot.flat;
  // With another root its own cache counts, not this machine's.
  if (!sysroot.folder.empty()) places.search.cache_folder = sysroot.folder + "/.debug";
  open_archive_beside(reader, places.search, options.force, call.messages);
  if (reader.bundle) {
    places.search.bundle_folder = reader.bundle->folder();
    tell_bundle(reader, places.search, call.messages);
  }
  reader.server = open_debug_servers(options.servers, call);
  if (reader.server) {
    places.search.fetch = [server = reader.server.get()](const BuildId& id, ServerFile wish) {
      return server->fetch(id, wish);
    };
  }
  places.kallsyms = options.kallsyms;
  if (places.kallsyms.empty())
    places.recorded_kernel = {reader.kallsyms.get(), reader.kcore.get(), reader.path() + "/kcore_dir/"};
  places.vmlinux = options.vmlinux;
  places.guests = guest_places(config, options.guests);
  places.check_perf_map_owner = !options.force;
  places.demangle = options.demangle;
  places.demangle_kernel = options.demangle_kernel;
  places.search.stripped_functions =
      options.stripped_functions && config.flag("report.stripped-functions", true).value_or(true);
  if (options.parameters) places.demangle_detail = DemangleDetail::Parameters;
  places.kernel_release = reader.header().features.os_release.value_or("");
  return places;
}

std::optional<EventSwitch> make_event_switch(const SwitchOptions& options, const std::vector<std::string>& names,
                                             Invocation& call) {
  std::optional<u32> found[2];
  const std::string* wanted[2] = {&options.on, &options.off};
  for (std::size_t i = 0; i < 2; ++i) {
    if (wanted[i]->empty()) continue;
    const auto at = std::find(names.begin(), names.end(), *wanted[i]);
    if (at == names.end()) {
      call.messages.verbatim(fmt::format("ERROR: switch-{} event not found ({})\n", i == 0 ? "on" : "off", *wanted[i]));
      call.messages.verbatim(
          fmt::format("HINT:  use '{} evlist' to see the available event names\n", call.messages.program()));
      return std::nullopt;
    }
    found[i] = static_cast<u32>(at - names.begin());
  }
  return EventSwitch(found[0], found[1], options.show);
}

namespace {

void warn_about_jitdumps(Invocation& call, const ReplayAccount& account) {
  if (account.lost_jitdumps != 0) {
    call.messages.warning(
        fmt::format("{} of a JIT compiler cannot be read; its code has no names",
                    account.lost_jitdumps == 1 ? "a dump" : fmt::format("{} dumps", account.lost_jitdumps)));
  }
  if (account.timeless_jitdumps != 0) {
    call.messages.warning(
        "the recording's clock is not that of the JIT compiler's dump; code is named by the last owner of its address "
        "(record with -k mono)");
  }
}

}  // namespace

// Recordings whose stacks are branch records are rare, those without get linux-perf's own words.
void check_stitching(const data::Evlist& evlist, Invocation& call) {
  if (std::ranges::any_of(evlist, [](const data::Event& event) {
        return (event.attr.branch_sample_type & abi::branch_bit::CallStack) != 0;
      })) {
    return;
  }
  call.messages.verbatim(
      "Warning:\nCan't find LBR callchain. Switch off --stitch-lbr.\n"
      "Please apply --call-graph lbr when recording.\n");
}

namespace {

void warn_about_outside_processes(Invocation& call, const ReplayAccount& account) {
  if (account.outside_records == 0) return;
  call.messages.warning(
      "recorded inside a PID namespace: samples of processes outside of it have pid 0 and are shown as swapper, "
      "without names of functions",
      "record outside of the namespace (container) to see them");
}

void warn_about_traces(Invocation& call, const ReplayAccount& account) {
  if (account.aux_lost != 0)
    call.messages.warning(
        fmt::format("AUX data lost {}: parts of hardware traces are missing", counted(account.aux_lost, "time")),
        "record with larger buffers: -m ,PAGES");
  if (account.aux_partial != 0)
    call.messages.warning(fmt::format("AUX data had gaps in it {}", counted(account.aux_partial, "time")),
                          "a guest of KVM may have run meanwhile");
  if (account.aux_collisions != 0)
    call.messages.warning(fmt::format("AUX data has {}: records of a trace came too fast for their buffer",
                                      counted(account.aux_collisions, "collision")),
                          "record with a longer period");
}

}  // namespace

void warn_about_losses(Invocation& call, const ReplayAccount& account, const data::ReadAccount& read) {
  warn_about_jitdumps(call, account);
  warn_about_traces(call, account);
  warn_about_outside_processes(call, account);
  if (account.lost_records != 0) {
    call.messages.verbatim(
        fmt::format("Warning:\nProcessed {} events and lost {} chunks!\n\nCheck IO/CPU overload!\n\n", read.records,
                    account.lost_records));
  }
  if (account.lost_samples != 0) {
    const auto lost = static_cast<double>(account.lost_samples);
    const double share = lost / (lost + static_cast<double>(account.samples));
    if (share > 0.05) {
      call.messages.verbatim(fmt::format("Warning:\nProcessed {} samples and lost {:3.2f}%!\n\n",
                                         account.samples + account.lost_samples, share * 100));
    }
  }
  if (account.unordered != 0) {
    call.messages.verbatim(fmt::format("Warning:\n{} out of order events recorded.\n", account.unordered));
  }
  if (account.proc_map_timeouts != 0) {
    call.messages.verbatim(fmt::format(
        "Warning:\n{} map information files for pre-existing threads were\nnot processed, if there are samples for "
        "addresses they\nwill not be resolved, you may find out which are these\nthreads by running with -v and "
        "redirecting the output\nto a file.\nThe time limit to process proc map is too short?\nIncrease it by "
        "--proc-map-timeout\n",
        account.proc_map_timeouts));
  }
  if (account.unknown_event.count != 0) {
    call.messages.verbatim(
        fmt::format("Warning:\n{} samples with id not present in the header\n", account.unknown_event.count));
  }
  constexpr auto kTraceError = static_cast<std::size_t>(abi::RecordType::AuxtraceError);
  if (account.records.size() > kTraceError && account.records[kTraceError] != 0)
    call.messages.verbatim(fmt::format("Warning:\n{} instruction trace errors\n", account.records[kTraceError]));
  warn_about_damage(call, account, read);
}

bool samples_have_cpus(const data::Evlist& evlist, Invocation& call) {
  const auto has_cpu = [](const data::Event& event) { return event.attr.samples(abi::sample_bit::Cpu); };
  if (std::ranges::all_of(evlist, has_cpu)) return true;
  call.messages.verbatim("File does not contain CPU events. Remove -C option to proceed.\n");
  return false;
}

Result<bool> choose_cpus(const std::string& cpus, const data::Evlist& evlist, SampleFilter& filter, Invocation& call) {
  if (cpus.empty()) return true;
  if (!samples_have_cpus(evlist, call)) return false;
  auto numbers = parse_number_list(cpus, kHighestCpu);
  if (!numbers) return fail(ErrorKind::Usage, "Invalid cpu_list");
  filter.cpus = std::move(*numbers);
  return true;
}

Result<std::vector<TimeRange>> choose_times(std::string_view text, const data::Reader& reader) {
  if (text.empty()) return std::vector<TimeRange>();
  const auto& span = reader.header().features.sample_times;
  return parse_time_ranges(text, span ? span->first : 0, span ? span->last : 0);
}

std::vector<std::string> split_words(std::string_view text, char separator) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (end != 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

int refuse_verbatim(Invocation& call, std::string_view message, int code) {
  call.messages.verbatim(fmt::format("{}\n", message));
  return code;
}

}  // namespace peregrine::cmd
