// io: the I/O of processes, from system calls to disks, in one table.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <expected>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number/number_list.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/events/time_limit_row.h"
#include "cmd/io/io_parts.h"
#include "cmd/recording/temporary_folder.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "pipeline/bundle/private_folder.h"
#include "session/io/io_recording.h"
#include "session/io/io_session.h"

namespace peregrine::cmd {

namespace {

// All rows of io form one group.
template <auto... Member>
constexpr Option kIoTimeoutRow = [] {
  Option row = kTimeoutRow<Member...>;
  row.since = Option{}.since;
  return row;
}();

struct IoOptions {
  IoTable table;
  bool system_wide = false;
  std::chrono::milliseconds limit{};
};
constexpr std::array kIoTargetRows{
    Option{.name = "all-cpus", .letter = 'a', .help = "show all processes", .store = set<&IoOptions::system_wide>},
    kIoTimeoutRow<&IoOptions::limit>,
};
constexpr auto kIoOptions = joined_rows(kIoTableRows<IoOptions>, kIoTargetRows);

struct IoRecordOptions {
  std::string output;
  std::chrono::milliseconds limit{};
};
constexpr std::array kIoRecordOptions{
    Option{.name = "output",
           .letter = 'o',
           .value = Value::Required,
           .metavar = "file",
           .help = "write to this file (default: perf.data)",
           .store = set<&IoRecordOptions::output>},
    kIoTimeoutRow<&IoRecordOptions::limit>,
};

struct IoReportOptions {
  TracedInput input;
  IoTable table;
};
constexpr std::array kIoInputRows{
    kForceRow<&IoReportOptions::input, &TracedInput::force>,
    kInputRow<&IoReportOptions::input, &TracedInput::path>,
};
constexpr auto kIoReportOptions = joined_rows(kIoTableRows<IoReportOptions>, kIoInputRows);

std::vector<std::string> io_arguments(const std::string& output, std::chrono::milliseconds limit,
                                      const std::vector<std::string>& command) {
  std::vector<std::string> options;
  if (limit.count() != 0) options.push_back(fmt::format("--timeout={}", limit.count()));
  return record_arguments(output, command, options);
}

Result<int> io_record(IoRecordOptions& options, Invocation& call) {
  auto recording = io_recording();
  if (!recording) return std::unexpected(std::move(recording.error()));
  return record_traced(std::move(*recording), io_arguments(options.output, options.limit, call.words), call);
}

Result<int> io_report(IoReportOptions& options, Invocation& call) {
  auto request = io_report_request(options.table);
  if (!request) return std::unexpected(std::move(request.error()));
  auto recording = open_traced(options.input, {}, call);
  if (!recording) return kNotOpened;
  PEREGRINE_TRY(show_io_report(*recording, *request, call.out, call.messages));
  return 0;
}

// Records into a private folder, which is removed afterwards.
Result<int> measure_io(IoOptions& options, Invocation& call) {
  auto request = io_report_request(options.table);
  if (!request) return std::unexpected(std::move(request.error()));
  const bool chosen = !request->processes.empty();
  if (chosen && (options.system_wide || !call.words.empty()))
    return fail(ErrorKind::Usage, "-p cannot be combined with {}", options.system_wide ? "-a" : "a command");
  if (call.words.empty() && !chosen && !options.system_wide)
    return std::unexpected(Error{ErrorKind::Usage, "a command, -p or -a is missing"}.with_hint(
        fmt::format("{} io -- COMMAND shows what a command does; to read a recording, run: {} io report",
                    call.messages.program(), call.messages.program())));
  if (!call.words.empty() && !options.system_wide) request->recorder = ::getpid();
  auto recording = io_recording();
  if (!recording) return std::unexpected(std::move(recording.error()));
  recording->arguments.emplace_back("--quiet");
  auto folder = PrivateFolder::make(temporary_folder());
  if (!folder) return std::unexpected(std::move(folder.error()));
  const std::string path = folder->path() + "/perf.data";
  folder->will_make(path);
  const auto done = record_traced(std::move(*recording), io_arguments(path, options.limit, call.words), call);
  if (!done) return done;
  auto recorded = open_traced({.path = path}, {}, call);
  if (!recorded) return kNotOpened;
  PEREGRINE_TRY(show_io_report(*recorded, *request, call.out, call.messages));
  return *done;
}

Result<int> run_io(Invocation& call) {
  if (called_part(call.command, call.arguments) != nullptr) return run_part(call);
  return entry<IoOptions, measure_io>(call);
}

constexpr const Command* kIoParts[] = {&kIoRecord, &kIoReport};
constexpr std::string_view kIoUsage[] = {"[<options>] [--] <command>", "[<options>] {-a|-p <pid>} [--timeout <time>]",
                                         "{record|report} [<subcommand options>]"};
constexpr std::string_view kIoRecordUsage[] = {"[<options>] [<command>]"};
constexpr std::string_view kIoDescription =
    "Shows the I/O of processes in one table, from system calls through the page cache to disks: for each process, "
    "file and operation, the calls with their bytes and time, the pages that were in the page cache or had to be "
    "added, and the requests to disks.\n\n"
    "`io COMMAND` shows what a command does, `io -p PID` processes, and `io -a` all processes, until Ctrl-C or "
    "--timeout. `io record` writes an ordinary recording, which `io report` reads; `blk report` reads it, too.\n\n"
    "The columns: calls; asked and given, the bytes that calls requested and returned; the time of calls; hit and "
    "miss, pages that reads found in the page cache or not; added, pages added to the page cache, with those read "
    "ahead; dirty, folios (one or more pages) that became dirty; reqs, bytes and time of requests to disks, from "
    "queueing to completion.\n\n"
    "The operations: open, read, write and sync are calls; fault is I/O outside of them, such as page faults of mapped "
    "files; writeback is dirty pages that the kernel wrote later.";
constexpr std::string_view kIoExamples[] = {
    "perf io cp a b|what a command reads and writes",
    "perf io -p 1234 --timeout 10s|a running process",
    "perf io -a --by file -s disk-bytes --timeout 5s|files with the most disk I/O",
    "perf io record -- make|record, to ask several questions",
    "perf io report --by operation,file -x ,|read the recording, as CSV",
};

}  // namespace

Result<IoReportRequest> io_report_request(const IoTable& table) {
  IoReportRequest request;
  request.rows = table.rows;
  request.separator = table.separator;
  if (!table.keys.empty()) {
    auto keys = parse_io_keys(table.keys);
    if (!keys) return std::unexpected(std::move(keys.error()));
    request.keys = std::move(*keys);
  }
  if (!table.order.empty()) {
    const auto order = parse_io_order(table.order);
    if (!order) return std::unexpected(order.error());
    request.order = *order;
  }
  if (!table.processes.empty()) {
    const auto numbers = numbers_of(table.processes, "-p", std::numeric_limits<i32>::max());
    if (!numbers) return std::unexpected(numbers.error());
    request.processes.assign(numbers->begin(), numbers->end());
  }
  return request;
}

constinit const Command kIoRecord{.name = "io record",
                                  .summary = "Record the I/O of all processes",
                                  .usage = kIoRecordUsage,
                                  .options = kIoRecordOptions,
                                  .words_at = Words::StopAtFirst,
                                  .since = Since::Ours,
                                  .run = entry<IoRecordOptions, io_record>};
constinit const Command kIoReport{.name = "io report",
                                  .summary = "Show the I/O of processes in a recording",
                                  .options = kIoReportOptions,
                                  .since = Since::Ours,
                                  .run = entry<IoReportOptions, confined<IoReportOptions, io_report>>};
constinit const Command kIo{.name = "io",
                            .summary = "Show the I/O of processes, from system calls to disks",
                            .usage = kIoUsage,
                            .options = kIoOptions,
                            .parts = kIoParts,
                            .words_at = Words::StopAtFirst,
                            .description = kIoDescription,
                            .examples = kIoExamples,
                            .since = Since::Ours,
                            .run = run_io};

}  // namespace peregrine::cmd
