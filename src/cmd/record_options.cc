#include "cmd/record_options.h"

#include <pwd.h>
#include <unistd.h>

#include <charconv>

#include "capture/ring_buffer.h"
#include "cmd/command_table.h"
#include "cmd/record_choice.h"
#include "cmd/record_output_options.h"
#include "event/pfm_event.h"

namespace peregrine::cmd {
namespace {

using O = RecordCommandOptions;

Result<> add_events(O& options, const Use& use) {
  if (use.negated) {
    options.events.clear();
    return {};
  }
  const std::size_t before = options.events.size();
  PEREGRINE_TRY(parse_events(use.value, options.sources, options.events));
  options.last_word = before;
  return {};
}

Result<> add_pfm_events(O& options, const Use& use) {
  if (use.negated) return {};
  const std::size_t before = options.events.size();
  PEREGRINE_TRY(parse_pfm_events(use.value, options.sources, options.events));
  options.last_word = before;
  return {};
}

Result<> add_filter(O& options, const Use& use) {
  return set_filter(options.sources, options.events, options.last_word, use.value, FilterUse::Sampling);
}

Result<> exclude_self(O& options, const Use&) { return exclude_process(options.events, options.last_word, ::getpid()); }

Result<> choose_frequency(O& options, const Use& use) {
  options.frequency_max = use.value == "max";
  if (options.frequency_max) return {};
  u64 value = 0;
  const char* end = use.value.data() + use.value.size();
  const auto parsed = std::from_chars(use.value.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end)
    return fail(ErrorKind::Usage, "Invalid frequency \"{}\"", use.value);
  options.config.frequency = value;
  return {};
}

void set_callgraph(O& options, const CallgraphRequest& request) {
  options.config.callgraph = request;
  // The unwinder reads data of the mapped files.
  if (request.mode == CallgraphMode::Dwarf) options.config.addresses = true;
}

// -g wants chains, of whatever kind --call-graph has chosen before.
Result<> want_callgraph(O& options, const Use& use) {
  if (use.negated) {
    options.config.callgraph = {};
  } else if (!options.config.callgraph.enabled()) {
    set_callgraph(options, options.usual_callgraph);
  }
  return {};
}

// A page without stacks shows little.
Result<> choose_html(O& options, const Use& use) {
  options.html = use.negated ? "" : use.value;
  return use.negated ? Result<>() : want_callgraph(options, use);
}

Result<> choose_callgraph(O& options, const Use& use) {
  if (use.negated) return want_callgraph(options, use);
  auto request = parse_callgraph(use.value);
  if (!request) return std::unexpected(std::move(request.error()));
  set_callgraph(options, *request);
  return {};
}

Result<> choose_output(O& options, const Use& use) {
  options.output = use.value;
  options.output_chosen = true;
  return {};
}

Result<> choose_ring_size(O& options, const Use& use) {
  const std::string_view data = use.value.substr(0, use.value.find(','));
  auto bytes = parse_ring_size(data);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  options.ring_bytes = *bytes;
  return {};
}

Result<> choose_duration(O& options, const Use& use) {
  double seconds = 0;
  const char* end = use.value.data() + use.value.size();
  const auto parsed = std::from_chars(use.value.data(), end, seconds);
  if (parsed.ec != std::errc() || parsed.ptr != end || !(seconds > 0) || seconds > 1e9) {
    return fail(ErrorKind::Usage, "option `duration' expects a number of seconds");
  }
  options.duration = std::chrono::milliseconds(static_cast<i64>(seconds * 1000));
  return {};
}

Result<> choose_off_cpu_threshold(O& options, const Use& use) {
  u64 milliseconds = 0;
  const char* end = use.value.data() + use.value.size();
  const auto parsed = std::from_chars(use.value.data(), end, milliseconds);
  if (parsed.ec != std::errc() || parsed.ptr != end || milliseconds > 1'000'000'000)
    return fail(ErrorKind::Usage, "option `off-cpu-thresh' expects a number of milliseconds");
  options.off_cpu_threshold = milliseconds * 1'000'000;
  return {};
}

Result<> choose_clock(O& options, const Use& use) {
  auto clock = parse_clockid(use.value);
  if (!clock) return std::unexpected(std::move(clock.error()));
  options.config.clockid = *clock;
  return {};
}

Result<> choose_user(O& options, const Use& use) {
  const std::string name(use.value);
  u32 uid = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), uid);
  if (parsed.ec != std::errc() || *parsed.ptr != '\0') {
    const passwd* entry = ::getpwnam(name.c_str());
    if (entry == nullptr) return fail(ErrorKind::Usage, "Invalid User: {}", name);
    uid = entry->pw_uid;
  }
  options.target.user = fmt::format("{}", uid);
  return {};
}

Result<> no_inherit(O& options, const Use& use) {
  options.config.inherit = use.negated;
  return {};
}

Result<> no_bpf_event(O& options, const Use& use) {
  options.config.bpf_events = use.negated;
  return {};
}

constexpr Option kOptions[] = {
    {.name = "event",
     .letter = 'e',
     .value = Value::Required,
     .metavar = "event",
     .help = "which events to sample, `list` shows what there is; may be repeated",
     .store = call<&add_events>},
    {.name = "probe",
     .value = Value::Required,
     .metavar = "definition",
     .help = "put a probe there (see `probe`) for this recording and sample it; may be repeated",
     .store = set<&O::probes>,
     .since = Since::Ours},
    {.name = "pfm-events",
     .value = Value::Required,
     .metavar = "event",
     .help = "which events to sample, in libpfm4's words: NAME:MASK:u:c=1, separated by commas; may be repeated",
     .store = call<&add_pfm_events>},
    {.name = "filter",
     .value = Value::Required,
     .metavar = "filter",
     .help = "condition on the fields of the tracepoints, or on the samples, of the -e before it",
     .store = call<&add_filter>},
    {.name = "exclude-perf",
     .help = "leave out the tracepoints that this program itself hits",
     .store = call<&exclude_self>},
    {.name = "pid",
     .letter = 'p',
     .value = Value::Required,
     .metavar = "pid",
     .help = "observe these processes and their later threads, by commas",
     .store = set<&O::target, &TargetRequest::pids>},
    {.name = "tid",
     .letter = 't',
     .value = Value::Required,
     .metavar = "tid",
     .help = "observe these threads alone, by commas",
     .store = set<&O::target, &TargetRequest::tids>},
    {.name = "realtime",
     .letter = 'r',
     .value = Value::Required,
     .metavar = "n",
     .help = "run the recorder at this real-time priority (SCHED_FIFO)",
     .store = set<&O::real_time_priority>},
    {.name = "no-buffering",
     .help = "wake up for every sample",
     .store = set<&O::config, &RecordOptions::no_buffering>},
    {.name = "raw-samples",
     .letter = 'R',
     .help = "keep the raw data of the samples of all events",
     .store = set<&O::config, &RecordOptions::raw_samples>},
    {.name = "all-cpus",
     .letter = 'a',
     .help = "observe the whole machine",
     .store = set<&O::target, &TargetRequest::system_wide>},
    {.name = "cpu",
     .letter = 'C',
     .value = Value::Required,
     .metavar = "cpu",
     .help = "observe these CPUs: 0,2-3",
     .store = set<&O::target, &TargetRequest::cpus>},
    {.name = "count",
     .letter = 'c',
     .value = Value::Required,
     .metavar = "n",
     .help = "sample every n-th event",
     .store = set<&O::config, &RecordOptions::period>},
    {.name = "output",
     .letter = 'o',
     .value = Value::Required,
     .metavar = "file",
     .help = "the file to write (default: perf.data); -: standard output, as a pipe",
     .store = call<&choose_output>},
    {.name = "html",
     .value = Value::Required,
     .metavar = "file",
     .help = "afterwards write a page with flame graph, functions, code and time line to this file; implies -g",
     .store = call<&choose_html>,
     .since = Since::Ours},
    {.name = "no-inherit",
     .letter = 'i',
     .help = "do not observe children of the observed",
     .store = call<&no_inherit>},
    {.name = "tail-synthesize",
     .help = "tell of what already runs at the end of the recording, not at its start",
     .store = set<&O::tail_synthesis>},
    {.name = "overwrite",
     .help = "let new records replace the oldest in the rings; write them out at a switch and at the end",
     .store = set<&O::config, &RecordOptions::overwrite>},
    {.name = "no-bpf-event", .help = "no records of BPF programs that come and go", .store = call<&no_bpf_event>},
    {.name = "strict-freq",
     .help = "end with an error when the kernel allows no such frequency",
     .store = set<&O::strict_frequency>},
    {.name = "freq",
     .letter = 'F',
     .value = Value::Required,
     .metavar = "freq or 'max'",
     .help = "samples per second and CPU; max: as many as the kernel allows",
     .store = call<&choose_frequency>},
    {.name = "mmap-pages",
     .letter = 'm',
     .value = Value::Required,
     .metavar = "pages[,pages]",
     .help = "size of each ring buffer: a number of pages, or of bytes with B, K, M, G",
     .store = call<&choose_ring_size>},
    {.name = "mmap-flush",
     .value = Value::Required,
     .metavar = "bytes",
     .help = "leave a ring that holds less alone, for a second at most (default: 1)",
     .store = call<&choose_flush>},
    {.name = "group",
     .help = "all events become one group, led by the first",
     .store = set<&O::config, &RecordOptions::group>},
    {.letter = 'g',
     .help = "keep call chains, by frame pointers if --call-graph says nothing else",
     .store = call<&want_callgraph>},
    {.name = "call-graph",
     .value = Value::Required,
     .metavar = "record_mode[,record_size]",
     .help = "keep call chains, by frame pointers (fp), copies of the stack (dwarf[,BYTES], 8192 of them) or branch "
             "records (lbr)",
     .store = call<&choose_callgraph>},
    {.name = "unwind",
     .value = Value::Required,
     .metavar = "now|later",
     .help = "unwind stacks of --call-graph dwarf while recording, and write callchains in their place: small files "
             "(default: later)",
     .store = call<&choose_unwind>},
    {.name = "verbose",
     .letter = 'v',
     .help = "-v names the events and their attrs, -vv shows every perf_event_open(2) and its answer",
     .store = count<&O::verbose>},
    {.name = "quiet", .letter = 'q', .help = "say nothing but errors", .store = set<&O::quiet>},
    {.name = "stat",
     .letter = 's',
     .help = "keep the counts of each thread, read by report -T",
     .store = set<&O::config, &RecordOptions::inherit_stat>},
    {.name = "data",
     .letter = 'd',
     .help = "keep data addresses, and data maps to name them",
     .store = set<&O::config, &RecordOptions::addresses>},
    {.name = "phys-data",
     .help = "keep the physical address of the data",
     .store = set<&O::config, &RecordOptions::physical_addresses>},
    {.name = "data-page-size",
     .help = "keep the size of the page that the data is on",
     .store = set<&O::config, &RecordOptions::data_page_size>},
    {.name = "code-page-size",
     .help = "keep the size of the page that the code is on",
     .store = set<&O::config, &RecordOptions::code_page_size>},
    {.name = "sample-cpu", .help = "keep the CPU of each sample", .store = set<&O::config, &RecordOptions::sample_cpu>},
    {.name = "sample-identifier",
     .help = "keep the event's id at a fixed place of each sample",
     .store = set<&O::config, &RecordOptions::sample_identifier>},
    {.name = "timestamp",
     .letter = 'T',
     .help = "keep the time of each sample",
     .store = set<&O::config, &RecordOptions::timestamps>},
    {.name = "period",
     .letter = 'P',
     .help = "keep how many events each sample stands for",
     .store = set<&O::config, &RecordOptions::sample_period>},
    {.name = "no-samples",
     .letter = 'n',
     .help = "count and keep side-band, take no samples",
     .store = set<&O::config, &RecordOptions::no_samples>},
    {.name = "no-buildid-cache",
     .letter = 'N',
     .help = "leave the build-id cache as it is",
     .store = set<&O::no_build_id_cache>},
    {.name = "no-buildid",
     .letter = 'B',
     .help = "do not look for the build-ids of what was sampled",
     .store = set<&O::no_build_ids>},
    {.name = "cgroup",
     .letter = 'G',
     .value = Value::Required,
     .metavar = "name",
     .help = "observe the events before this option in that control group only; names for several events by commas",
     .store = call<&choose_cgroups>},
    {.name = "delay",
     .letter = 'D',
     .value = Value::Required,
     .metavar = "ms",
     .help = "turn the events on that many ms after the start; -1: not by itself; 10-20,30-40: in these ranges of time",
     .store = call<&choose_delay>},
    {.name = "duration",
     .value = Value::Required,
     .metavar = "seconds",
     .help = "stop recording after that many seconds",
     .store = call<&choose_duration>,
     .since = Since::Ours},
    {.name = "kcore",
     .help = "make a directory that holds a copy of the running kernel's code too",
     .store = set<&O::kernel_image>},
    {.name = "uid",
     .letter = 'u',
     .value = Value::Required,
     .metavar = "user",
     .help = "observe the processes of that user",
     .store = call<&choose_user>},
    {.name = "branch-any", .letter = 'b', .help = "keep the last branches that were taken", .store = call<&any_branch>},
    {.name = "branch-filter",
     .letter = 'j',
     .value = Value::Required,
     .metavar = "branch filter mask",
     .help = "which branches to keep: any, any_call, any_ret, ind_call, cond, u, k, save_type, ...",
     .store = call<&choose_branches>},
    {.name = "weight",
     .letter = 'W',
     .help = "keep the weight (latency) of the sample, where the event has one",
     .store = set<&O::config, &RecordOptions::weight>},
    {.name = "transaction",
     .help = "keep flags of hardware transactions, where the event has them",
     .store = set<&O::config, &RecordOptions::transaction>},
    {.name = "per-thread",
     .help = "one ring buffer for each thread in place of each CPU",
     .store = set<&O::target, &TargetRequest::per_thread>},
    {.name = "intr-regs",
     .letter = 'I',
     .value = Value::Sticky,
     .metavar = "any register",
     .help = "keep registers as they were when the sample was taken, all or those named; -I? lists them",
     .store = call<&choose_intr_registers>},
    {.name = "user-regs",
     .value = Value::Sticky,
     .metavar = "any register",
     .help = "keep registers of the user program, all or those named; --user-regs=? lists them",
     .store = call<&choose_user_registers>},
    {.name = "running-time",
     .help = "keep how long counters ran, with the values that :S reads",
     .store = set<&O::config, &RecordOptions::running_time>},
    {.name = "clockid",
     .letter = 'k',
     .value = Value::Required,
     .metavar = "clockid",
     .help = "which clock gives the times: monotonic, monotonic_raw, realtime, boottime, tai",
     .store = call<&choose_clock>},
    {.name = "snapshot",
     .letter = 'S',
     .value = Value::Sticky,
     .metavar = "opts",
     .help = "keep only the end of an AUX area trace, written on SIGUSR2",
     .store = set<&O::snapshot>},
    {.name = "aux-sample",
     .value = Value::Sticky,
     .metavar = "opts",
     .help = "put the end of an AUX area trace into each sample",
     .store = set<&O::aux_sample>},
    {.name = "proc-map-timeout",
     .value = Value::Required,
     .metavar = "ms",
     .help = "give up reading the maps of one process after that time (default: never)",
     .store = set<&O::map_timeout_ms>},
    {.name = "namespaces",
     .help = "keep the namespaces of processes",
     .store = set<&O::config, &RecordOptions::namespaces>},
    {.name = "all-cgroups",
     .help = "keep the control group of samples, and the names of all groups",
     .store = set<&O::config, &RecordOptions::cgroups>},
    {.name = "switch-events",
     .help = "keep when threads are switched in and out",
     .store = set<&O::config, &RecordOptions::switch_events>},
    {.name = "all-kernel", .help = "observe the kernel alone, whatever the events say", .store = call<&only_kernel>},
    {.name = "all-user", .help = "observe user space alone, whatever the events say", .store = call<&only_user>},
    {.name = "kernel-callchains",
     .help = "call chains of the kernel part only",
     .store = set<&O::config, &RecordOptions::kernel_callchains>},
    {.name = "user-callchains",
     .help = "call chains of the user part only",
     .store = set<&O::config, &RecordOptions::user_callchains>},
    {.name = "vmlinux",
     .value = Value::Required,
     .metavar = "file",
     .help = "the image of the running kernel",
     .store = set<&O::vmlinux>},
    {.name = "buildid-all",
     .help = "keep the build-id of everything that was mapped, sampled or not",
     .store = set<&O::all_build_ids>},
    {.name = "buildid-mmap",
     .help = "give build-ids in the map records, where the kernel can, and look for no others",
     .store = set<&O::config, &RecordOptions::build_id_in_mmap>},
    {.name = "timestamp-filename",
     .help = "put the time of the recording behind the name of the file",
     .store = set<&O::stamped_name>},
    {.name = "timestamp-boundary",
     .help = "note when the first and the last sample were taken, with -B too",
     .store = set<&O::sample_times>},
    {.name = "switch-output",
     .value = Value::Sticky,
     .metavar = "signal or size[BKMG] or time[smhd]",
     .help = "go on in a new file at SIGUSR2, or when the file has that size or age",
     .store = call<&choose_switch>,
     .implied = "signal"},
    {.name = "switch-output-event",
     .value = Value::Required,
     .metavar = "event",
     .help = "go on in a new file whenever this event happens",
     .store = call<&add_switch_events>},
    {.name = "switch-max-files",
     .value = Value::Required,
     .metavar = "n",
     .help = "keep the last n of the files that were switched from",
     .store = set<&O::switch_max_files>},
    {.name = "dry-run", .help = "check the options and the events, then end", .store = set<&O::dry_run>},
    {.name = "aio",
     .value = Value::Sticky,
     .metavar = "n",
     .help = "write in the background, with so many blocks under way (default: 1, most: 4)",
     .store = set<&O::write_blocks>,
     .implied = "1"},
    {.name = "affinity",
     .value = Value::Required,
     .metavar = "node|cpu",
     .help = "empty each ring on a CPU of its NUMA node, or on its own CPU",
     .store = call<&choose_affinity>},
    {.name = "compression-level",
     .letter = 'z',
     .value = Value::Sticky,
     .metavar = "n",
     .help = "compress the records with zstd: 1 is fast, 22 is small",
     .store = set<&O::compression_level>,
     .implied = "1"},
    {.name = "max-size",
     .value = Value::Required,
     .metavar = "size",
     .help = "stop when the recording has that size (B, K, M, G)",
     .store = call<&choose_max_size>},
    {.name = "num-thread-synthesize",
     .value = Value::Required,
     .metavar = "n",
     .help = "how many threads read /proc at the start (default: one per CPU)",
     .store = set<&O::synthesis_threads>},
    {.name = "control",
     .value = Value::Required,
     .metavar = "fd:n[,ack] or fifo:path[,ack]",
     .help = "take commands while recording: enable, disable, evlist, stop, ping; each is answered by 'ack'",
     .store = call<&choose_control>},
    {.name = "synth",
     .value = Value::Required,
     .metavar = "no|all|task|mmap|cgroup",
     .help = "which records are made up for what already runs; default: all",
     .store = call<&choose_synthesis>},
    {.name = "debuginfod",
     .value = Value::Sticky,
     .metavar = "debuginfod urls",
     .help = "fetch debug symbols into the build-id cache, from these servers or those of DEBUGINFOD_URLS",
     .store = set<&O::servers>,
     .implied = ""},
    {.name = "threads",
     .value = Value::Sticky,
     .metavar = "spec",
     .help = "several threads write a file each into a directory: one per cpu, core, package, numa node, or CPU lists",
     .store = call<&choose_threads>,
     .implied = "cpu"},
    {.name = "off-cpu",
     .help = "also sample where threads wait, off the CPU: an event offcpu-time, counted by a BPF program",
     .store = set<&O::off_cpu>},
    {.name = "off-cpu-thresh",
     .value = Value::Required,
     .metavar = "ms",
     .help = "with --off-cpu: a wait of this length is a sample of its own, at its own time; shorter ones are added up",
     .store = call<&choose_off_cpu_threshold>,
     .since = Since::Ours},
    {.name = "clang-path",
     .value = Value::Required,
     .metavar = "clang path",
     .help = "accepted: nothing is compiled here",
     .store = set<&O::accepted>},
    {.name = "clang-opt",
     .value = Value::Required,
     .metavar = "clang options",
     .help = "accepted: nothing is compiled here",
     .store = set<&O::accepted>},
};

constexpr std::string_view kUsage[] = {"[<options>] [<command>]", "[<options>] -- <command> [<options>]"};

constexpr std::string_view kExamples[] = {
    "perf record -g ./program|profile a program with its call stacks",
    "perf record -a -g --duration 10|profile the whole machine for ten seconds",
    "perf record --html page.html -- ./program|profile a program, and write a page to look at in a browser",
    "perf record -p 1234 -F 999 sleep 5|profile a running process for five seconds",
    "perf record -e sched:sched_switch -a sleep 1|record every context switch of a second",
};

}  // namespace

constinit const Command kRecord{.name = "record",
                                .summary = "Run a command and record its profile into perf.data",
                                .usage = kUsage,
                                .options = kOptions,
                                .words_at = Words::StopAtFirst,
                                .examples = kExamples,
                                .run = entry<RecordCommandOptions, record>};

}  // namespace peregrine::cmd
