// BrowsedRecording: a ReportSession shown while its recording is being read. The reader thread and the screen
// thread alternate.
//
//   reader thread:  batch → [ lock: machine learns, samples are summed ] → batch → …
//   screen thread:  [ lock: take the sums, make rows, draw ] → wait for a key → …
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "analysis/annotate/hit_collector.h"
#include "analysis/browse/hist_queries.h"
#include "analysis/browse/queries.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/machine_naming.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/machine.h"
#include "machine/source/source_text.h"
#include "output/tui/report/browser.h"
#include "pipeline/replay/account.h"
#include "pipeline/replay/filter.h"
#include "pipeline/replay/replay.h"
#include "session/report/code_finder.h"
#include "session/report/report_session.h"

namespace peregrine {

class BrowsedRecording {
 public:
  // Starts reading. `session` was opened, with zooms; it and `reader` must outlive this. `places`: of source files.
  // Errors: System.
  static Result<std::unique_ptr<BrowsedRecording>> start(data::Reader& reader, ReportSession& session,
                                                         SourcePlaces places);
  ~BrowsedRecording();
  BrowsedRecording(const BrowsedRecording&) = delete;
  BrowsedRecording& operator=(const BrowsedRecording&) = delete;

  // Waits briefly for the first rows.
  void wait_for_rows();
  Queries& queries() { return *queries_; }
  tui::BrowserHooks hooks();
  // The part of the recording between two percentages of its time, in the syntax of --time; empty: no sample has a
  // time.
  std::string time_range(double from, double to);
  // "0.280-0.300 s": the part of the recording that is read; empty: all of it.
  std::string time_text() const;
  // The result of reading; null: still reading. An error: the recording is broken.
  const Result<>* outcome();
  // Valid once reading has ended.
  const ReplayAccount& account() const { return replay_.account(); }

 private:
  class ReadSink;
  BrowsedRecording(data::Reader& reader, ReportSession& session, SourcePlaces places);
  void make_queries();
  void start_reading();
  const Machine& machine() const { return session_.profile().machine(); }
  void locked(const std::function<void()>& act);
  bool changed();
  void look();
  void take();
  double share() const;
  std::vector<u64> activity(std::size_t parts) const;
  ActivityTime activity_time() const;
  void choose_time_steps();

  data::Reader& reader_;
  ReportSession& session_;
  HitCollector hits_;
  Replay replay_;
  MachineNaming naming_;
  CodeFinder code_;
  std::unique_ptr<ReadSink> sink_;
  std::unique_ptr<HistQueries> queries_;
  std::optional<Hists> hists_;
  Fd ended_fd_;  // readable once reading has ended
  std::thread thread_;
  std::mutex mutex_;
  std::atomic<bool> wanted_ = false, ended_ = false, stop_ = false;
  bool complete_ = false;
  std::vector<TimeRange> times_;  // empty: all
  u64 first_time_ = 0;            // of the recording; 0: unknown
  unsigned time_shift_ = 0;       // steps of the time line: 2^n ns
  Result<> outcome_;
  u64 file_bytes_ = 0;
  std::chrono::steady_clock::time_point started_, next_take_;
};

}  // namespace peregrine
