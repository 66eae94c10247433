// BrowsedRecording: a recording that is shown while it is being read. The reader thread and the screen thread
// alternate.
//
//   reader thread:  batch → [ lock: machine learns, samples are summed ] → batch → …
//   screen thread:  [ lock: take what was summed, make rows, draw ] → wait for a key → …
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "analysis/browse/hist_queries.h"
#include "analysis/hist/collector/collector.h"
#include "analysis/hist/key/machine_naming.h"
#include "analysis/hist/key/trace_fields.h"
#include "base/fd.h"
#include "cmd/report/code_finder.h"
#include "cmd/report/report_plan.h"
#include "output/tui/report/browser.h"
#include "session/profile_session.h"

namespace peregrine::cmd {

class BrowsedRecording {
 public:
  // Begins to read. Errors as report has them.
  static Result<std::unique_ptr<BrowsedRecording>> open(OpenedRecording reader, ReportOptions& options,
                                                        Invocation& call);
  ~BrowsedRecording();
  BrowsedRecording(const BrowsedRecording&) = delete;
  BrowsedRecording& operator=(const BrowsedRecording&) = delete;

  // Waits a moment for first rows.
  void wait_for_rows();
  // --total-cycles, of recorded branches: rows are blocks of code.
  bool shows_blocks() const { return plan_.blocks; }
  Queries& queries() { return *queries_; }
  tui::BrowserHooks hooks();
  const std::vector<std::string>& event_names() const { return plan_.names; }
  // The part of the recording between two shares of its time, in the words of --time.
  std::string time_range(double from, double to);
  // What was lost, and why reading ended early; when it has ended.
  void tell_problems();

 private:
  class ReadSink;
  BrowsedRecording(ReportOptions& options, Invocation& call);
  Result<> prepare();
  void start();
  const Machine& machine() const { return session_->machine(); }
  void locked(const std::function<void()>& act);
  bool changed();
  void look();
  void take();
  double share() const;
  std::vector<u64> activity(std::size_t parts) const;

  ReportOptions& options_;
  Invocation& call_;
  std::optional<OpenedRecording> reader_;
  Plan plan_;
  std::optional<ProfileSession> session_;
  std::unique_ptr<HitCollector> hits_;
  std::unique_ptr<ReadSink> sink_;
  std::unique_ptr<Replay> replay_;
  std::unique_ptr<MachineNaming> naming_;
  std::unique_ptr<CodeFinder> code_;
  std::unique_ptr<HistQueries> queries_;
  std::optional<Hists> hists_;
  Fd ended_fd_;  // can be read when reading has ended
  std::thread thread_;
  std::mutex mutex_;
  std::atomic<bool> wanted_ = false, ended_ = false, stop_ = false;
  bool complete_ = false;
  Result<> outcome_;
  u64 file_bytes_ = 0;
  std::chrono::steady_clock::time_point started_, next_take_;
};

}  // namespace peregrine::cmd
