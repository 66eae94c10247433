#include "pipeline/trace_dat/trace_events.h"

#include <algorithm>
#include <expected>
#include <utility>

#include "base/fd.h"
#include "data/trace_dat/ring_page.h"

namespace peregrine {

// The events of one CPU and buffer. An event waits here, copied, until it is known whether stacks follow.
class TraceEvents::Cursor {
 public:
  Cursor(const PlainPages& pages, std::size_t index, const data::TraceDat& file, const RingEventFields& fields)
      : index_(index), pages_(pages), file_(file), fields_(fields) {}

  // False at the end.
  Result<bool> advance(u64& damaged);
  u64 time() const { return time_; }
  std::size_t index() const { return index_; }
  std::optional<TrailingLoss> trailing_loss() const {
    if (!next_lost_) return std::nullopt;
    return TrailingLoss{.time = std::max(time_, loss_time_), .cpu = pages_.pages.cpu, .lost = *next_lost_};
  }
  TraceEvent event() const {
    return {.time = time_, .cpu = pages_.pages.cpu, .data = data_, .lost = lost_, .kernel = &kernel_, .user = &user_};
  }

 private:
  Result<bool> read_next(u64& damaged);

  std::size_t index_;
  const PlainPages& pages_;
  const data::TraceDat& file_;
  const RingEventFields& fields_;
  std::vector<std::byte> bytes_;  // of the page
  data::RingPage page_;
  u64 at_ = 0;  // of the next page
  data::RingEvent next_;
  std::optional<u64> next_lost_, lost_;
  bool has_next_ = false, begun_ = false;
  u64 time_ = 0, loss_time_ = 0;  // loss_time_: of the last page that reported a loss
  std::vector<std::byte> data_;
  std::vector<u64> kernel_, user_;
};

Result<bool> TraceEvents::Cursor::read_next(u64& damaged) {
  while (!page_.next(next_)) {
    damaged += page_.damaged() ? 1 : 0;
    if (at_ >= pages_.pages.size) return false;
    bytes_.resize(static_cast<std::size_t>(std::min<u64>(pages_.page_size, pages_.pages.size - at_)));
    const auto got = pread_full(pages_.fd, bytes_.data(), bytes_.size(), pages_.pages.offset + at_);
    if (!got) return std::unexpected(got.error());
    at_ += bytes_.size();
    page_ = data::RingPage(Bytes(bytes_).first(*got), file_.layout);
    if (!page_.lost()) continue;
    next_lost_ = next_lost_.value_or(0) + *page_.lost();
    loss_time_ = file_.clock.corrected(page_.time(), pages_.pages.cpu);
  }
  return true;
}

Result<bool> TraceEvents::Cursor::advance(u64& damaged) {
  const auto fetch = [&]() -> Result<> {
    auto more = read_next(damaged);
    if (!more) return std::unexpected(std::move(more.error()));
    has_next_ = *more;
    return {};
  };
  if (!std::exchange(begun_, true)) PEREGRINE_TRY(fetch());
  if (!has_next_) return false;
  time_ = file_.clock.corrected(next_.time, pages_.pages.cpu);
  data_.assign(next_.data.begin(), next_.data.end());
  lost_ = std::exchange(next_lost_, std::nullopt);
  kernel_.clear();
  user_.clear();
  PEREGRINE_TRY(fetch());
  if (fields_.stack_kind(data_) != StackKind::None) return true;
  while (has_next_ && !next_lost_) {
    const StackKind kind = fields_.stack_kind(next_.data);
    auto& chain = kind == StackKind::Kernel ? kernel_ : user_;
    if (kind == StackKind::None || !chain.empty() || fields_.tid(next_.data) != fields_.tid(data_)) break;
    fields_.take_stack(next_.data, kind, chain);
    if (chain.empty()) break;
    PEREGRINE_TRY(fetch());
  }
  return true;
}

TraceEvents::TraceEvents(const std::vector<PlainPages>& pages, const data::TraceDat& file,
                         const RingEventFields& fields) {
  for (const PlainPages& of_cpu : pages)
    cursors_.push_back(std::make_unique<Cursor>(of_cpu, cursors_.size(), file, fields));
}

TraceEvents::~TraceEvents() = default;

std::vector<TrailingLoss> TraceEvents::take_losses(u64 until) {
  const auto end = std::ranges::upper_bound(losses_, until, {}, &TrailingLoss::time);
  std::vector<TrailingLoss> taken(losses_.begin(), end);
  losses_.erase(losses_.begin(), end);
  return taken;
}

bool TraceEvents::is_later(const Cursor* a, const Cursor* b) {
  return std::pair(a->time(), a->index()) > std::pair(b->time(), b->index());
}

Result<> TraceEvents::put(Cursor& cursor) {
  const auto more = cursor.advance(damaged_);
  if (!more) return std::unexpected(more.error());
  if (!*more) {
    if (const auto loss = cursor.trailing_loss())
      losses_.insert(std::ranges::upper_bound(losses_, loss->time, {}, &TrailingLoss::time), *loss);
    return {};
  }
  waiting_.push_back(&cursor);
  std::ranges::push_heap(waiting_, is_later);
  return {};
}

Result<bool> TraceEvents::next(TraceEvent& event) {
  if (!std::exchange(begun_, true))
    for (const auto& cursor : cursors_) PEREGRINE_TRY(put(*cursor));
  if (last_ != nullptr) PEREGRINE_TRY(put(*std::exchange(last_, nullptr)));
  if (waiting_.empty()) return false;
  std::ranges::pop_heap(waiting_, is_later);
  last_ = waiting_.back();
  waiting_.pop_back();
  event = last_->event();
  return true;
}

}  // namespace peregrine
