// Text output of report: its tables, the counts of --stats and --threads, and the list of --symbols-report.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hist/collector/collector.h"
#include "analysis/hist/entry/hists.h"
#include "base/types.h"
#include "data/header.h"
#include "data/header/evlist.h"
#include "machine/dso/dso.h"
#include "output/sink.h"
#include "output/text/report/symbols_page.h"
#include "pipeline/replay/account.h"
#include "session/report/report_plan.h"
#include "session/report/report_session.h"

namespace peregrine {

// The tables of all events, with headings. `tip`: the last line.
void print_report(ReportSession& session, u64 lost_samples, std::string_view tip, Sink& out);
// The most useful next command: how to get missing names or stacks, or what to record. Commands are named `perf`.
std::string choose_tip(const Plan& plan, const data::Evlist& evlist, const Hists& hists, const DsoTable& dsos);

// The number of records of each type, and of samples per event. `names`: of the events; `skip_empty`: omit events
// without samples.
void print_record_stats(const std::vector<std::string>& names, const data::Header& header, bool skip_empty,
                        const ReplayAccount& account, const std::vector<u64>& samples, Sink& out);
// The counters of each thread, as stored by record -s.
void print_threads(const std::vector<std::string>& names, const std::vector<ThreadRead>& reads, Sink& out);
// Each dso that was hit, with the reason for missing names. Remedies name commands `perf`.
std::vector<SymbolsRow> symbols_rows(const Hists& hists, const DsoTable& dsos);
// The number of samples for each of `events` events.
std::vector<u64> samples_of_events(const Hists& hists, std::size_t events);

}  // namespace peregrine
