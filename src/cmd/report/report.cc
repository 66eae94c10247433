// report: where the samples of a recording fell, as tables with call graphs, or as a flame graph.
#include <algorithm>

#include "analysis/hist/key/face_keys.h"
#include "analysis/hist/key/machine_naming.h"
#include "analysis/hist/quality/missing_names.h"
#include "base/text/counted.h"
#include "cli/frame/program_name.h"
#include "cmd/export/page_code.h"
#include "cmd/export/pictures.h"
#include "cmd/export/profile_export.h"
#include "cmd/export/stack_advice.h"
#include "cmd/recording/guest_settings.h"
#include "cmd/recording/reading_watch.h"
#include "cmd/report/browse.h"
#include "cmd/report/report_export.h"
#include "cmd/report/report_plan.h"
#include "cmd/report/report_tasks.h"
#include "cmd/sandbox/denied_files.h"
#include "output/text/dump/header_text.h"
#include "output/text/dump/raw_dump.h"
#include "output/text/format/printable.h"
#include "output/text/report/block_table.h"
#include "output/text/report/report_page.h"
#include "output/text/report/report_table.h"
#include "output/text/report/report_tree.h"
#include "output/text/report/symbols_page.h"
#include "pipeline/replay/replay.h"
#include "session/event_names.h"
#include "session/profile_session.h"

namespace peregrine::cmd {

namespace {

TableText make_style(const ReportOptions& options, const Plan& plan) {
  TableText style;
  style.widths = parse_widths(options.column_widths);
  style.separator = options.separator == "\\t" ? "\t" : options.separator;
  style.least_percent = options.percent_limit;
  style.titles = !options.quiet;
  style.hidden = plan.hidden;
  style.symbol_filter = options.symbol_filter;
  style.graphs = plan.graphs;
  style.graph = plan.graph;
  style.branch_sums = options.branch_history && plan.histories;
  style.symbol_leads = !options.fields && options.sort && options.sort->starts_with("sym");
  return style;
}

// What is missing from the recording comes first; several of it in one line.
std::string choose_tip(const Plan& plan, const data::Evlist& evlist, const Hists& hists, const DsoTable& dsos) {
  std::string missing = sum_up_missing_names(dsos, name_coverage_of(hists, dsos));
  const std::string stacks = plan.chains ? stack_advice(evlist, plan.names, hists, dsos) : std::string();
  if (!missing.empty() && !stacks.empty()) missing += "; ";
  missing += stacks;
  if (!missing.empty()) return printable(missing);
  if (!plan.chains) return "To see who calls what, record with call chains: perf record -g";
  return "To see everything at once, draw a flame graph: perf report --flamegraph flame.svg";
}

class Page {
 public:
  Page(const ReportOptions& options, const Plan& plan, const data::Reader& reader, const Hists& hists, Naming& naming,
       Sink& out)
      : options_(options),
        plan_(plan),
        reader_(reader),
        hists_(hists),
        naming_(naming),
        out_(out),
        faces_(hists.frames(), naming, face_keys(plan.columns.keys)) {}

  void print(u64 lost_samples, std::string_view tip) {
    print_filters(out_, plan_.single);
    if (!options_.quiet) print_preamble(out_, lost_samples);
    for (const std::vector<u32>& events : plan_.tables) {
      if (options_.skip_empty && hists_.totals(events[0]).samples == 0) continue;
      print_one(events);
    }
    if (!options_.quiet) print_tip(out_, tip);
  }

 private:
  // linux-perf says "events" of a leader even where its group is shown apart.
  bool leads(u32 event) const {
    const data::Evlist& evlist = reader_.evlist();
    if (has_groups(evlist)) return evlist[event].leader == event && evlist[event].members > 1;
    return options_.group_given && event == 0 && evlist.size() > 1;
  }
  // A tracepoint's field is no column of other events.
  void hide_other_fields(TableText& style, const std::vector<u32>& events) const {
    for (std::size_t at = 0; at < plan_.columns.fields.size(); ++at)
      if (std::ranges::find(events, plan_.columns.fields[at].event) == events.end())
        style.hidden.push_back(dynamic_key(at));
  }
  std::vector<std::vector<SortKey>> shown_levels(const TableText& style) const {
    std::vector<std::vector<SortKey>> levels = plan_.columns.levels;
    const auto hidden = [&](SortKey key) {
      return is_dynamic(key) && std::ranges::find(style.hidden, key) != style.hidden.end();
    };
    for (std::vector<SortKey>& level : levels) std::erase_if(level, hidden);
    std::erase_if(levels, [](const std::vector<SortKey>& level) { return level.empty(); });
    return levels;
  }
  void print_one(const std::vector<u32>& events) {
    if (!options_.quiet) {
      EventHeading heading{.name = table_name(plan_.names, reader_.evlist(), events), .group = leads(events[0])};
      for (const u32 event : events) {
        const EventTotals totals = hists_.totals(event);
        heading.samples += options_.relative ? totals.shown_samples : totals.samples;
        heading.period += options_.relative ? totals.shown_period : totals.period;
      }
      if (options_.memory) heading.weighted_by = plan_.sort_order;
      if (options_.socket >= 0) heading.socket = options_.socket;
      if (!options_.times.empty()) heading.remark = fmt::format(" (time slices: {})", options_.times);
      if (options_.show_reference && heading.name.contains("call-graph=no"))
        heading.remark += ", show reference callgraph";
      print_event_heading(out_, heading);
    }
    const RowTable table(hists_, faces_, naming_, row_request(options_, plan_, events));
    TableText style = make_style(options_, plan_);
    hide_other_fields(style, events);
    if (plan_.blocks) {
      print_blocks(out_, table, style);
      return;
    }
    if (options_.hierarchy)
      print_tree(out_, RowTree(table, shown_levels(style)), style);
    else
      print_table(out_, table, style);
    out_.append("\n\n");
  }

  const ReportOptions& options_;
  const Plan& plan_;
  const data::Reader& reader_;
  const Hists& hists_;
  Naming& naming_;
  Sink& out_;
  FaceTable faces_;
};

void print_record_stats(const Plan& plan, const data::Header& header, bool skip_empty, const ReplayAccount& account,
                        const Hists& hists, Sink& out) {
  std::vector<EventCounts> events;
  for (u32 event = 0; event < plan.names.size(); ++event) {
    const u64 samples = hists.totals(event).samples;
    const u64 lost = event < account.events.size() ? account.events[event].lost_samples : 0;
    if (samples != 0 || !skip_empty) events.push_back({plan.names[event], samples, lost});
  }
  print_stats(out, account.records, events, header.has(data::FeatureId::Auxtrace));
}

void print_threads(const Plan& plan, const std::vector<ThreadRead>& reads, Sink& out) {
  std::vector<u32> events;
  std::vector<ThreadCounts> threads;
  for (const ThreadRead& read : reads)
    if (std::ranges::find(events, read.event) == events.end()) events.push_back(read.event);
  for (const ThreadRead& read : reads) {
    auto thread =
        std::ranges::find_if(threads, [&](const ThreadCounts& t) { return t.pid == read.pid && t.tid == read.tid; });
    if (thread == threads.end()) {
      threads.push_back({read.pid, read.tid, std::vector<u64>(events.size())});
      thread = threads.end() - 1;
    }
    thread->values[static_cast<std::size_t>(std::ranges::find(events, read.event) - events.begin())] += read.value;
  }
  std::vector<std::string> names;
  for (const u32 event : events) names.push_back(event < plan.names.size() ? plan.names[event] : "unknown");
  print_thread_counts(out, names, threads);
}

void print_symbols(const Hists& hists, const DsoTable& dsos, std::string_view program, Sink& out) {
  std::vector<SymbolsRow> rows;
  for (const DsoHits& hits : name_coverage_of(hists, dsos).dsos) {
    MissingNames missing = explain_missing_names(dsos, hits);
    SymbolsRow row{.samples = hits.samples, .unnamed = hits.unnamed, .why = std::move(missing.why)};
    row.remedy = with_program_name(program, missing.remedy);
    row.dso = hits.dso == HistFrame::kNone ? "[unknown]" : dsos.at(DsoId(hits.dso)).name;
    if (hits.dso != HistFrame::kNone) {
      row.build_id = dsos.at(DsoId(hits.dso)).build_id.hex();
      row.tried = dsos.tried(DsoId(hits.dso));
    }
    rows.push_back(std::move(row));
  }
  print_symbols_page(out, rows);
}

// What cannot be shown is no failure of the program: linux-perf says so and ends with 0, and so do we.
std::optional<std::string_view> impossible(const ReportOptions& options, const Plan& plan, const data::Reader& reader) {
  if (plan.branches && options.memory) return "Error:\n--branch-stack and --mem-mode are incompatible";
  // Of a pipe linux-perf shows what there is: -g of samples without chains is a flat profile.
  if (reader.header().layout == data::Layout::Pipe) return std::nullopt;
  const data::Evlist& evlist = reader.evlist();
  const auto has_branches = [](const data::Event& event) { return event.attr.samples(abi::sample_bit::BranchStack); };
  const auto has_accesses = [](const data::Event& event) { return event.attr.samples(abi::sample_bit::DataSrc); };
  if (options.memory && !evlist.empty() && std::ranges::none_of(evlist, has_accesses))
    return "Error:\nSelected --mem-mode but no mem data. Did you call perf record without -d?";
  if (plan.branches && !evlist.empty() && std::ranges::none_of(evlist, has_branches))
    return "Error:\nSelected -b but no branch data. Did you call perf record without -b?";
  if (plan.chains) return std::nullopt;
  if (options.graph_given && plan.graph.mode != GraphMode::None)
    return "Error:\nSelected -g or --branch-history.\nBut no callchain or branch data.\n"
           "Did you call 'perf record' without -g or -b?";
  if (std::ranges::find(plan.columns.keys, SortKey::Parent) != plan.columns.keys.end())
    return "Error:\nSelected --sort parent, but no callchain data. Did you call 'perf record' without -g?";
  return std::nullopt;
}

// What the options say of each other, before there is a recording.
Result<> settle_options(ReportOptions& options, Invocation& call) {
  if (options.quiet) call.messages.set_quiet(true);
  if (options.dump) options.stats = true;
  if (options.source_prefix_strip && !options.source_prefix)
    return fail(ErrorKind::Usage, "--prefix-strip requires --prefix");
  if (options.hierarchy && options.fields)
    return fail(ErrorKind::Usage, "--hierarchy and --fields options cannot be used together");
  PEREGRINE_TRY(refuse_recordings(call));
  if (call.words.size() == 1)
    options.symbol_filter = call.words[0];
  else if (call.words.size() > 1)
    return fail(ErrorKind::Usage, "one word only: a part of the symbols to show");
  return {};
}

bool wants_hint(const ReportOptions& options) {
  const bool tables =
      !options.stats && !options.symbols_report && !options.pictures.any() && options.format.name.empty();
  return (tables || options.dump) && !options.quiet && !options.header;
}

void warn_about_types(const UnknownTypeCounts& unknown, const Hists& hists, Invocation& call) {
  u64 samples = 0;
  for (u32 event = 0; event < hists.event_count(); ++event) samples += hists.totals(event).shown_samples;
  const std::string text = unknown_types_text(unknown, samples);
  if (!text.empty()) call.messages.warning(text);
}

// What was read, for who shows it.
struct ReadRecording {
  ReportOptions& options;
  const Plan& plan;
  OpenedRecording& reader;
  ProfileSession& session;
  MachineNaming& naming;
  const Hists& hists;
  const ReplayAccount& account;
  const Result<>& outcome;
  PageSinks& sinks;
  std::future<PackedText> code;  // of the page, when there is one
  u64 time_quantum;
  const std::vector<ThreadRead>& reads;
  const UnknownTypeCounts& unknown_types;
};

// linux-perf ends with 0, and so do pages of text; whoever asked for a picture waits for a file.
int say_no_samples(const ReportOptions& options, const ReplayAccount& account, Invocation& call) {
  const bool of_guests = account.filtered > 0 && !wants_hosts(call.config).value_or(true);
  const int code = refuse_verbatim(call,
                                   fmt::format("Error:\nThe {} data has no samples{}!", recording_name(options.input),
                                               of_guests ? " of guests" : ""),
                                   options.pictures.any() ? 1 : 0);
  if (of_guests)
    call.messages.verbatim(fmt::format("hint: {} left out; the host's are shown with: {} kvm --host report\n",
                                       counted(account.filtered, "sample was", "samples were"),
                                       call.messages.program()));
  return code;
}

Result<int> show(ReadRecording read, Invocation& call) {
  ReportOptions& options = read.options;
  const Hists& hists = read.hists;
  if (options.stats) {
    print_record_stats(read.plan, read.reader.header(), options.skip_empty, read.account, hists, call.out);
    return 0;
  }
  bool any = false;
  for (u32 event = 0; event < hists.event_count(); ++event) any = any || hists.totals(event).samples != 0;
  if (!any) return say_no_samples(options, read.account, call);
  if (options.symbols_report) {
    print_symbols(hists, read.session.machine().dsos(), call.messages.program(), call.out);
    return 0;
  }
  if (options.format.is_profile())
    return write_profile(options.format,
                         {hists, read.session.machine(), read.session.sources(), read.reader, read.session.traces(),
                          options.format.is_timed()},
                         call);
  warn_about_types(read.unknown_types, hists, call);
  if (options.pictures.any()) {
    Pictured pictured{.reader = read.reader,
                      .names = read.plan.names,
                      .machine = read.session.machine(),
                      .hists = hists,
                      .naming = read.naming,
                      .sinks = read.sinks,
                      .code = std::move(read.code),
                      .account = read.account,
                      .time_quantum = read.time_quantum};
    return write_pictures(options.pictures, pictured, call);
  }
  if (!options.format.name.empty()) return export_rows(options, read.plan, read.reader, hists, read.naming, call);
  Page(options, read.plan, read.reader, hists, read.naming, call.out)
      .print(read.account.lost_samples,
             with_program_name(call.messages.program(),
                               choose_tip(read.plan, read.reader.evlist(), hists, read.session.machine().dsos())));
  if (options.threads) print_threads(read.plan, read.reads, call.out);
  if (!read.outcome) return refuse_verbatim(call, read.outcome.error().message);
  return 0;
}

Result<int> read_recording(ReportOptions& options, Invocation& call) {
  PEREGRINE_TRY(settle_options(options, call));
  PEREGRINE_TRY(check_pictures(options.pictures));
  if (auto shown = browse_if_wanted(options, "", call)) return std::move(*shown);
  auto reader = open_recording(options.input, options.symbols.force);
  if (!reader) return say_open_error(call, options.input, reader.error());
  if (options.header || options.header_only) {
    print_header(reader->header(), reader->evlist(), options.info, call.out);
    if (options.header_only) return 0;
  }
  // Counts of records are of those that were recorded.
  if (!options.dump && !options.stats)
    PEREGRINE_TRY(decode_recording(*reader, options.traces, usual_itrace(), options.symbols, call));
  options.decoded = reader->decoded != nullptr;
  PEREGRINE_TRY(check_times(options.format, reader->evlist()));
  if (options.stitch_lbr) check_stitching(reader->evlist(), call);
  if (options.tasks || options.mmaps) return report_tasks(options, *reader, call);
  ProfileSession session(*reader, options.raw_trace, recorded_fields(*reader, options.raw_trace));
  auto plan = make_plan(options, *reader, session.fields());
  if (!plan) return std::unexpected(std::move(plan.error()));
  const auto event_switch = make_event_switch(options.switching, plan->names, call);
  if (!event_switch) return 254;
  if (wants_hint(options)) print_header_hint(call.out);
  if (const auto reason = impossible(options, *plan, *reader)) {
    print_filters(call.out, plan->single);
    return refuse_verbatim(call, with_program_name(call.messages.program(), *reason), 0);
  }
  auto request = make_request(options, *plan, *reader);
  if (!request) return std::unexpected(std::move(request.error()));
  options.pictures.inverted = options.inverted;
  PageSinks sinks;
  if (options.pictures.any()) ask_for_pictures(options.pictures, reader->header(), plan->names, sinks, *request);
  const u64 time_quantum = request->time_quantum;
  request->event_switch = *event_switch;
  options.symbols.parameters = options.verbose > 0;
  session.open(symbol_places(options.symbols, call, *reader), options.full_source_path || options.format.is_profile());
  if (options.format.is_profile())
    ask_for_profile(options.format, options.format.is_timed(), reader->evlist(), session.traces(), *request);
  PEREGRINE_TRY(session.collect(std::move(*request)));
  auto filter = make_filter(options, *reader, call);
  if (!filter) return std::unexpected(std::move(filter.error()));
  if (!*filter) return refuse_verbatim(call, "Error:\nfailed to set cpu bitmap");

  Machine& machine = session.machine();
  HistCollector& collector = session.collector();
  Replay replay(*reader, machine,
                make_replay_options(options, *plan, session.keys(), *event_switch, std::move(**filter)));
  RawDumpSink dump(RawDump(*reader, event_names(*reader), RawDump::Command::Report), collector, call.out);
  ReadingWatch watch(options.dump ? static_cast<ReplaySink&>(dump) : collector, reader->header(), call.messages);
  const Result<> outcome = replay.run(watch);
  PEREGRINE_TRY(watch.end(options.pictures.file(options.format.output)));
  warn_about_denied_files(call, machine.dsos());
  std::future<PackedText> code;
  if (options.pictures.page())
    code = pack_code(*reader, machine, *sinks.hits, time_quantum, options.symbols.sysroot().folder);
  warn_about_losses(call, replay.account(), reader->account());
  tell_decoding(*reader, call);
  plan->names = event_names(*reader);

  const std::vector<ThreadRead> reads = collector.thread_reads();
  const UnknownTypeCounts unknown_types = collector.unknown_types();
  RecordedNames recorded = collector.recorded_names();
  const Hists hists = session.finish();
  MachineNaming naming = session.naming(options.verbose > 0);
  naming.set_recorded(std::move(recorded));
  return show({.options = options,
               .plan = *plan,
               .reader = *reader,
               .session = session,
               .naming = naming,
               .hists = hists,
               .account = replay.account(),
               .outcome = outcome,
               .sinks = sinks,
               .code = std::move(code),
               .time_quantum = time_quantum,
               .reads = reads,
               .unknown_types = unknown_types},
              call);
}

}  // namespace

Result<int> report(ReportOptions& options, Invocation& call) {
  return write_into(options.format, Writing::Whole, options.separator, options.input, call,
                    [&](Invocation& into) { return read_recording(options, into); });
}

}  // namespace peregrine::cmd
