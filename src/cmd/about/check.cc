// check: without arguments a diagnosis of what works here, what does not, why, and which command enables it; with
// `feature`, whether this build has a feature, as scripts ask linux-perf 6.12 and newer.
#include <fmt/format.h>

#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/concurrency/own_process.h"
#include "base/result.h"
#include "base/text/words.h"
#include "capture/diagnosis/ability.h"
#include "capture/diagnosis/diagnosis.h"
#include "capture/diagnosis/facts.h"
#include "capture/diagnosis/kernel_config.h"
#include "cli/frame/build_options.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/script/script_places.h"
#include "output/terminal/terminal.h"
#include "output/text/system/check_text.h"
#include "sys/kernel/host.h"
#include "sys/process/program_path.h"
#include "sys/root.h"

namespace peregrine::cmd {

namespace {

namespace fs = std::filesystem;

struct CheckOptions {
  bool quiet = false;
  bool kconfig = false;
  std::string root;  // read facts below this folder instead of /, without trials
};

constexpr Option kCheckOptions[] = {
    {.name = "quiet",
     .letter = 'q',
     .help = "print nothing; only set the exit code",
     .store = set<&CheckOptions::quiet>},
    {.name = "kconfig-fragment",
     .help = "print the kernel settings (CONFIG_…=y) that all or the named features need and this kernel lacks",
     .store = set<&CheckOptions::kconfig>,
     .since = Since::Ours},
    {.name = "sysroot",
     .value = Value::Required,
     .metavar = "folder",
     .help = "check this copy of another machine's /proc and /sys, without opening events",
     .store = set<&CheckOptions::root>,
     .since = Since::Ours},
};
constexpr std::string_view kCheckUsage[] = {"[<options>]", "feature <name>[,<name>...] [<options>]",
                                            "--kconfig-fragment [<feature>...]"};
constexpr std::string_view kCheckExamples[] = {
    "perf check|what works here, and how to enable the rest",
    "perf check feature zstd|whether this build reads and writes compressed recordings",
    "perf check -q feature bpf,aio || echo no|check several features in a script",
    "perf check --kconfig-fragment kprobes functions > perf.cfg|kernel settings to add for these features",
};

// The name by which a shell finds this program, else its path. `live`: it runs on the diagnosed machine.
std::string way_to_program(const Invocation& call, bool live) {
  std::string name(call.messages.program());
  if (!live) return name;
  std::string file = own_program();
  const std::string found = find_program(name, call.config.search_path());
  std::error_code missing;
  if (file.empty() || (!found.empty() && fs::equivalent(found, file, missing))) return name;
  return file;
}

Result<int> diagnose_here(const CheckOptions& options, Invocation& call) {
  const Root root(options.root);
  const Facts facts = read_facts(root);
  const Trials trials = root.live() ? try_everything(facts.tracepoint) : Trials{};
  const Diagnosis diagnosis = diagnose(facts, trials, way_to_program(call, root.live()));
  if (!options.quiet) {
    const std::string heading = fmt::format("What {} can do on {} (linux {}, {})", call.messages.program(),
                                            facts.host.hostname, facts.host.release, facts.host.machine);
    CheckPage page{.heading = heading, .colour = call.out_is_terminal && !call.config.variable("NO_COLOR")};
    if (call.out_is_terminal) page.columns = terminal_size(1).columns;
    print_diagnosis(diagnosis, page, call.out);
  }
  return diagnosis.can_record ? 0 : 1;
}

// Returns 0 if this build has all of them, 1 if it lacks one or linux-perf has no such feature.
Result<int> look_up(std::string_view list, const CheckOptions& options, Invocation& call) {
  const std::string plugins = ScriptPlaces::find(call.config).plugins;
  bool all = true;
  for (const std::string& name : split_words(list)) {
    const BuildOption* option = find_build_option(name);
    if (option == nullptr && !options.quiet) call.messages.error(unknown_build_option(name));
    const bool on = option != nullptr && build_option_works(*option, plugins);
    if (option != nullptr && !options.quiet) call.out.append(build_option_row(*option, on));
    all = all && on;
  }
  return all ? 0 : 1;
}

Result<int> print_kconfig(const CheckOptions& options, Invocation& call) {
  const Root root(options.root);
  const Host host = read_host(root);
  std::vector<std::string> features;
  for (const std::string& word : call.words)
    for (const std::string& name : split_words(word)) features.push_back(name);
  const auto config = read_kernel_config(root, host.release);
  const auto missing = missing_settings(config, features, host.machine);
  if (!missing) return std::unexpected(missing.error());
  if (!options.quiet) call.out.append(kconfig_fragment(*missing, config, host.release));
  return missing->empty() ? 0 : 1;
}

Result<int> check_features(CheckOptions& options, Invocation& call) {
  if (options.kconfig) return print_kconfig(options, call);
  if (call.words.empty()) return diagnose_here(options, call);
  if (call.words[0] != "feature")
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("unknown argument '{}'", call.words[0]),
                                 "use `check` or `check feature NAME`"});
  if (call.words.size() != 2)
    return std::unexpected(Error{ErrorKind::Usage, "expected one argument: feature names, separated by commas",
                                 "list them with `version --build-options`"});
  return look_up(call.words[1], options, call);
}

}  // namespace

constinit const Command kCheck{
    .name = "check",
    .summary = "Show what works on this machine, and how to enable the rest",
    .usage = kCheckUsage,
    .options = kCheckOptions,
    .first_words = [] { return std::vector<std::string_view>{"feature"}; },
    .description =
        "Shows which kinds of recording, symbols and tracing work on this machine, why the others do not, and the "
        "exact commands that enable them. Run it on a new machine, or when record fails.\n\n"
        "It reads the kernel's settings, this process's privileges and its environment (containers, seccomp, "
        "lockdown, virtual machines), and opens one event of each kind as a test. The exit code is 0 if you can "
        "record at least your own programs.\n\n"
        "`check feature` shows whether this build supports the named features, which have linux-perf's names. The "
        "exit code is 0 if it supports all of them.\n\n"
        "`check --kconfig-fragment` prints the kernel settings that this kernel lacks, as input for the kernel's "
        "merge_config.sh or as a .cfg file of a Yocto layer. The features are record, symbols, stacks, tracepoints, "
        "syscalls, kprobes, uprobes, bpf, cgroups, functions, latency, triggers, blk, user-events and sandbox. The "
        "exit code is 0 if nothing is missing.",
    .examples = kCheckExamples,
    .run = entry<CheckOptions, check_features>};

}  // namespace peregrine::cmd
