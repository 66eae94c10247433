#include "cmd/record/record_options.h"

#include <unistd.h>

#include <chrono>
#include <string_view>

#include "base/number/parse_number.h"
#include "base/number/real_number.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/target/control_channel.h"
#include "capture/target/target.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/events/time_limit_row.h"
#include "cmd/record/record_choice.h"
#include "cmd/record/record_output_options.h"
#include "cmd/sandbox/page_opener.h"
#include "event/config/record_config.h"
#include "pipeline/recording/output/output.h"
#include "pipeline/recording/place/output_switch.h"
#include "pipeline/recording/recording.h"
#include "pipeline/recording/synthesis.h"
#include "sys/process/user.h"

namespace peregrine::cmd {
namespace {

Result<std::string_view> parse_filter_setup(std::string_view word) {
  if (word == "pin" || word == "unpin") return word;
  return fail(ErrorKind::Usage, "invalid --setup-filter '{}': must be pin or unpin", word);
}

Result<> exclude_self(RecordCommandOptions& options, const Use&) { return options.events.exclude(::getpid()); }

// A page without stacks would show little.
Result<> choose_html(RecordCommandOptions& options, const Use& use) {
  options.html = use.negated ? "" : use.value;
  return use.negated ? Result<>() : want_callgraph(options, use);
}

Result<std::chrono::milliseconds> parse_duration(std::string_view words) {
  const auto seconds = parse_real(words);
  if (!seconds || *seconds <= 0 || *seconds > 1e9)
    return fail(ErrorKind::Usage, "option `duration' expects a number of seconds");
  return std::chrono::milliseconds(static_cast<i64>(*seconds * 1000));
}

// In ns.
Result<u64> parse_off_cpu_threshold(std::string_view words) {
  const auto milliseconds = parse_number<u64>(words);
  if (!milliseconds || *milliseconds > 1'000'000'000)
    return fail(ErrorKind::Usage, "option `off-cpu-thresh' expects a number of milliseconds");
  return *milliseconds * 1'000'000;
}

// Rows that set a member of one of the request's parts.
template <auto Member>
constexpr Store kSetTarget = set<&RecordCommandOptions::request, &RecordRequest::target, Member>;
template <auto... Members>
constexpr Store kSetRecording = set<&RecordCommandOptions::request, &RecordRequest::recording, Members...>;
template <auto... Members>
constexpr Store kSetConfig = kSetRecording<&RecordingRequest::config, Members...>;
template <auto Member>
constexpr Store kSetSampling = kSetConfig<&RecordConfig::sampling, Member>;
template <auto Member>
constexpr Store kSetField = kSetConfig<&RecordConfig::fields, Member>;
template <auto Member>
constexpr Store kSetCallchain = kSetConfig<&RecordConfig::callchains, Member>;
template <auto Member>
constexpr Store kSetSideBand = kSetConfig<&RecordConfig::side_band, Member>;
template <auto Member>
constexpr Store kSetRing = kSetRecording<&RecordingRequest::rings, Member>;
template <auto Member>
constexpr Store kSetRun = kSetRecording<&RecordingRequest::run, Member>;
template <auto Parse, auto... Members>
constexpr Store kSetParsed = set_parsed<Parse, &RecordCommandOptions::request, &RecordRequest::recording, Members...>;
template <auto Parse, auto Member>
constexpr Store kSetRunParsed = kSetParsed<Parse, &RecordingRequest::run, Member>;
template <auto Parse, auto Member>
constexpr Store kSetRingParsed = kSetParsed<Parse, &RecordingRequest::rings, Member>;
template <auto Member>
constexpr Store kSetSynthesis = kSetRecording<&RecordingRequest::synthesis, Member>;
template <auto... Members>
constexpr Store kSetOutput = kSetRecording<&RecordingRequest::output, Members...>;
template <auto Member>
constexpr Store kSetBuildId = kSetOutput<&FileRequest::build_ids, Member>;
template <auto Member>
constexpr Store kSetSwitch = kSetRecording<&RecordingRequest::switching, Member>;

constexpr Option kRecordOptions[] = {
    {.name = "event",
     .letter = 'e',
     .value = Value::Required,
     .metavar = "event",
     .help = "sample these events (see `list`); may be repeated",
     .store = call<&add_events>},
    {.name = "probe",
     .value = Value::Required,
     .metavar = "definition",
     .help = "add this probe (see `probe`) for this recording and sample it; may be repeated",
     .store = set<&RecordCommandOptions::probes>,
     .since = Since::Ours},
    {.name = "pfm-events",
     .value = Value::Required,
     .metavar = "event",
     .help = "sample these events, in libpfm4 syntax: NAME:MASK:u:c=1,...; may be repeated",
     .store = call<&add_pfm_events>},
    {.name = "filter",
     .value = Value::Required,
     .metavar = "filter",
     .help = "filter the preceding -e, by tracepoint fields or by samples",
     .store = call<&add_filter>},
    {.name = "setup-filter",
     .value = Value::Required,
     .metavar = "pin|unpin",
     .help = "as root: let all users filter samples, until unpin or reboot (does not record)",
     .store = set_parsed<&parse_filter_setup, &RecordCommandOptions::filter_setup>},
    {.name = "exclude-perf",
     .help = "do not record tracepoint hits caused by the recorder",
     .store = call<&exclude_self>},
    {.name = "pid",
     .letter = 'p',
     .value = Value::Required,
     .metavar = "pid",
     .help = "record these processes and their future threads (comma-separated)",
     .store = kSetTarget<&TargetRequest::pids>},
    {.name = "tid",
     .letter = 't',
     .value = Value::Required,
     .metavar = "tid",
     .help = "record only these threads (comma-separated)",
     .store = kSetTarget<&TargetRequest::tids>},
    {.name = "realtime",
     .letter = 'r',
     .value = Value::Required,
     .metavar = "n",
     .help = "run the recorder at this real-time priority (SCHED_FIFO)",
     .store = kSetRing<&RingRequest::real_time_priority>},
    {.name = "no-buffering", .help = "wake up for every sample", .store = kSetSampling<&SamplingRequest::no_buffering>},
    {.name = "raw-samples",
     .letter = 'R',
     .help = "record raw sample data for all events",
     .store = kSetField<&SampleFieldRequest::raw>},
    {.name = "all-cpus", .letter = 'a', .help = "record all CPUs", .store = kSetTarget<&TargetRequest::system_wide>},
    {.name = "cpu",
     .letter = 'C',
     .value = Value::Required,
     .metavar = "cpu",
     .help = "record these CPUs: 0,2-3",
     .store = kSetTarget<&TargetRequest::cpus>},
    {.name = "count",
     .letter = 'c',
     .value = Value::Required,
     .metavar = "n",
     .help = "sample every n-th event",
     .store = kSetSampling<&SamplingRequest::period>},
    {.name = "output",
     .letter = 'o',
     .value = Value::Required,
     .metavar = "file",
     .help = "write to this file (default: perf.data); -: stdout, as a pipe",
     .store = kSetOutput<&FileRequest::path>},
    {.name = "html",
     .value = Value::Required,
     .metavar = "file",
     .help = "also write an HTML page with flame graph, functions, code and timeline; implies -g",
     .store = call<&choose_html>,
     .since = Since::Ours},
    kOpenRow<&RecordCommandOptions::open>,
    {.name = "no-inherit", .letter = 'i', .help = "do not follow children", .store = call<&no_inherit>},
    {.name = "tail-synthesize",
     .help = "synthesize records for running processes at the end, not at the start",
     .store = kSetSynthesis<&SynthesisRequest::at_end>},
    {.name = "overwrite",
     .help = "let new records overwrite the oldest; write the file only at a switch and at the end",
     .store = kSetSampling<&SamplingRequest::overwrite>},
    {.name = "no-bpf-event", .help = "do not record loads and unloads of BPF programs", .store = call<&no_bpf_event>},
    {.name = "strict-freq",
     .help = "fail if -F exceeds the kernel's limit, instead of lowering it",
     .store = kSetSampling<&SamplingRequest::strict_frequency>},
    {.name = "freq",
     .letter = 'F',
     .value = Value::Required,
     .metavar = "freq or 'max'",
     .help =
         "take this many samples per second and CPU (max: the kernel's limit); warn and use the limit if it is lower",
     .store = call<&choose_frequency>},
    {.name = "mmap-pages",
     .letter = 'm',
     .value = Value::Required,
     .metavar = "pages[,pages]",
     .help = "set the size of each ring buffer: pages, or bytes with suffix B, K, M or G",
     .store = call<&choose_ring_size>},
    {.name = "mmap-flush",
     .value = Value::Required,
     .metavar = "bytes",
     .help = "read a ring buffer when it contains this many bytes, or after 1 second (default: 1 byte)",
     .store = kSetRingParsed<&parse_flush, &RingRequest::least_bytes>},
    {.name = "group",
     .help = "put all events into one group, led by the first",
     .store = kSetSampling<&SamplingRequest::group>},
    {.letter = 'g',
     .help = "record call chains, by frame pointers unless --call-graph changes it",
     .store = call<&want_callgraph>},
    {.name = "call-graph",
     .value = Value::Required,
     .metavar = "record_mode[,record_size]",
     .help = "record call chains: fp (frame pointers; fp,N: at most N frames; fp,defer: walk user stacks once, on "
             "return to user space), dwarf[,BYTES] (stack copies, default: 8192 bytes) or lbr (branch records)",
     .store = call<&choose_callgraph>,
     .words = [] { return std::vector<std::string_view>{"fp", "dwarf", "lbr"}; }},
    {.name = "unwind",
     .value = Value::Required,
     .metavar = "now|later",
     .help = "now: unwind dwarf stacks while recording and write call chains, for small files (default: later)",
     .store = kSetRunParsed<&parse_unwind, &RunRequest::unwind>},
    {.name = "verbose",
     .letter = 'v',
     .help = "-v: show events and attrs; -vv: show each perf_event_open(2) and its result",
     .store = count<&RecordCommandOptions::request, &RecordRequest::verbose>},
    {.name = "quiet",
     .letter = 'q',
     .help = "show errors only",
     .store = set<&RecordCommandOptions::request, &RecordRequest::quiet>},
    {.name = "stat",
     .letter = 's',
     .help = "record per-thread counts, for report -T",
     .store = kSetField<&SampleFieldRequest::thread_counts>},
    {.name = "data",
     .letter = 'd',
     .help = "record data addresses, and data mappings to resolve them",
     .store = kSetField<&SampleFieldRequest::addresses>},
    {.name = "phys-data",
     .help = "record physical data addresses",
     .store = kSetField<&SampleFieldRequest::physical_addresses>},
    {.name = "sample-mem-info",
     .help = "record the data source: which cache or memory served an access",
     .store = kSetField<&SampleFieldRequest::data_source>,
     .since = Since::Ours},
    {.name = "data-page-size",
     .help = "record the page size of data addresses",
     .store = kSetField<&SampleFieldRequest::data_page_size>},
    {.name = "code-page-size",
     .help = "record the page size of code addresses",
     .store = kSetField<&SampleFieldRequest::code_page_size>},
    {.name = "sample-cpu", .help = "record the CPU of each sample", .store = kSetField<&SampleFieldRequest::cpu>},
    {.name = "sample-identifier",
     .help = "record the event ID at a fixed position in each sample",
     .store = kSetField<&SampleFieldRequest::identifier>},
    {.name = "timestamp",
     .letter = 'T',
     .help = "record the time of each sample",
     .store = kSetField<&SampleFieldRequest::timestamps>},
    {.name = "period",
     .letter = 'P',
     .help = "record the period of each sample",
     .store = kSetField<&SampleFieldRequest::period>},
    {.name = "no-samples",
     .letter = 'n',
     .help = "record metadata only, no samples",
     .store = kSetSampling<&SamplingRequest::no_samples>},
    {.name = "no-buildid-cache",
     .letter = 'N',
     .help = "do not update the build-id cache",
     .store = set<&RecordCommandOptions::no_build_id_cache>},
    {.name = "no-buildid",
     .letter = 'B',
     .help = "do not look up build-ids of sampled DSOs",
     .store = kSetBuildId<&BuildIdRequest::skip>},
    {.name = "cgroup",
     .letter = 'G',
     .value = Value::Required,
     .metavar = "name",
     .help = "record the preceding events only in this cgroup (comma-separated: one per event)",
     .store = call<&choose_cgroups>},
    {.name = "delay",
     .letter = 'D',
     .value = Value::Required,
     .metavar = "ms",
     .help = "enable events after this many ms; -1: start disabled; 10-20,30-40: only in these ranges",
     .store = call<&choose_delay>},
    {.name = "duration",
     .value = Value::Required,
     .metavar = "seconds",
     .help = "stop recording after this many seconds",
     .store = kSetRunParsed<&parse_duration, &RunRequest::duration>,
     .since = Since::Ours},
    kTimeoutRow<&RecordCommandOptions::request, &RecordRequest::recording, &RecordingRequest::run,
                &RunRequest::duration>,
    {.name = "kcore",
     .help = "write a directory, with a copy of the running kernel's code",
     .store = kSetOutput<&FileRequest::kernel_copy>},
    {.name = "uid",
     .letter = 'u',
     .value = Value::Required,
     .metavar = "user",
     .help = "record the processes of this user",
     .store = set_parsed<&user_number, &RecordCommandOptions::request, &RecordRequest::target, &TargetRequest::user>},
    {.name = "branch-any", .letter = 'b', .help = "record the last taken branches", .store = call<&any_branch>},
    {.name = "branch-filter",
     .letter = 'j',
     .value = Value::Required,
     .metavar = "branch filter mask",
     .help = "record these branches: any, any_call, any_ret, ind_call, cond, u, k, save_type, ...",
     .store = call<&choose_branches>,
     .words =
         [] {
           return std::vector<std::string_view>{"any",  "any_call", "any_ret", "ind_call", "ind_jmp", "cond",
                                                "call", "stack",    "u",       "k",        "hv",      "save_type"};
         }},
    {.name = "weight",
     .letter = 'W',
     .help = "record the weight (latency) of each sample, if the event provides it",
     .store = kSetField<&SampleFieldRequest::weight>},
    {.name = "transaction",
     .help = "record flags of hardware transactions, if the event provides them",
     .store = kSetField<&SampleFieldRequest::transaction>},
    {.name = "per-thread",
     .help = "use one ring buffer per thread instead of per CPU",
     .store = kSetTarget<&TargetRequest::per_thread>},
    {.name = "per-cpu",
     .help = "sample whole CPUs, but keep only the command and its children (catches short-lived threads)",
     .store = kSetRun<&RunRequest::follow>,
     .since = Since::Ours},
    {.name = "intr-regs",
     .letter = 'I',
     .value = Value::Sticky,
     .metavar = "any register",
     .help = "record registers at each sample, all or only the named ones; -I? lists them",
     .store = call<&choose_intr_registers>},
    {.name = "user-regs",
     .value = Value::Sticky,
     .metavar = "any register",
     .help = "record user-space registers, all or only the named ones; --user-regs=? lists them",
     .store = call<&choose_user_registers>},
    {.name = "running-time",
     .help = "record how long counters ran, with the values that :S reads",
     .store = kSetField<&SampleFieldRequest::running_time>},
    {.name = "clockid",
     .letter = 'k',
     .value = Value::Required,
     .metavar = "clockid",
     .help = "take timestamps from this clock: monotonic, monotonic_raw, realtime, boottime, tai",
     .store = kSetParsed<&parse_clockid, &RecordingRequest::config, &RecordConfig::sampling, &SamplingRequest::clockid>,
     .words =
         [] { return std::vector<std::string_view>{"monotonic", "monotonic_raw", "realtime", "boottime", "tai"}; }},
    {.name = "snapshot",
     .letter = 'S',
     .value = Value::Sticky,
     .metavar = "opts",
     .help = "keep only the end of an AUX area trace; write it on SIGUSR2",
     .store = set<&RecordCommandOptions::request, &RecordRequest::snapshot>},
    {.name = "aux-sample",
     .value = Value::Sticky,
     .metavar = "opts",
     .help = "add the end of the AUX area trace to each sample",
     .store = set<&RecordCommandOptions::request, &RecordRequest::aux_sample>},
    {.name = "proc-map-timeout",
     .value = Value::Required,
     .metavar = "ms",
     .help = "give up reading a process's maps after this many ms (default: never)",
     .store = kSetSynthesis<&SynthesisRequest::map_timeout_ms>},
    {.name = "namespaces",
     .help = "record the namespaces of processes",
     .store = kSetSideBand<&SideBandRequest::namespaces>},
    {.name = "all-cgroups",
     .help = "record the cgroup of each sample, and the names of all cgroups",
     .store = kSetSideBand<&SideBandRequest::cgroups>},
    {.name = "switch-events",
     .help = "record context switches",
     .store = kSetSideBand<&SideBandRequest::switch_events>},
    {.name = "latency",
     .help = "record context switches, for report --latency",
     .store = set<&RecordCommandOptions::request, &RecordRequest::latency>,
     .since = Since::Ours},
    {.name = "all-kernel", .help = "record only kernel space, overriding event modifiers", .store = call<&only_kernel>},
    {.name = "all-user", .help = "record only user space, overriding event modifiers", .store = call<&only_user>},
    {.name = "kernel-callchains",
     .help = "record only the kernel part of call chains",
     .store = kSetCallchain<&CallchainRequest::kernel_only>},
    {.name = "user-callchains",
     .help = "record only the user part of call chains",
     .store = kSetCallchain<&CallchainRequest::user_only>},
    {.name = "vmlinux",
     .value = Value::Required,
     .metavar = "file",
     .help = "use this image of the running kernel",
     .store = set_readable<&RecordCommandOptions::vmlinux>},
    {.name = "buildid-all",
     .help = "record build-ids of all mapped DSOs, sampled or not",
     .store = kSetBuildId<&BuildIdRequest::all>},
    {.name = "buildid-mmap",
     .help = "store build-ids in mmap records if the kernel can, and do not look up others",
     .store = kSetSideBand<&SideBandRequest::build_ids>},
    {.name = "timestamp-filename",
     .help = "append the time of the recording to the file name",
     .store = kSetSwitch<&SwitchRequest::stamped_name>},
    {.name = "timestamp-boundary",
     .help = "record the times of the first and last sample, even with -B",
     .store = kSetOutput<&FileRequest::sample_times>},
    {.name = "sync",
     .help = "flush to disk every second, not only at the end (--no-sync: leave it to the kernel)",
     .store = call<&choose_sync>,
     .since = Since::Ours},
    {.name = "switch-output",
     .value = Value::Sticky,
     .metavar = "signal or size[BKMG] or time[smhd]",
     .help = "switch to a new file on SIGUSR2, or at this file size or age",
     .store = kSetParsed<&parse_switch_condition, &RecordingRequest::switching, &SwitchRequest::when>,
     .implied = "signal"},
    {.name = "switch-output-event",
     .value = Value::Required,
     .metavar = "event",
     .help = "switch to a new file whenever this event happens",
     .store = call<&add_switch_events>},
    {.name = "switch-max-files",
     .value = Value::Required,
     .metavar = "n",
     .help = "with --switch-output: keep only the last n files",
     .store = kSetSwitch<&SwitchRequest::max_files>},
    {.name = "dry-run", .help = "check options and events, then exit", .store = set<&RecordCommandOptions::dry_run>},
    {.name = "aio",
     .value = Value::Sticky,
     .metavar = "n",
     .help = "write in the background, with up to n blocks in flight (default: 1, maximum: 4)",
     .store = kSetOutput<&FileRequest::write_blocks>,
     .implied = "1"},
    {.name = "affinity",
     .value = Value::Required,
     .metavar = "node|cpu",
     .help = "read each ring buffer on its NUMA node, or on its own CPU",
     .store = kSetRingParsed<&parse_affinity, &RingRequest::affinity>},
    {.name = "compression-level",
     .letter = 'z',
     .value = Value::Sticky,
     .metavar = "n",
     .help = "compress records with zstd, from 1 (fastest, default) to 22 (smallest)",
     .store = kSetOutput<&FileRequest::compression_level>,
     .implied = "1"},
    {.name = "max-size",
     .value = Value::Required,
     .metavar = "size",
     .help = "stop when the recording reaches this size (suffix B, K, M or G)",
     .store = kSetRunParsed<&parse_max_size, &RunRequest::max_bytes>},
    {.name = "num-thread-synthesize",
     .value = Value::Required,
     .metavar = "n",
     .help = "read /proc with n threads at the start (default: one per CPU)",
     .store = kSetSynthesis<&SynthesisRequest::threads>},
    {.name = "control",
     .value = Value::Required,
     .metavar = "fd:n[,ack] or fifo:path[,ack]",
     .help = "accept commands while recording: enable, disable, evlist, stop, ping; answer each with 'ack'",
     .store = set_parsed<&ControlChannel::open, &RecordCommandOptions::control>},
    {.name = "synth",
     .value = Value::Required,
     .metavar = "no|all|task|mmap|cgroup",
     .help = "synthesize these records for running processes (default: all)",
     .store = call<&choose_synthesis>},
    {.name = "debuginfod",
     .value = Value::Sticky,
     .metavar = "debuginfod urls",
     .help = "fetch debug symbols into the build-id cache from these servers (default: DEBUGINFOD_URLS)",
     .store = set<&RecordCommandOptions::servers>,
     .implied = ""},
    {.name = "threads",
     .value = Value::Sticky,
     .metavar = "spec",
     .help = "write one file per thread into a directory; threads per cpu, core, package, numa or CPU list",
     .store = kSetRing<&RingRequest::threads>,
     .implied = "cpu"},
    {.name = "off-cpu",
     .help = "also sample where threads wait off-CPU, with BPF (event offcpu-time)",
     .store = kSetRun<&RunRequest::off_cpu>},
    {.name = "off-cpu-thresh",
     .value = Value::Required,
     .metavar = "ms",
     .help = "with --off-cpu: take one sample per wait of at least this many ms; sum shorter waits",
     .store = kSetRunParsed<&parse_off_cpu_threshold, &RunRequest::off_cpu_threshold>,
     .since = Since::Ours},
    {.name = "file-names",
     .help = "also record the paths of files as they are opened, with BPF (event file-names), for io report",
     .store = kSetRun<&RunRequest::file_names>,
     .since = Since::Ours},
    {.name = "clang-path",
     .value = Value::Required,
     .metavar = "clang path",
     .help = "accepted and ignored: no BPF code is compiled",
     .store = set<&RecordCommandOptions::accepted>},
    {.name = "clang-opt",
     .value = Value::Required,
     .metavar = "clang options",
     .help = "accepted and ignored: no BPF code is compiled",
     .store = set<&RecordCommandOptions::accepted>},
};

constexpr std::string_view kRecordUsage[] = {"[<options>] [<command>]", "[<options>] -- <command> [<options>]"};

constexpr std::string_view kRecordDescription =
    "Samples a command, running processes (-p) or all CPUs (-a), and writes the samples to perf.data. View them with "
    "report, annotate or script. The default event is CPU cycles, or CPU time on machines without hardware counters; "
    "-e selects others.\n\n"
    "Recording ends with the command or on Ctrl-C. With -a or -p, use --duration or a command such as `sleep 10` to "
    "set the length. An existing perf.data is renamed to perf.data.old.";

constexpr std::string_view kRecordExamples[] = {
    "perf record -g ./program|profile a program with its call stacks",
    "perf record -a -g --duration 10|profile the whole machine for ten seconds",
    "perf record --html page.html -- ./program|profile a program and write an HTML page for a browser",
    "perf record -p 1234 -F 999 sleep 5|profile a running process for five seconds",
    "perf record -e sched:sched_switch -a sleep 1|record every context switch for one second",
};

}  // namespace

constinit const Command kRecord{.name = "record",
                                .summary = "Sample a command or the whole machine into perf.data",
                                .usage = kRecordUsage,
                                .options = kRecordOptions,
                                .words_at = Words::StopAtFirst,
                                .description = kRecordDescription,
                                .examples = kRecordExamples,
                                .run = entry<RecordCommandOptions, record>};

}  // namespace peregrine::cmd
