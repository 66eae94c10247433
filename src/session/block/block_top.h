// BlockTop: the table of blk top, printed again and again, and its keys.
//
//   q quit   ? keys   s next order of rows   p pause
//
// Without a terminal for keys, it is printed until the recording ends. Main thread only.
#pragma once
#include <chrono>
#include <string>

#include "analysis/block/block_report.h"
#include "base/result.h"
#include "output/sink.h"
#include "output/terminal/key_mode.h"
#include "output/text/block/block_report_text.h"
#include "pipeline/live/live_session.h"
#include "session/block/block_watch.h"
#include "session/live/live_wait.h"

namespace peregrine {

class BlockTop {
 public:
  // `session` adds to `report` while it holds its mutex. All arguments must outlive this.
  BlockTop(LiveSession& session, BlockReport& report, const BlockWatchRequest& request, Sink& out);
  // Until q, or the end of the recording. Errors: poll(2), an output that fails.
  Result<> run();

 private:
  using Clock = std::chrono::steady_clock;
  // False: quit.
  bool obey(char key);
  Result<LiveWake> wait(Clock::time_point until) const;
  // Prints the counts since the last one into the table.
  void count();
  void draw();

  LiveSession& session_;
  BlockReport& report_;
  const BlockWatchRequest& request_;
  Sink& out_;
  KeyMode mode_;
  Clock::time_point since_ = Clock::now();  // of the counts
  BlockTopOrder order_ = BlockTopOrder::Time;
  std::string table_;
  bool paused_ = false, help_ = false;
};

}  // namespace peregrine
