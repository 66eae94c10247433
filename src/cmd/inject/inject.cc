// inject: copies a recording with edits, from a file or pipe to a file or pipe.
#include <fmt/format.h>
#include <unistd.h>

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "auxtrace/itrace.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/recording/recording.h"
#include "cmd/recording/trace_choice.h"
#include "cmd/sandbox/confined_reader.h"
#include "pipeline/decode/intel_pt/vm_times.h"
#include "pipeline/rewrite/build_id_injection.h"
#include "pipeline/rewrite/rewrite.h"
#include "session/recording/losses.h"
#include "session/recording/opened_recording.h"
#include "session/rewrite/inject_session.h"
#include "session/sandbox/reader_sandbox.h"

namespace peregrine::cmd {
namespace {

struct InjectOptions {
  std::string input = "-", output = "-";
  bool force = false, build_ids = false, all_build_ids = false, map_build_ids = false, unwind_stacks = false,
       sched_stat = false, strip = false, jit = false, hide_addresses = false;
  std::optional<GuestData> guest;
  std::optional<VmTimeOptions> vm_times;
  std::optional<ItraceOptions> traces;
  std::string known_ids, vmlinux, kallsyms, guest_mount;
  bool ignore_vmlinux = false;
  int verbose = 0;

  ReaderNeeds needs() const {
    ReaderNeeds needs{.inputs = {input, vmlinux, kallsyms}, .outputs = {output}};
    needs.kernel_code = traces.has_value();
    if (guest) needs.inputs.push_back(guest->path);
    if (vm_times && !vm_times->dry_run) needs.outputs.push_back(input);
    if (jit) needs.outputs.emplace_back("**/jitted-*.so");  // next to the dumps named in the recording
    return needs;
  }
};

Result<> choose_traces(InjectOptions& options, const Use& use) {
  options.traces.reset();
  if (use.negated) return {};
  auto parsed = use.value.empty() ? Result<ItraceOptions>(default_itrace(true)) : parse_itrace(use.value);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  options.traces = *parsed;
  return {};
}

Result<> choose_guest(InjectOptions& options, const Use& use) {
  options.guest.reset();
  if (use.negated) return {};
  auto parsed = parse_guest_data(use.value);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  options.guest = std::move(*parsed);
  return {};
}

Result<> choose_vm_times(InjectOptions& options, const Use& use) {
  options.vm_times.reset();
  if (use.negated) return {};
  auto parsed = parse_vm_time_options(use.value);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  options.vm_times = std::move(*parsed);
  return {};
}

constexpr Option kInjectOptions[] = {
    {.name = "build-ids",
     .letter = 'b',
     .help = "add the build-ids of the binaries that samples hit",
     .store = set<&InjectOptions::build_ids>},
    {.name = "force",
     .letter = 'f',
     .help = "read the file regardless of its owner; with --vm-time-correlation: change the file",
     .store = set<&InjectOptions::force>},
    {.name = "input",
     .letter = 'i',
     .value = Value::Required,
     .metavar = "file",
     .help = "copy this recording (default: stdin)",
     .store = set<&InjectOptions::input>},
    {.name = "jit",
     .letter = 'j',
     .help = "add code dumped by a JIT compiler, as files next to its dump",
     .store = set<&InjectOptions::jit>},
    {.name = "vmlinux",
     .letter = 'k',
     .value = Value::Required,
     .metavar = "file",
     .help = "accepted and ignored: inject needs no symbols",
     .store = set_readable<&InjectOptions::vmlinux>},
    {.name = "output",
     .letter = 'o',
     .value = Value::Required,
     .metavar = "file",
     .help = "write to this file (default: stdout, as a pipe)",
     .store = set<&InjectOptions::output>},
    {.name = "sched-stat",
     .letter = 's',
     .help = "merge sched_stat and sched_switch samples: where and how long threads slept",
     .store = set<&InjectOptions::sched_stat>},
    {.name = "verbose",
     .letter = 'v',
     .help = "list the added build-ids, and what --aslr omits from the header",
     .store = count<&InjectOptions::verbose>},
    {.name = "aslr",
     .help = "hide the memory layout: replace addresses, remove registers and stacks",
     .store = set<&InjectOptions::hide_addresses>,
     .since = Since::Ours},
    {.name = "buildid-all",
     .help = "add the build-ids of all mapped files",
     .store = set<&InjectOptions::all_build_ids>},
    {.name = "convert-callchain",
     .help = "replace the stacks of --call-graph dwarf with unwound call chains (smaller file)",
     .store = set<&InjectOptions::unwind_stacks>,
     .since = Since::Ours},
    {.name = "mmap2-buildid-all",
     .help = "replace the inode in each mmap record with the file's build-id",
     .store = set<&InjectOptions::map_build_ids>,
     .since = Since::Ours},
    {.name = "mmap2-buildids",
     .letter = 'B',
     .help = "same as --mmap2-buildid-all: one pass cannot know which mappings samples will hit",
     .store = set<&InjectOptions::map_build_ids>,
     .since = Since::Ours},
    {.name = "guest-data",
     .value = Value::Sticky,
     .metavar = "path,pid[,offset[,scale]]",
     .help = "add the side-band of a guest's recording: pid of the process that runs it, and its TSC offset",
     .store = call<choose_guest>},
    {.name = "guestmount",
     .value = Value::Required,
     .metavar = "directory",
     .help = "accepted and ignored: inject needs no symbols",
     .store = set<&InjectOptions::guest_mount>},
    {.name = "ignore-vmlinux",
     .help = "accepted and ignored: inject needs no symbols",
     .store = set<&InjectOptions::ignore_vmlinux>},
    {.name = "itrace",
     .value = Value::Sticky,
     .metavar = "opts",
     .help = kItraceHelp,
     .store = call<choose_traces>,
     .implied = ""},
    {.name = "kallsyms",
     .value = Value::Required,
     .metavar = "file",
     .help = "accepted and ignored: inject needs no symbols",
     .store = set_readable<&InjectOptions::kallsyms>},
    {.name = "known-build-ids",
     .value = Value::Required,
     .metavar = "buildid path [,buildid path...]",
     .help = "use these build-ids for these paths, or file://LIST with one such pair per line",
     .store = set<&InjectOptions::known_ids>},
    {.name = "strip",
     .help = "with --itrace: remove records that are useless without the trace",
     .store = set<&InjectOptions::strip>},
    {.name = "vm-time-correlation",
     .value = Value::Sticky,
     .metavar = "[dry-run] [offset[:vmcs,...]]...",
     .help = "convert a guest's Intel PT timestamps to host time, in place; needs --force, or dry-run",
     .store = call<choose_vm_times>,
     .implied = ""},
};
constexpr std::string_view kInjectUsage[] = {"[<options>]"};

constexpr int kFailed = 255;

Result<RewriteOptions> edits_of(const InjectOptions& options) {
  RewriteOptions edits;
  if (options.all_build_ids) {
    edits.build_ids = WhichDsos::All;
  } else if (options.build_ids) {
    edits.build_ids = WhichDsos::Hit;
  }
  edits.unwind_stacks = options.unwind_stacks;
  edits.map_build_ids = options.map_build_ids;
  edits.merge_sched_stat = options.sched_stat;
  edits.hide_addresses = options.hide_addresses;
  if (options.jit) edits.jit.emplace().check_perf_map_owner = !options.force;
  if (options.known_ids.empty()) return edits;
  auto known = read_known_build_ids(options.known_ids);
  if (!known) return std::unexpected(std::move(known.error()));
  edits.known_ids = std::move(*known);
  return edits;
}

Result<int> correlate(const std::string& input, const VmTimeOptions& options, bool force, Invocation& call) {
  if (input == "-") return fail(ErrorKind::Usage, "--vm-time-correlation changes a file in place: -i FILE is required");
  if (!force && !options.dry_run) {
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("--vm-time-correlation changes '{}' in place", input),
                                 "pass --force to allow this, or dry-run to preview the changes"});
  }
  const auto done = replace_vm_times(input, options, force);
  if (!done) return std::unexpected(done.error());
  if (done->not_opened) {
    say_open_error(call, input, *done->not_opened);
    return kFailed;
  }
  print_vm_times(done->times, call.out, call.messages);
  return done->times.errors.empty() || options.dry_run ? 0 : kFailed;
}

// An edit that reads the data changed by another edit cannot be combined with it.
Result<> check_combination(const InjectOptions& options) {
  const bool others = options.jit || options.sched_stat || options.traces || options.unwind_stacks;
  if (options.hide_addresses && (others || options.guest))
    return std::unexpected(Error{ErrorKind::Usage,
                                 "--aslr cannot be combined with --convert-callchain, --guest-data, --itrace, --jit or "
                                 "--sched-stat"}
                               .with_hint("run inject twice, --aslr last"));
  if (options.vm_times && (others || options.guest || options.hide_addresses || options.build_ids))
    return fail(ErrorKind::Usage,
                "--vm-time-correlation changes times in place and cannot be combined with other edits");
  if (options.guest && others)
    return fail(ErrorKind::Usage,
                "--guest-data cannot be combined with --convert-callchain, --itrace, --jit or --sched-stat");
  return {};
}

Result<int> inject(InjectOptions& options, Invocation& call) {
  if (!call.words.empty()) return fail(ErrorKind::Usage, "unexpected argument '{}'", call.words.front());
  if (options.strip && !options.traces) {
    call.messages.verbatim("--strip option requires --itrace option\n");
    return kFailed;
  }
  if (options.unwind_stacks && (options.jit || options.sched_stat || options.traces))
    return fail(ErrorKind::Usage, "--convert-callchain cannot be combined with --jit, --sched-stat or --itrace");
  PEREGRINE_TRY(check_combination(options));
  if (options.vm_times) {
    if (options.output != "-")
      return fail(ErrorKind::Usage, "--vm-time-correlation cannot be combined with -o: it changes the input");
    return correlate(options.input, *options.vm_times, options.force, call);
  }
  auto edits = edits_of(options);
  if (!edits) return std::unexpected(std::move(edits.error()));
  if (options.output == "-" && call.out_is_terminal) {
    return std::unexpected(Error{ErrorKind::Usage, "cannot write a recording to a terminal",
                                 "pass -o FILE, or pipe the output into another command"});
  }
  PEREGRINE_TRY(check_copy_place(options.output, options.input, options.guest ? options.guest->path : ""));
  if (options.input == "-" && ::isatty(STDIN_FILENO) != 0) {
    return std::unexpected(Error{ErrorKind::Usage, "cannot read a recording from a terminal",
                                 "pass -i FILE, or pipe a recording into it"});
  }
  auto reader = open_recording(options.input, options.force, call.messages);
  if (!reader) {
    say_open_error(call, options.input, reader.error());
    return kFailed;
  }
  std::optional<OpenedRecording> guest;
  if (options.guest) {
    auto opened = open_recording(options.guest->path, options.force, call.messages);
    if (!opened) {
      say_open_error(call, options.guest->path, opened.error());
      return kFailed;
    }
    edits->guest = &guest.emplace(std::move(*opened));
    edits->guest_options = options.guest->options;
  }
  InjectRequest request{.output = options.output, .edits = std::move(*edits)};
  if (options.traces) {
    const SymbolOptions symbols{.vmlinux = options.vmlinux, .kallsyms = options.kallsyms, .force = options.force};
    request.decoding = InjectDecoding{.itrace = *options.traces, .symbols = symbol_request(symbols, call.config)};
  }
  const auto summary = inject_recording(request, *reader, call.messages);
  if (!summary) return std::unexpected(summary.error());
  report_rewrite(*summary, options.verbose > 0, call.messages);
  warn_about_losses(call.messages, {}, reader->account());
  return 0;
}

constexpr std::string_view kInjectExamples[] = {
    "perf inject -b -i perf.data -o with-ids.data|add the build-ids of sampled binaries",
    "perf inject -b <piped.data >with-ids.data|the same for a pipe",
    "perf inject --mmap2-buildid-all -i perf.data -o with-ids.data|the same, in the mmap records",
    "perf inject --convert-callchain -i perf.data -o small.data|replace recorded stacks with call chains",
    "perf inject --jit -i perf.data -o with-code.data|add the code from jit-PID.dump (record with -k mono)",
    "perf inject -i compressed.data -o plain.data|decompress a recording",
    "perf inject --aslr -i perf.data -o public.data|hide the memory layout before publishing a recording",
    "perf inject -i host.data -o both.data --guest-data=guest.data,1234,0xffffe42722c64c41|add a guest's recording",
    "perf inject -i host.data --vm-time-correlation=dry-run|print the TSC offsets of guests",
    "perf inject -i host.data --force --vm-time-correlation=0xffffe42722c64c41|change the times of guests in host.data",
};

}  // namespace

constinit const Command kInject{
    .name = "inject",
    .summary = "Copy a recording with changes: add build-ids, decode traces, ...",
    .usage = kInjectUsage,
    .options = kInjectOptions,
    .description =
        "Copies a recording and changes the copy: adds build-ids or a guest's records, decodes hardware traces, "
        "merges sleep times, hides addresses, decompresses. Everything else is copied unchanged, in the original byte "
        "order.\n\n"
        "Without -o the copy goes to stdout, in pipe format. With -o it becomes a file, and an existing recording of "
        "that name is renamed FILE.old. --vm-time-correlation changes the recording itself and makes no copy.",
    .examples = kInjectExamples,
    .run = entry<InjectOptions, confined<InjectOptions, inject>>};

}  // namespace peregrine::cmd
