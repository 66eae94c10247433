// report: where the samples of a recording fell, as tables with call graphs, as pictures, or in formats for other
// programs.
#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "analysis/hist/entry/hists.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "cli/frame/command.h"
#include "cli/frame/program_name.h"
#include "cli/frame/version.h"
#include "cmd/recording/format_option.h"
#include "cmd/recording/guest_settings.h"
#include "cmd/recording/recording.h"
#include "cmd/recording/trace_choice.h"
#include "cmd/report/browse.h"
#include "cmd/report/report_options.h"
#include "cmd/report/report_steps.h"
#include "cmd/sandbox/denied_files.h"
#include "machine/machine.h"
#include "output/html/packed_text.h"
#include "output/text/dump/header_text.h"
#include "output/text/report/report_page.h"
#include "output/text/report/symbols_page.h"
#include "pipeline/replay/account.h"
#include "session/export/output_target.h"
#include "session/export/page_code.h"
#include "session/export/pictures.h"
#include "session/export/profile_export.h"
#include "session/export/stack_advice.h"
#include "session/profile_session.h"
#include "session/recording/damage.h"
#include "session/recording/losses.h"
#include "session/recording/opened_recording.h"
#include "session/recording/sample_choice.h"
#include "session/recording/trace_choice.h"
#include "session/recording_read.h"
#include "session/report/report_plan.h"
#include "session/report/report_session.h"
#include "session/report/report_text.h"
#include "session/report/row_export.h"
#include "session/report/selection_text.h"
#include "session/report/task_report.h"

namespace peregrine::cmd {

namespace {

// Completes the options, and checks combinations that do not depend on the recording. They do not change afterwards.
Result<ReportOptions> settled(const ReportOptions& parsed, Invocation& call) {
  ReportOptions options = parsed.settled(call.config);
  if (options.request.look.quiet) call.messages.set_quiet(true);
  if (options.dump) options.stats = true;
  if (options.source_prefix_strip && !options.source_prefix)
    return fail(ErrorKind::Usage, "--prefix-strip requires --prefix");
  if (options.request.grouping.hierarchy && options.request.grouping.fields)
    return fail(ErrorKind::Usage, "--hierarchy and --fields options cannot be used together");
  PEREGRINE_TRY(refuse_recordings(call));
  if (call.words.size() == 1)
    options.request.look.symbol_filter = call.words[0];
  else if (call.words.size() > 1)
    return fail(ErrorKind::Usage, "expected one argument: part of a symbol name");
  options.request.look.colors = wants_color(options.color, call.out_is_terminal);
  return options;
}

bool wants_hint(const ReportOptions& options) {
  const bool tables =
      !options.stats && !options.symbols_report && !options.pictures.any() && options.format.name.empty();
  return (tables || options.dump) && !options.request.look.quiet && !options.header;
}

// The exit code is 0, as in linux-perf, but users who request a picture expect a file.
int say_no_samples(const ReportOptions& options, const ReplayAccount& account, Invocation& call) {
  const bool of_guests = account.filtered > 0 && !wants_hosts(call.config).value_or(true);
  const int code = refuse_verbatim(call,
                                   fmt::format("Error:\nThe {} data has no samples{}!", recording_name(options.input),
                                               of_guests ? " of guests" : ""),
                                   options.pictures.any() ? 1 : 0);
  if (of_guests)
    call.messages.verbatim(fmt::format("hint: {} omitted; to show the host's samples, run: {} kvm --host report\n",
                                       counted(account.filtered, "sample was", "samples were"),
                                       call.messages.program()));
  return code;
}

void print_symbols(const ReportSession& session, Invocation& call) {
  std::vector<SymbolsRow> rows = symbols_rows(session.hists(), session.profile().machine().dsos());
  for (SymbolsRow& row : rows) row.remedy = with_program_name(call.messages.program(), row.remedy);
  print_symbols_page(call.out, rows);
}

// A session and everything that is shown.
struct ReadReport {
  const ReportOptions& options;
  OpenedRecording& reader;
  ReportSession& session;
  const RecordingRead& read;
  std::future<PackedText> code;  // for a page
};

Result<int> draw(ReadReport& report, Invocation& call) {
  const Plan& plan = report.session.plan();
  const Hists& hists = report.session.hists();
  const Machine& machine = report.session.profile().machine();
  const bool page = report.options.pictures.page();
  Pictured pictured{
      .reader = report.reader,
      .names = plan.names,
      .machine = machine,
      .hists = hists,
      .naming = report.session.naming(),
      .sinks = report.session.page_sinks(),
      .code = std::move(report.code),
      .account = report.read.account,
      .time_quantum = report.session.time_quantum(),
      .losses = page ? losses_text(report.read.account, report.reader.account(), call) : std::string(),
      .advice = with_program_name(call.messages.program(),
                                  stack_advice(report.reader.evlist(), plan.names, hists, machine.dsos())),
      .creator = creator_name(),
      .filters = selection_text(report.options.request.selection)};
  PEREGRINE_TRY(write_pictures(report.options.pictures, pictured, {call.out, call.messages}));
  warn_about_later_read_failures(call.messages, machine.dsos(), report.read.account);
  if (!pictured.advice.empty()) call.messages.note(pictured.advice);
  return 0;
}

Result<int> print_tables(ReadReport& report, Invocation& call) {
  const ReportOptions& options = report.options;
  ReportSession& session = report.session;
  const std::string tip =
      choose_tip(session.plan(), report.reader.evlist(), session.hists(), session.profile().machine().dsos());
  print_report(session, report.read.account.lost_samples, with_program_name(call.messages.program(), tip), call.out);
  if (options.request.thread_counts) print_threads(session.plan().names, session.thread_reads(), call.out);
  if (!report.read.outcome) return refuse_verbatim(call, report.read.outcome.error().message);
  return 0;
}

Result<int> show(ReadReport report, Invocation& call) {
  const ReportOptions& options = report.options;
  ReportSession& session = report.session;
  const std::vector<std::string>& names = session.plan().names;
  if (options.stats) {
    print_record_stats(names, report.reader.header(), options.request.look.skip_empty, report.read.account,
                       samples_of_events(session.hists(), names.size()), call.out);
    return 0;
  }
  const std::vector<u64> samples = samples_of_events(session.hists(), session.hists().event_count());
  if (std::ranges::all_of(samples, [](u64 count) { return count == 0; }))
    return say_no_samples(options, report.read.account, call);
  if (options.symbols_report) {
    print_symbols(session, call);
    return 0;
  }
  if (options.format.is_profile()) {
    const ProfileSession& profile = session.profile();
    PEREGRINE_TRY(write_profile(options.format,
                                {session.hists(), profile.machine(), profile.sources(), report.reader, profile.traces(),
                                 options.format.is_timed(), selection_text(options.request.selection)},
                                {call.out, call.out_is_terminal, creator_name()}, call.messages));
    return 0;
  }
  if (const std::string unknown = session.unknown_types(); !unknown.empty()) call.messages.warning(unknown);
  if (options.pictures.any()) return draw(report, call);
  if (!options.format.name.empty()) {
    export_rows(options.format.name, session, call.out);
    return 0;
  }
  return print_tables(report, call);
}

Result<int> show_tasks(const ReportOptions& options, OpenedRecording& reader, Invocation& call) {
  Machine machine(symbol_places(options.symbols, call, reader));
  const RecordingRead read = read_tasks(reader, machine, options.mmaps);
  warn_about_losses(call.messages, read.account, reader.account());
  print_recorded_tasks(machine, options.mmaps, call.out);
  if (!read.outcome) return refuse_verbatim(call, read.outcome.error().message);
  return 0;
}

Result<int> read_and_show(const ReportOptions& parsed, Invocation& call) {
  const auto settled_options = settled(parsed, call);
  if (!settled_options) return std::unexpected(settled_options.error());
  const ReportOptions& options = *settled_options;
  PEREGRINE_TRY(check_pictures(options.pictures));
  if (auto shown = browse_if_wanted(options, "", call)) return std::move(*shown);
  auto reader = open_recording(options.input, options.symbols.force, call.messages);
  if (!reader) return say_open_error(call, options.input, reader.error(), recorder_for(call.command));
  if (options.header || options.header_only) {
    print_header(reader->header(), reader->evlist(), options.info, call.out);
    if (options.header_only) return 0;
  }
  // Record counts cover only recorded ones, not decoded samples.
  if (!options.dump && !options.stats)
    PEREGRINE_TRY(decode_recording(*reader, options.traces, usual_itrace(), options.symbols, call));
  PEREGRINE_TRY(check_times(options.format, reader->evlist()));
  if (options.request.chains.stitch_branches) check_stitching(reader->evlist(), call.messages);
  if (options.tasks || options.mmaps) return show_tasks(options, *reader, call);

  ReportSession session(*reader, options.request, sample_source(options, *reader));
  PEREGRINE_TRY(session.make_plan());
  const auto event_switch = make_event_switch(options.switching, session.plan().names, call);
  if (!event_switch) return 254;
  if (wants_hint(options)) print_header_hint(call.out);
  if (const auto reason = missing_data(options.request, session.plan(), *reader)) {
    print_filters(call.out, session.plan().single);
    return refuse_verbatim(call, with_program_name(call.messages.program(), *reason), 0);
  }
  const ReportCollection collection{.event_switch = *event_switch,
                                    .pictures = &options.pictures,
                                    .profile = options.format.is_profile() ? &options.format : nullptr};
  PEREGRINE_TRY(session.choose(collection));
  const auto opened = session.open(symbol_places(options.symbols, call, *reader), call.messages);
  if (!opened) return std::unexpected(opened.error());
  if (!*opened) return refuse_verbatim(call, "Error:\nfailed to set cpu bitmap");

  const auto read = session.read(options.dump ? &call.out : nullptr,
                                 std::string(options.pictures.file(options.format.output)), call.messages);
  if (!read) return std::unexpected(read.error());
  const Machine& machine = session.profile().machine();
  warn_about_denied_files(call, machine.dsos());
  std::future<PackedText> code;
  if (options.pictures.page())
    code = pack_code(*reader, machine, *session.page_sinks().hits, session.time_quantum(),
                     options.symbols.sysroot().folder);
  warn_about_losses(call.messages, read->account, reader->account());
  tell_decoding(*reader, call.messages);
  session.finish();
  return show({.options = options, .reader = *reader, .session = session, .read = *read, .code = std::move(code)},
              call);
}

}  // namespace

Result<int> report(ReportOptions& options, Invocation& call) {
  return write_into(options.format, Writing::Whole, options.request.look.separator, options.input, call,
                    [&](Invocation& into) { return read_and_show(options, into); });
}

}  // namespace peregrine::cmd
