// buildid-cache: what the build-id cache holds, what it lacks, and putting files in and out by hand.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>

#include "base/file/output_place.h"
#include "base/judged_file.h"
#include "base/number/quantity.h"
#include "cmd/command_table.h"
#include "cmd/recording/debug_servers.h"
#include "cmd/recording/kept_files.h"
#include "cmd/recording/recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "output/text/format/printable.h"
#include "pipeline/recording/output/kernel_copy.h"
#include "probe/registry/probe_cache.h"
#include "symbol/elf/build_id.h"
#include "symbol/kernel/kallsyms_cache.h"
#include "symbol/lookup/build_id_cache.h"

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

Result<> set_quota(BuildidCacheOptions& options, const Use& use) {
  const auto bytes = use.negated ? std::optional<u64>(0) : parse_bytes(use.value);
  if (!bytes) return fail(ErrorKind::Usage, "--quota wants a size such as 500M or 5G, not '{}'", use.value);
  options.quota = *bytes;
  return {};
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
     .help = "with -M: read the recording regardless of its owner; with -k: add a kernel that is already cached again",
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
     .help = "remove every version that was cached under these paths",
     .store = set<&BuildidCacheOptions::purge>},
    {.name = "purge-all", .letter = 'P', .help = "remove everything", .store = set<&BuildidCacheOptions::purge_all>},
    {.name = "remove",
     .letter = 'r',
     .value = Value::Required,
     .metavar = "file list",
     .help = "remove entries with the build-ids of these files",
     .store = set<&BuildidCacheOptions::remove>},
    {.name = "update",
     .letter = 'u',
     .value = Value::Required,
     .metavar = "file list",
     .help = "replace entries with the build-ids of these files",
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
     .help = "remove the least recently used entries until the rest fits this size (500M, 5G)",
     .store = call<set_quota>,
     .since = Since::Ours},
    {.name = "show-lines",
     .help = "list cached source lines and call frames: bytes, build-id and kind, the least recently used first",
     .store = set<&BuildidCacheOptions::show_lines>,
     .since = Since::Ours},
    {.name = "clear-lines",
     .help = "remove cached source lines and call frames",
     .store = set<&BuildidCacheOptions::clear_lines>,
     .since = Since::Ours},
    {.name = "target-ns",
     .value = Value::Required,
     .metavar = "n",
     .help = "resolve paths in the namespace of this process",
     .store = set<&BuildidCacheOptions::target_namespace>},
};
constexpr std::string_view kBuildidCacheUsage[] = {"[<options>]"};

// The path without links, as a process sees it whose root is `root`.
std::string resolve_inside(const std::string& root, const std::string& path) {
  constexpr int kMostLinks = 40;
  std::filesystem::path done = "/";
  std::vector<std::filesystem::path> left;  // the next part last
  const auto push = [&left](const std::filesystem::path& parts) {
    const std::vector<std::filesystem::path> all(parts.begin(), parts.end());
    left.insert(left.end(), all.rbegin(), all.rend());
  };
  push(path);
  for (int links = 0; !left.empty() && links < kMostLinks;) {
    const std::filesystem::path part = std::move(left.back());
    left.pop_back();
    if (part == "..") done = done.parent_path();
    if (part == "/" || part == ".." || part == "." || part.empty()) continue;
    std::error_code error;
    const auto target = std::filesystem::read_symlink(root + (done / part).string(), error);
    if (error) {
      done /= part;
      continue;
    }
    if (target.is_absolute()) done = "/";
    push(target);
    ++links;
  }
  return done.string();
}

// Of --target-ns: what the files of the command line are called there, without links.
using NamesInside = std::map<std::string, std::string>;

std::string root_of(const BuildidCacheOptions& options) {
  return options.target_namespace ? fmt::format("/proc/{}/root", *options.target_namespace) : std::string();
}

class CacheKeeper {
 public:
  CacheKeeper(const BuildidCacheOptions& options, NamesInside names, Invocation& call)
      : options_(options),
        call_(call),
        names_(std::move(names)),
        cache_(call.config.buildid_directory()),
        server_(open_debug_servers(options.servers, call)) {
    root_ = root_of(options);
  }

  void list() const {
    for (const auto& entry : cache_.entries()) {
      // The vdso is kept for symbols; it is no file that somebody could want back.
      if (entry.leaf != "vdso") call_.out.format("{} {}\n", entry.id.hex(), printable(entry.name));
    }
  }

  Result<> print_missing() const {
    auto reader = open_recording(options_.missing, options_.force);
    if (!reader) return std::unexpected(std::move(reader.error()));
    const auto& ids = reader->header().features.build_ids;
    if (!ids) return {};
    for (const data::BuildIdEntry& entry : *ids) {
      if (cache_.find(entry.id).empty()) call_.out.format("{:>40} {}\n", entry.id.hex(), printable(entry.name));
    }
    return {};
  }

  // False: it is neither a file nor missing, but a FIFO or a device.
  bool add(const std::string& file) const { return keep(file, false); }
  // In place of what is there.
  bool update(const std::string& file) const { return keep(file, true); }

  void remove(const std::string& file) const {
    const auto id = read_build_id(root_ + file);
    if (!id) return complain("remove", file, id.error());
    const auto removed = cache_.remove(*id);
    say("Removing", *id, file, removed && *removed);
    if (!removed) return complain("remove", file, removed.error());
    if (!*removed) note(fmt::format("{} wasn't in the cache\n", file));
  }

  void purge(const std::string& file) const {
    bool all = true;
    for (const BuildId& id : cache_.ids_of(full_name(file))) {
      const auto removed = cache_.remove(id);
      say("Removing", id, file, removed && *removed);
      all = all && removed;
    }
    note(fmt::format("Purging {}: {}\n", file, all ? "Ok" : "FAIL"));
  }

  void purge_all() const {
    bool all = true;
    for (const auto& entry : cache_.entries()) {
      const auto removed = cache_.remove(entry.id);
      note(fmt::format("Removing {} ({}): {}\n", printable(entry.name), entry.id.hex(), removed ? "Ok" : "FAIL"));
      all = all && removed;
    }
    note(fmt::format("Purged all: {}\n", all ? "Ok" : "FAIL"));
  }

  void add_kernel(const std::string& core) const {
    if (auto added = copy_running_kernel(core); !added) complain("add", core, added.error());
  }

  Result<> shrink() const {
    auto dropped = cache_.shrink_to(options_.quota);
    if (!dropped) return std::unexpected(std::move(dropped.error()));
    for (const auto& entry : *dropped)
      note(fmt::format("Removing {} ({}): Ok\n", printable(entry.name), entry.id.hex()));
    return {};
  }

 private:
  bool keep(const std::string& file, bool anew) const {
    keep_file(file, anew);
    struct stat status{};
    return ::stat((root_ + file).c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
  }

  void keep_file(const std::string& file, bool anew) const {
    const std::string_view verb = anew ? "update" : "add";
    const auto id = read_build_id(root_ + file);
    if (!id) return complain(verb, file, id.error());
    if (anew) {
      if (const auto removed = cache_.remove(*id); !removed) return complain(verb, file, removed.error());
    }
    const auto added = cache_.add_file(*id, full_name(file), root_ + file, fetched_debug(*id));
    say(anew ? "Updating" : "Adding", *id, file, added.has_value());
    if (!added) return complain(verb, file, added.error());
    const auto elf = ElfFile::open(root_ + file);
    const auto noted =
        elf ? cache_markers(build_id_cache_path(cache_.folder(), *id, "probes"), *elf, full_name(file)) : Result<>();
    if (!noted) complain(verb, file, noted.error());
  }

  // What a server has, where nothing is installed; empty for none.
  std::string fetched_debug(const BuildId& id) const {
    if (!server_ || ::access(installed_debug_file(id).c_str(), R_OK) == 0) return {};
    auto path = server_->fetch(id, ServerFile::DebugInfo);
    if (path) return std::move(*path);
    call_.messages.warning(path.error().message);
    return {};
  }

  // CACHE/[kernel.kcore]/<build-id>/<time>/: kcore, kallsyms, modules.
  Result<> copy_running_kernel(const std::string& core) const {
    constexpr std::string_view kCore = "/proc/kcore";
    if (!core.ends_with(kCore)) return fail(ErrorKind::Unsupported, "only the running kernel's: {}", kCore);
    const Root root(core.substr(0, core.size() - kCore.size()));
    const auto id = read_build_id_notes(root.path("/sys/kernel/notes"));
    if (!id) return std::unexpected(id.error());
    if (const std::string known = options_.force ? "" : known_copy(root, *id); !known.empty()) {
      note(fmt::format("same kcore found in {}\n", known));
      return {};
    }
    auto folder = cache_.new_kernel_copy(*id, time_stamp());
    if (!folder) return std::unexpected(std::move(folder.error()));
    const auto place = OutputPlace::at(*folder);
    if (!place) return std::unexpected(place.error());
    PEREGRINE_TRY(copy_kernel(root, place->folder(), place->name()));
    note(fmt::format("kcore added to build-id cache directory {}\n", *folder));
    return {};
  }

  // A copy of this kernel at the same addresses, with the same modules.
  std::string known_copy(const Root& root, const BuildId& id) const {
    const auto running = read_kernel_reference(root.path("/proc/kallsyms"));
    const auto modules = root.read("/proc/modules");
    for (std::string& copy : cache_.kernel_copies(id)) {
      const auto kept = read_kernel_reference(copy + "/kallsyms");
      const auto kept_modules = read_regular_file(copy + "/modules");
      if (running && kept && running->address() == kept->address() &&
          hash_modules(modules ? *modules : "") == hash_modules(kept_modules ? *kept_modules : ""))
        return std::move(copy);
    }
    return {};
  }

  // To a hundredth of a second, as linux-perf names such folders.
  static std::string time_stamp() {
    const auto now = std::chrono::system_clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    std::tm local{};
    ::localtime_r(&seconds, &local);
    const auto part = now - std::chrono::system_clock::from_time_t(seconds);
    char text[32] = {};
    std::strftime(text, sizeof text, "%Y%m%d%H%M%S", &local);
    return fmt::format("{}{:02}", text, std::chrono::duration_cast<std::chrono::milliseconds>(part).count() / 10);
  }

  // The path under which a file is kept: without links, unless the file is gone.
  std::string full_name(const std::string& file) const {
    std::error_code error;
    if (const auto inside = names_.find(file); inside != names_.end()) return inside->second;
    const auto real = std::filesystem::canonical(file, error);
    if (!error) return real.string();
    return std::filesystem::absolute(file, error).lexically_normal().string();
  }
  void note(const std::string& line) const {
    if (options_.verbose > 0) call_.messages.verbatim(line);
  }
  void say(std::string_view what, const BuildId& id, const std::string& file, bool done) const {
    note(fmt::format("{} {} {}: {}\n", what, id.hex(), file, done ? "Ok" : "FAIL"));
  }
  // linux-perf goes on with the next file, and its exit code stays 0. On a FIFO or a device it waits for ever: those
  // are no success here.
  void complain(std::string_view what, const std::string& file, const Error& error) const {
    call_.messages.verbatim(fmt::format("Couldn't {} {}: {}\n", what, file,
                                        error.system_errno != 0 ? std::strerror(error.system_errno) : error.message));
  }

  const BuildidCacheOptions& options_;
  Invocation& call_;
  NamesInside names_;
  BuildIdCache cache_;
  std::unique_ptr<DebugServer> server_;
  std::string root_;
};

// Every file of all lists, once, in order of their names.
std::vector<std::string> files_of(const std::vector<std::string>& lists) {
  std::vector<std::string> files;
  for (const std::string& list : lists) std::ranges::move(split_words(list), std::back_inserter(files));
  std::ranges::sort(files);
  const auto [first, last] = std::ranges::unique(files);
  files.erase(first, last);
  return files;
}

// In the sandbox nobody walks through other processes' folders.
NamesInside names_inside(const BuildidCacheOptions& options) {
  NamesInside names;
  const std::string root = root_of(options);
  if (root.empty()) return names;
  for (const auto* lists : {&options.add, &options.update, &options.purge})
    for (const std::string& file : files_of(*lists)) names[file] = resolve_inside(root, file);
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
    std::ranges::move(files_of(*lists), std::back_inserter(needs.inputs));
  }
  return needs;
}

// What is kept in our own cache folder.
void show_lines(Invocation& call) {
  for (const KeptFiles::File& file : kept_files(call.config).files())
    call.out.format("{:>10} {} {}\n", file.size, file.id.hex(), kept_kind_name(file.kind));
}

Result<> clear_lines(Invocation& call) {
  for (const KeptFiles::File& file : kept_files(call.config).files())
    if (::unlink(file.path.c_str()) != 0) return fail_errno(file.path);
  return {};
}

// Of root with another user's HOME, the cache is root's own, which nobody has named.
Result<> check_whose_cache(const Invocation& call) {
  const std::string named(call.config.variable("HOME").value_or("")), home = call.config.home();
  if (named == home || call.config.buildid_directory() != home + "/.debug") return {};
  return std::unexpected(
      Error{ErrorKind::Usage,
            fmt::format("-P would empty {}/.debug: '{}', the value of HOME, belongs to another user", home, named)}
          .with_hint(fmt::format("to empty it: HOME={} {} buildid-cache -P", home, call.messages.program())));
}

Result<int> buildid_cache(BuildidCacheOptions& options, Invocation& call) {
  if (options.show_lines) show_lines(call);
  if (options.clear_lines) PEREGRINE_TRY(clear_lines(call));
  const bool lines_only = options.show_lines || options.clear_lines;
  const bool changes = !options.add.empty() || !options.remove.empty() || !options.purge.empty() ||
                       !options.update.empty() || !options.missing.empty() || options.purge_all ||
                       !options.kernel_core.empty() || options.quota != 0;
  if (!call.words.empty()) return fail(ErrorKind::Usage, "unexpected argument '{}'", call.words.front());
  if (!changes && !options.list && lines_only) return 0;
  if (!changes && !options.list) return fail(ErrorKind::Usage, "nothing to do");
  if (options.list && changes) return fail(ErrorKind::Usage, "-l is exclusive.");
  if (call.config.buildid_directory().empty())
    return fail(ErrorKind::Usage, "there is no build-id cache: buildid.dir is /dev/null");
  if (options.purge_all) PEREGRINE_TRY(check_whose_cache(call));
  NamesInside names = names_inside(options);
  const auto sandbox = enter_sandbox(needs_of(options, call.config), call);
  if (!sandbox) return std::unexpected(sandbox.error());
  const CacheKeeper keeper(options, std::move(names), call);
  if (options.list) keeper.list();
  bool all_are_files = true;
  for (const std::string& file : files_of(options.add)) all_are_files &= keeper.add(file);
  for (const std::string& file : files_of(options.remove)) keeper.remove(file);
  for (const std::string& file : files_of(options.purge)) keeper.purge(file);
  if (options.purge_all) keeper.purge_all();
  if (!options.missing.empty()) {
    if (auto printed = keeper.print_missing(); !printed) return say_open_error(call, options.missing, printed.error());
  }
  for (const std::string& file : files_of(options.update)) all_are_files &= keeper.update(file);
  if (!options.kernel_core.empty()) keeper.add_kernel(options.kernel_core);
  if (options.quota != 0) PEREGRINE_TRY(keeper.shrink());
  return all_are_files ? 0 : 1;
}

constexpr std::string_view kBuildidCacheExamples[] = {
    "perf buildid-cache -l|list the cached files",
    "perf buildid-cache -a ./load|keep a program before you rebuild it",
    "perf buildid-cache -M perf.data|binaries of a recording that are not cached",
    "perf buildid-cache --quota 5G|shrink the cache to 5G, the least recently used entries first",
};

}  // namespace

constinit const Command kBuildidCache{
    .name = "buildid-cache",
    .summary = "Add, list and remove binaries in the build-id cache",
    .usage = kBuildidCacheUsage,
    .options = kBuildidCacheOptions,
    .description =
        "The build-id cache keeps copies of recorded programs, libraries and kernel symbols, so that a recording can "
        "still be read after they were rebuilt or upgraded. record fills the cache; this command lists, adds and "
        "removes entries.\n\n"
        "The cache is in ~/.debug, unless --buildid-dir, PERF_BUILDID_DIR or buildid.dir in perfconfig names another "
        "folder; /dev/null disables it.\n\n"
        "report and script have a second cache, in $XDG_CACHE_HOME/peregrine, for source lines, inlined functions and "
        "the unwind tables of large programs. lines.cache-size in perfconfig limits its size (default: 256M; 0 "
        "disables it). --show-lines lists it, and --clear-lines empties it.",
    .examples = kBuildidCacheExamples,
    .run = entry<BuildidCacheOptions, buildid_cache>};

}  // namespace peregrine::cmd
