#include "cmd/recording/recording.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <system_error>

#include "base/fd.h"
#include "base/result.h"
#include "cli/frame/config.h"
#include "cli/frame/nearest_file.h"
#include "cli/frame/standard_pipe.h"
#include "cmd/recording/debug_servers.h"
#include "cmd/recording/guest_settings.h"
#include "cmd/recording/kept_files.h"
#include "cmd/recording/temporary_folder.h"
#include "data/header/file_header.h"
#include "pipeline/bundle/bundle.h"
#include "pipeline/replay/event_switch.h"

namespace peregrine::cmd {

std::string recording_name(const std::string& given) {
  if (!given.empty()) return given;
  return is_pipe(STDIN_FILENO) ? "-" : std::string(kDefaultInput);
}

bool is_recording(const std::string& word) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(word, error)) return false;
  const auto file = open_file(word, O_RDONLY);
  std::array<char, data::kMagic2.size()> magic{};
  const auto size = file ? read_full(file->get(), magic.data(), magic.size()) : 0;
  return size == magic.size() && std::string_view(magic.data(), magic.size()) == data::kMagic2;
}

std::string recording_hint(const Invocation& call, std::string_view path) {
  return fmt::format("to read a recording, run: {} {} -i {}", call.messages.program(), call.command.name, path);
}

Result<> refuse_recordings(const Invocation& call) {
  for (const std::string& word : call.words) {
    std::error_code error;
    const bool is_path = word.find('/') != std::string::npos || word.find("perf.data") != std::string::npos;
    if (!(is_path && std::filesystem::exists(word, error)) && !is_recording(word)) continue;
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("'{}' is a file, not a symbol", word)}.with_hint(
        recording_hint(call, word)));
  }
  return {};
}

Result<OpenedRecording> open_recording(const std::string& path, bool force, SessionListener& listener) {
  return peregrine::open_recording(
      {.path = recording_name(path), .force = force, .temporary_folder = temporary_folder()}, listener);
}

Result<Bundle> open_archive(const std::string& path, bool force) {
  return peregrine::open_archive({.path = path, .force = force, .temporary_folder = temporary_folder()});
}

int say_open_error(Invocation& call, const std::string& path, const Error& error, std::string_view recorder,
                   std::string_view remedy) {
  const std::string name = recording_name(path);
  std::string tried = remedy.empty() ? std::string() : fmt::format("  ({})", remedy);
  if (path.empty()) tried = fmt::format("  (try '{} {}' first)", call.messages.program(), recorder);
  if (error.kind == ErrorKind::NotFound || error.kind == ErrorKind::Denied) {
    if (error.system_errno == 0 && error.kind == ErrorKind::Denied) {
      call.messages.verbatim(error.message + "\n");
    } else {
      call.messages.verbatim(
          fmt::format("failed to open {}: {}{}\n", name,
                      error.kind == ErrorKind::NotFound ? "No such file or directory" : "Permission denied", tried));
    }
    const std::string hint = error.kind == ErrorKind::NotFound && tried.empty() ? nearest_file_hint(path) : "";
    if (!hint.empty()) call.messages.verbatim(fmt::format("hint: {}\n", hint));
    return 255;
  }
  if (error.message.starts_with("zero-sized")) {
    call.messages.verbatim(error.message + "\n");
    return 255;
  }
  Error said = error;
  if (name == "-" && said.hint.empty()) said.hint = "to write a recording to a pipe, use `record -o -`";
  call.messages.error(said);
  return 255;
}

Sysroot SymbolOptions::sysroot() const {
  const std::size_t comma = symfs.rfind(',');
  if (comma == std::string::npos) return {symfs, false};
  const std::string_view layout = std::string_view(symfs).substr(comma + 1);
  if (layout != "flat" && layout != "hierarchy") return {symfs, false};  // the comma belongs to the folder's name
  return {symfs.substr(0, comma), layout == "flat"};
}

namespace {

UserFolders user_folders(const Config& config) {
  return {.build_ids = config.buildid_directory(), .own_cache = config.cache_directory(), .kept = kept_files(config)};
}

}  // namespace

SymbolRequest symbol_request(const SymbolOptions& options, const Config& config) {
  SymbolRequest request{.folders = user_folders(config),
                        .temporary_folder = temporary_folder(),
                        .sysroot = options.sysroot(),
                        .vmlinux = options.vmlinux,
                        .kallsyms = options.kallsyms,
                        .guests = guest_places(config, options.guests),
                        .force = options.force,
                        .demangle = options.demangle,
                        .demangle_kernel = options.demangle_kernel,
                        .parameters = options.parameters};
  if (options.servers) request.servers = debug_server_request(*options.servers, config);
  request.stripped_functions =
      options.stripped_functions && config.flag("report.stripped-functions", true).value_or(true);
  return request;
}

SymbolPlaces symbol_places(const SymbolOptions& options, Invocation& call, OpenedRecording& recording) {
  return symbol_places(symbol_request(options, call.config), recording, call.messages);
}

std::optional<EventSwitch> make_event_switch(const SwitchedEvents& wanted, const std::vector<std::string>& names,
                                             Invocation& call) {
  auto found = find_event_switch(wanted, names);
  if (found) return *found;
  call.messages.verbatim(fmt::format("ERROR: {}\n", found.error().message));
  call.messages.verbatim(
      fmt::format("HINT:  use '{} evlist' to see the available event names\n", call.messages.program()));
  return std::nullopt;
}

int refuse_verbatim(Invocation& call, std::string_view message, int code) {
  call.messages.verbatim(fmt::format("{}\n", message));
  return code;
}

}  // namespace peregrine::cmd
