#include "session/recording/reading_watch.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <expected>
#include <utility>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {
namespace {

constexpr std::chrono::milliseconds kQuietAtFirst{1000}, kBetweenLines{200};

}  // namespace

ReadingWatch::ReadingWatch(ReplaySink& inner, const data::Header& header, SessionListener& listener)
    : inner_(inner), header_(header), listener_(listener), next_(Clock::now() + kQuietAtFirst) {
  if (header.layout == data::Layout::Pipe) return;
  // If this fails, Ctrl-C ends the program.
  if (auto signals = Watch::open({SIGINT})) signals_.emplace(std::move(*signals));
}

std::string ReadingWatch::progress() const {
  if (header_.layout == data::Layout::Pipe || header_.data_size == 0) return "";
  u64 place = header_.data_offset;
  for (const Place& each : places_) place = std::max(place, each.offset);
  const u64 read = place - header_.data_offset;
  return fmt::format(" {} %", std::min<u64>(100, 100 * read / header_.data_size));
}

bool ReadingWatch::end_batch() {
  const bool goes_on = inner_.end_batch();
  const Clock::time_point now = Clock::now();
  if (now >= next_) {
    listener_.progress("reading" + progress());
    shown_ = true;
    next_ = now + kBetweenLines;
  }
  take_signals();
  return goes_on && !interrupted_;
}

void ReadingWatch::take_signals() {
  if (!signals_) return;
  const auto arrived = signals_->wait(std::chrono::milliseconds(0));
  interrupted_ = interrupted_ || (arrived && !arrived->signals.empty());
}

Result<> ReadingWatch::end(std::string_view file, std::string_view hint) {
  // A signal received since the last batch would end the program and leave drafts behind.
  if (!file.empty()) take_signals();
  signals_.reset();
  if (shown_) listener_.progress("");
  shown_ = false;
  if (!interrupted_) return {};
  const std::string interrupted = fmt::format("interrupted{}", progress().empty() ? "" : " at" + progress());
  if (file.empty()) {
    listener_.warning(interrupted + ": showing what was read so far");
    return {};
  }
  Error error{ErrorKind::System, fmt::format("{}: did not write '{}'", interrupted, file)};
  error.hint = hint;
  error.system_errno = EINTR;
  return std::unexpected(std::move(error));
}

}  // namespace peregrine
