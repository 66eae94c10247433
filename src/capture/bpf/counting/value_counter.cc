#include "capture/bpf/counting/value_counter.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include <value_count.skel.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>

#include "abi/attr.h"
#include "abi/sample_filter.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/counting/value_count.h"
#include "capture/bpf/patched_program.h"
#include "capture/bpf/watcher.h"
#include "capture/perf_event/background_close.h"
#include "capture/perf_event/event_matrix.h"

namespace peregrine {

void ValueCounter::Destroy::operator()(value_count* skeleton) const { value_count__destroy(skeleton); }
ValueCounter::ValueCounter() : watcher_(std::make_unique<Watcher>()) {}
ValueCounter::ValueCounter(ValueCounter&&) noexcept = default;
ValueCounter& ValueCounter::operator=(ValueCounter&&) noexcept = default;
ValueCounter::~ValueCounter() { close_in_background(std::move(events_)); }

Result<ValueCounter> ValueCounter::open(std::span<const ValueField> fields, std::span<const i64> bounds,
                                        const Target& target, const PerfLimits& limits) {
  ValueCounter counter;
  counter.skeleton_.reset(value_count__open());
  if (!counter.skeleton_) return fail_errno("cannot open the BPF program");
  value_count& skeleton = *counter.skeleton_;
  PEREGRINE_TRY(counter.watcher_->prepare(skeleton, target, fields.size() * kSlots));
  std::ranges::copy(bounds.first(std::min<std::size_t>(bounds.size(), kMostBounds)), skeleton.rodata->bounds);
  skeleton.rodata->bound_count = static_cast<u32>(bounds.size());
  PEREGRINE_TRY(counter.store_filters(fields));
  if (const int error = value_count__load(&skeleton); error != 0)
    return fail_errno("cannot load the BPF program", -error);
  PEREGRINE_TRY(counter.watcher_->start(skeleton, fields.front().event.attr, target, limits));
  for (const ValueField& field : fields) PEREGRINE_TRY(counter.attach(field));
  counter.watcher_->arm(skeleton);
  return counter;
}

Result<> ValueCounter::store_filters(std::span<const ValueField> fields) {
  auto& data = *skeleton_->rodata;
  for (std::size_t number = 0; number < fields.size(); ++number) {
    const auto& tests = fields[number].tests;
    if (tests.empty()) continue;
    if (number >= kFilteredFields)
      return fail(ErrorKind::Unsupported, "{}: only the first {} --hist may have a filter", fields[number].name,
                  int{kFilteredFields});
    data.test_counts[number] = static_cast<u32>(tests.size());
    auto* to = data.tests + number * kFilterSteps;
    for (const sample_filter_step& test : tests) {
      to->op = test.op;
      to->part = test.part;
      to->shift = test.shift;
      to->bits = test.bits;
      to++->value = test.value;
    }
  }
  return {};
}

Result<> ValueCounter::attach(const ValueField& field) {
  const Patch patches[] = {{kNumberMark, static_cast<i32>(programs_.size())},
                           {kOffsetMark, static_cast<i32>(field.field.offset)},
                           {kShiftMark, static_cast<i32>(64 - field.field.size * 8)},
                           {kSignedMark, field.field.is_signed ? 1 : 0}};
  auto program = load_patched(skeleton_->progs.count_value, patches);
  if (!program) return std::unexpected(std::move(program.error()));
  // The event counts nothing: it only attaches the program to its tracepoint, on every CPU.
  abi::EventAttr attr = field.event.attr;
  attr.flags = abi::attr_flag::Disabled;
  const int opened = open_event(attr, -1, 0, -1);
  if (opened < 0) return fail_errno(fmt::format("cannot open {}", field.event.name), -opened);
  Fd event(opened);
  if (::ioctl(event.get(), PERF_EVENT_IOC_SET_BPF, program->get()) != 0)
    return fail_errno(fmt::format("cannot attach a BPF program to {}", field.event.name));
  programs_.push_back(std::move(*program));
  events_.push_back(std::move(event));
  return {};
}

Result<> ValueCounter::enable() { return watcher_->enable(*skeleton_); }
Result<> ValueCounter::disable() { return watcher_->disable(*skeleton_); }

std::vector<u64> ValueCounter::slots(std::size_t field) const {
  std::vector<u64> slots(kSlots, 0);
  watcher_->for_each_place([&](const Watcher::Place& place) {
    for (std::size_t slot = 0; slot < slots.size(); ++slot) slots[slot] += watcher_->sum(place, field * kSlots + slot);
  });
  return slots;
}

u64 ValueCounter::missed() const {
  u64 missed = skeleton_->bss->lost_tasks;
  for (const Fd& program : programs_) missed += missed_runs(program.get());
  return missed;
}

}  // namespace peregrine
