#include "session/block/block_top.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <expected>
#include <mutex>
#include <string_view>

#include "base/types.h"
#include "output/terminal/terminal.h"

namespace peregrine {

namespace {

constexpr std::string_view kTopKeys =
    "q          quit\n"
    "?, h       show, hide this list\n"
    "s          sort by total time, requests, KiB/s, 99% latency\n"
    "p, Space   pause, resume\n";

}  // namespace

BlockTop::BlockTop(LiveSession& session, BlockReport& report, const BlockWatchRequest& request, Sink& out)
    : session_(session), report_(report), request_(request), out_(out), mode_(request.keys) {}

Result<LiveWake> BlockTop::wait(Clock::time_point until) const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
  return wait_live(session_.ended_fd(), mode_.on() ? request_.keys : -1,
                   static_cast<int>(std::clamp<i64>(left, 0, 86'400'000)));
}

bool BlockTop::obey(char key) {
  if (key == 'q') return false;
  if (key == '?' || key == 'h') help_ = !help_;
  if (key == 's') order_ = next_order(order_);
  if (key == 'p' || key == ' ') {
    paused_ = !paused_;
    if (!paused_) count();  // what was counted meanwhile is not of the next interval
  }
  return true;
}

Result<> BlockTop::run() {
  const auto interval = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::clamp(request_.seconds, 0.01, 86'400.0)));
  for (Clock::time_point next = since_ + interval;;) {
    const auto woken = wait(next);
    if (!woken) return std::unexpected(woken.error());
    char key = 0;
    if (*woken == LiveWake::Key) {
      if (::read(request_.keys, &key, 1) != 1 || !obey(key)) return {};  // or the terminal is gone
    } else {
      if (!paused_) count();
      next = Clock::now() + interval;
    }
    draw();
    PEREGRINE_TRY(out_.flush());
    if (*woken == LiveWake::Ended) return {};
  }
}

void BlockTop::count() {
  const std::scoped_lock lock(session_.mutex());
  const Clock::time_point now = Clock::now();
  Sink text;
  print_block_top(report_, std::chrono::duration<double>(now - since_).count(), request_.rows, order_, text);
  table_ = text.take();
  report_.forget_rows();
  since_ = now;
}

void BlockTop::draw() {
  if (request_.clears_screen) out_.append(kClearScreen);
  out_.append(help_ ? kTopKeys : table_).append('\n');
  if (!request_.clears_screen) return;
  if (!mode_.on())
    out_.append("Ctrl-C ends\n");
  else
    out_.format("{}q: quit  ?: keys  s: sort (by {})  p: {}\n", paused_ ? "paused  " : "", order_word(order_),
                paused_ ? "resume" : "pause");
}

}  // namespace peregrine
