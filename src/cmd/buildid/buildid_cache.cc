// buildid-cache: lists, adds and removes files of the build-id cache.
#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number/quantity.h"
#include "base/result.h"
#include "base/types.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/recording/debug_servers.h"
#include "cmd/recording/kept_files.h"
#include "cmd/recording/recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "session/build_id/cache_keeper.h"
#include "session/sandbox/reader_sandbox.h"

namespace peregrine::cmd {
namespace {

struct BuildidCacheOptions {
  std::vector<std::string> add, remove, purge, update;
  std::string missing, kernel_core;
  std::optional<std::string> servers;
  u64 quota = 0;  // bytes; 0: none
  bool list = false, purge_all = false, force = false;
  bool show_lines = false, clear_lines = false;
  std::optional<int> target_namespace;
  int verbose = 0;
};

Result<u64> parse_quota(std::string_view words) {
  if (const auto bytes = parse_bytes(words)) return *bytes;
  return fail(ErrorKind::Usage, "invalid --quota '{}': must be a size such as 500M or 5G", words);
}

constexpr Option kBuildidCacheOptions[] = {
    {.name = "add",
     .letter = 'a',
     .value = Value::Required,
     .metavar = "file list",
     .help = "add these files, separated by commas",
     .store = set<&BuildidCacheOptions::add>},
    {.name = "force",
     .letter = 'f',
     .help = "with -M: read the recording regardless of its owner; with -k: add the kernel even if it is cached",
     .store = set<&BuildidCacheOptions::force>},
    {.name = "kcore",
     .letter = 'k',
     .value = Value::Required,
     .metavar = "file",
     .help = "add the running kernel's code and symbols: /proc/kcore",
     .store = set<&BuildidCacheOptions::kernel_core>},
    {.name = "list", .letter = 'l', .help = "list the cached files", .store = set<&BuildidCacheOptions::list>},
    {.name = "missing",
     .letter = 'M',
     .value = Value::Required,
     .metavar = "file",
     .help = "list the build-ids of a recording that are not cached",
     .store = set<&BuildidCacheOptions::missing>},
    {.name = "purge",
     .letter = 'p',
     .value = Value::Required,
     .metavar = "file list",
     .help = "remove all cached versions of these files",
     .store = set<&BuildidCacheOptions::purge>},
    {.name = "purge-all", .letter = 'P', .help = "remove everything", .store = set<&BuildidCacheOptions::purge_all>},
    {.name = "remove",
     .letter = 'r',
     .value = Value::Required,
     .metavar = "file list",
     .help = "remove the entries for these files' build-ids",
     .store = set<&BuildidCacheOptions::remove>},
    {.name = "update",
     .letter = 'u',
     .value = Value::Required,
     .metavar = "file list",
     .help = "replace the entries for these files' build-ids",
     .store = set<&BuildidCacheOptions::update>},
    {.name = "verbose", .letter = 'v', .help = "report each action", .store = count<&BuildidCacheOptions::verbose>},
    {.name = "debuginfod",
     .value = Value::Sticky,
     .metavar = "urls",
     .help = "with -a and -u: fetch debug symbols from these servers, or those of DEBUGINFOD_URLS",
     .store = set<&BuildidCacheOptions::servers>,
     .implied = ""},
    {.name = "quota",
     .value = Value::Required,
     .metavar = "size",
     .help = "remove least recently used entries until the cache fits this size (500M, 5G)",
     .store = set_parsed<&parse_quota, &BuildidCacheOptions::quota>,
     .since = Since::Ours},
    {.name = "show-lines",
     .help = "list cached source lines and call frames (bytes, build-id, kind), least recently used first",
     .store = set<&BuildidCacheOptions::show_lines>,
     .since = Since::Ours},
    {.name = "clear-lines",
     .help = "remove cached source lines and call frames",
     .store = set<&BuildidCacheOptions::clear_lines>,
     .since = Since::Ours},
    {.name = "target-ns",
     .value = Value::Required,
     .metavar = "n",
     .help = "resolve paths in the mount namespace of this process",
     .store = set<&BuildidCacheOptions::target_namespace>},
};
constexpr std::string_view kBuildidCacheUsage[] = {"[<options>]"};

std::string root_of(const BuildidCacheOptions& options) {
  return options.target_namespace ? fmt::format("/proc/{}/root", *options.target_namespace) : std::string();
}

NamesInside names_of(const BuildidCacheOptions& options) {
  NamesInside names;
  if (!options.target_namespace) return names;
  for (const auto* lists : {&options.add, &options.update, &options.purge})
    names.merge(names_inside(root_of(options), files_of_lists(*lists)));
  return names;
}

ReaderNeeds needs_of(const BuildidCacheOptions& options, const Config& config) {
  ReaderNeeds needs{.outputs = {config.buildid_directory()},
                    .servers = options.servers.has_value(),
                    .kernel_code = !options.kernel_core.empty(),
                    .links = true};
  if (!options.missing.empty()) needs.inputs.push_back(options.missing);
  if (!options.kernel_core.empty()) needs.inputs.push_back(options.kernel_core);
  for (const auto* lists : {&options.add, &options.update, &options.remove}) {
    if (options.target_namespace) break;  // the broker opens them
    std::ranges::move(files_of_lists(*lists), std::back_inserter(needs.inputs));
  }
  return needs;
}

// For root with another user's HOME, the cache is root's own rather than one that the user named.
Result<> check_whose_cache(const Invocation& call) {
  const std::string named(call.config.variable("HOME").value_or("")), home = call.config.home();
  if (named == home || call.config.buildid_directory() != home + "/.debug") return {};
  return std::unexpected(Error{
      ErrorKind::Usage, fmt::format("-P would empty {}/.debug, but HOME ('{}') belongs to another user", home, named)}
                             .with_hint(fmt::format("to empty it anyway, run: HOME={} {} buildid-cache -P", home,
                                                    call.messages.program())));
}

Result<int> buildid_cache(BuildidCacheOptions& options, Invocation& call) {
  if (options.show_lines) list_kept_files(kept_files(call.config), call.out);
  if (options.clear_lines) PEREGRINE_TRY(remove_kept_files(kept_files(call.config)));
  const bool lines_only = options.show_lines || options.clear_lines;
  const bool changes = !options.add.empty() || !options.remove.empty() || !options.purge.empty() ||
                       !options.update.empty() || !options.missing.empty() || options.purge_all ||
                       !options.kernel_core.empty() || options.quota != 0;
  if (!call.words.empty()) return fail(ErrorKind::Usage, "unexpected argument '{}'", call.words.front());
  if (!changes && !options.list && lines_only) return 0;
  if (!changes && !options.list) return fail(ErrorKind::Usage, "nothing to do");
  if (options.list && changes) return fail(ErrorKind::Usage, "-l is exclusive.");
  if (call.config.buildid_directory().empty())
    return fail(ErrorKind::Usage, "the build-id cache is disabled: buildid.dir is /dev/null");
  if (options.purge_all) PEREGRINE_TRY(check_whose_cache(call));
  NamesInside names = names_of(options);
  const auto sandbox = enter_sandbox(needs_of(options, call.config), call);
  if (!sandbox) return std::unexpected(sandbox.error());
  const CacheKeeper keeper({.folder = call.config.buildid_directory(),
                            .root = root_of(options),
                            .names = std::move(names),
                            .verbose = options.verbose > 0,
                            .force = options.force},
                           open_debug_servers(options.servers, call), call.messages);
  if (options.list) keeper.list(call.out);
  bool all_are_files = true;
  for (const std::string& file : files_of_lists(options.add)) all_are_files &= keeper.add(file);
  for (const std::string& file : files_of_lists(options.remove)) keeper.remove(file);
  for (const std::string& file : files_of_lists(options.purge)) keeper.purge(file);
  if (options.purge_all) keeper.purge_all();
  if (!options.missing.empty()) {
    const auto reader = open_recording(options.missing, options.force, call.messages);
    if (!reader) return say_open_error(call, options.missing, reader.error());
    keeper.print_missing(*reader, call.out);
  }
  for (const std::string& file : files_of_lists(options.update)) all_are_files &= keeper.update(file);
  if (!options.kernel_core.empty()) keeper.add_kernel(options.kernel_core);
  if (options.quota != 0) PEREGRINE_TRY(keeper.shrink(options.quota));
  return all_are_files ? 0 : 1;
}

constexpr std::string_view kBuildidCacheExamples[] = {
    "perf buildid-cache -l|list the cached files",
    "perf buildid-cache -a ./load|save a program before you rebuild it",
    "perf buildid-cache -M perf.data|list a recording's binaries that are not cached",
    "perf buildid-cache --quota 5G|shrink the cache to 5G, removing least recently used entries",
};

}  // namespace

constinit const Command kBuildidCache{
    .name = "buildid-cache",
    .summary = "Add, list and remove binaries in the build-id cache",
    .usage = kBuildidCacheUsage,
    .options = kBuildidCacheOptions,
    .description =
        "The build-id cache keeps copies of recorded programs, libraries and kernel symbols, so that you can read a "
        "recording after they have been rebuilt or upgraded. record fills the cache; this command lists, adds and "
        "removes entries.\n\n"
        "The cache is in ~/.debug, unless --buildid-dir, PERF_BUILDID_DIR or buildid.dir in perfconfig selects another "
        "folder; /dev/null disables it.\n\n"
        "report and script have a second cache, in $XDG_CACHE_HOME/peregrine, for source lines, inlined functions and "
        "the unwind tables of large programs. lines.cache-size in perfconfig limits its size (default: 256M; 0 "
        "disables it). --show-lines lists it, and --clear-lines empties it.",
    .examples = kBuildidCacheExamples,
    .run = entry<BuildidCacheOptions, buildid_cache>};

}  // namespace peregrine::cmd
