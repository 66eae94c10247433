// buildid-cache: what the build-id cache holds, what it lacks, and putting files in and out by hand.
#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include "cmd/command_table.h"
#include "cmd/recording.h"
#include "output/text/printable.h"
#include "symbol/build_id.h"
#include "symbol/build_id_cache.h"

namespace peregrine::cmd {
namespace {

struct BuildidCacheOptions {
  std::vector<std::string> add, remove, purge, update;
  std::string missing;
  bool list = false, purge_all = false, force = false;
  std::optional<int> target_namespace;
  int verbose = 0;
};

constexpr Option kOptions[] = {
    {.name = "add",
     .letter = 'a',
     .value = Value::Required,
     .metavar = "file list",
     .help = "keep these files, separated by commas",
     .store = set<&BuildidCacheOptions::add>},
    {.name = "force",
     .letter = 'f',
     .help = "with -M: read a recording that is somebody else's",
     .store = set<&BuildidCacheOptions::force>},
    {.name = "kcore", .letter = 'k', .value = Value::Required, .metavar = "file", .help = "keep the kernel's code"},
    {.name = "list", .letter = 'l', .help = "print what is there", .store = set<&BuildidCacheOptions::list>},
    {.name = "missing",
     .letter = 'M',
     .value = Value::Required,
     .metavar = "file",
     .help = "print the build-ids of a recording that are not there",
     .store = set<&BuildidCacheOptions::missing>},
    {.name = "purge",
     .letter = 'p',
     .value = Value::Required,
     .metavar = "file list",
     .help = "drop everything that was ever kept under these paths",
     .store = set<&BuildidCacheOptions::purge>},
    {.name = "purge-all", .letter = 'P', .help = "drop everything", .store = set<&BuildidCacheOptions::purge_all>},
    {.name = "remove",
     .letter = 'r',
     .value = Value::Required,
     .metavar = "file list",
     .help = "drop what has the build-ids of these files",
     .store = set<&BuildidCacheOptions::remove>},
    {.name = "update",
     .letter = 'u',
     .value = Value::Required,
     .metavar = "file list",
     .help = "keep these files in place of what has their build-ids",
     .store = set<&BuildidCacheOptions::update>},
    {.name = "verbose", .letter = 'v', .help = "say what is done", .store = count<&BuildidCacheOptions::verbose>},
    {.name = "debuginfod", .value = Value::Sticky, .metavar = "urls", .help = "fetch what is missing from servers"},
    {.name = "target-ns",
     .value = Value::Required,
     .metavar = "n",
     .help = "paths are those that this process sees",
     .store = set<&BuildidCacheOptions::target_namespace>},
};
constexpr std::string_view kUsage[] = {"[<options>]"};

class CacheKeeper {
 public:
  CacheKeeper(const BuildidCacheOptions& options, Invocation& call)
      : options_(options), call_(call), cache_(call.config.buildid_directory()) {
    if (options.target_namespace) root_ = fmt::format("/proc/{}/root", *options.target_namespace);
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

  void add(const std::string& file) const {
    const auto id = read_build_id(root_ + file);
    if (!id) return complain("add", file, id.error());
    const auto added = cache_.add_file(*id, full_name(file), root_ + file);
    say("Adding", *id, file, added.has_value());
    if (!added) complain("add", file, added.error());
  }

  void remove(const std::string& file) const {
    const auto id = read_build_id(root_ + file);
    if (!id) return complain("remove", file, id.error());
    const auto removed = cache_.remove(*id);
    say("Removing", *id, file, removed && *removed);
    if (!removed) return complain("remove", file, removed.error());
    if (!*removed) note(fmt::format("{} wasn't in the cache\n", file));
  }

  void update(const std::string& file) const {
    const auto id = read_build_id(root_ + file);
    if (!id) return complain("update", file, id.error());
    if (const auto removed = cache_.remove(*id); !removed) return complain("update", file, removed.error());
    const auto added = cache_.add_file(*id, full_name(file), root_ + file);
    say("Updating", *id, file, added.has_value());
    if (!added) complain("update", file, added.error());
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

 private:
  // The path under which a file is kept: without links, unless the file is gone.
  std::string full_name(const std::string& file) const {
    std::error_code error;
    if (root_.empty()) {
      const auto real = std::filesystem::canonical(file, error);
      if (!error) return real.string();
    }
    return std::filesystem::absolute(file, error).lexically_normal().string();
  }
  void note(const std::string& line) const {
    if (options_.verbose > 0) call_.messages.verbatim(line);
  }
  void say(std::string_view what, const BuildId& id, const std::string& file, bool done) const {
    note(fmt::format("{} {} {}: {}\n", what, id.hex(), file, done ? "Ok" : "FAIL"));
  }
  // linux-perf goes on with the next file, and its exit code stays 0.
  void complain(std::string_view what, const std::string& file, const Error& error) const {
    call_.messages.verbatim(fmt::format("Couldn't {} {}: {}\n", what, file,
                                        error.system_errno != 0 ? std::strerror(error.system_errno) : error.message));
  }

  const BuildidCacheOptions& options_;
  Invocation& call_;
  BuildIdCache cache_;
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

Result<int> buildid_cache(BuildidCacheOptions& options, Invocation& call) {
  const bool changes = !options.add.empty() || !options.remove.empty() || !options.purge.empty() ||
                       !options.update.empty() || !options.missing.empty() || options.purge_all;
  if (!call.words.empty()) return fail(ErrorKind::Usage, "'{}' is no option", call.words.front());
  if (!changes && !options.list) return fail(ErrorKind::Usage, "nothing to do");
  if (options.list && changes) return fail(ErrorKind::Usage, "-l is exclusive.");
  if (call.config.buildid_directory().empty())
    return fail(ErrorKind::Usage, "there is no build-id cache: buildid.dir is /dev/null");
  const CacheKeeper keeper(options, call);
  if (options.list) keeper.list();
  for (const std::string& file : files_of(options.add)) keeper.add(file);
  for (const std::string& file : files_of(options.remove)) keeper.remove(file);
  for (const std::string& file : files_of(options.purge)) keeper.purge(file);
  if (options.purge_all) keeper.purge_all();
  if (!options.missing.empty()) {
    if (auto printed = keeper.print_missing(); !printed) return say_open_error(call, options.missing, printed.error());
  }
  for (const std::string& file : files_of(options.update)) keeper.update(file);
  return 0;
}

constexpr std::string_view kExamples[] = {
    "perf buildid-cache -l|what is there",
    "perf buildid-cache -a ./load|keep a program before it is built anew",
    "perf buildid-cache -M perf.data|whose symbols a recording will lack",
};

}  // namespace

constinit const Command kBuildidCache{
    .name = "buildid-cache",
    .summary = "Put binaries into the build-id cache, list and remove them",
    .usage = kUsage,
    .options = kOptions,
    .description =
        "The build-id cache, ~/.debug unless told otherwise (--buildid-dir, PERF_BUILDID_DIR, buildid.dir in "
        "perfconfig; /dev/null for none), keeps the programs, libraries and kernel symbols of recordings, so that a "
        "recording can be read after they were replaced. record fills it.",
    .examples = kExamples,
    .run = entry<BuildidCacheOptions, buildid_cache>};

}  // namespace peregrine::cmd
