#include "output/text/sched/time_history_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "analysis/sched/sched_event.h"
#include "base/types.h"
#include "machine/machine.h"
#include "machine/process/moment.h"
#include "machine/process/thread_table.h"
#include "machine/resolver/resolver.h"
#include "output/text/format/printable.h"
#include "output/text/format/seconds_text.h"
#include "output/text/format/text_table.h"

namespace peregrine {

namespace {

constexpr unsigned kTimeWidth = 15;

TextTable history_table(const TimeHistoryLook& look) {
  const auto number = [](std::string group, std::size_t width = 9) {
    return TextColumn{.title = "(msec)", .width = width, .group = std::move(group)};
  };
  std::vector<TextColumn> columns = {{.width = kTimeWidth, .before = "", .group = "time"},
                                     {.width = 6, .before = " ", .group = "cpu"}};
  if (look.picture) {
    std::string cpus;
    for (u32 i = 0; i < look.cpus; ++i) cpus += "0123456789ABCDEF"[i % 16];
    columns.push_back({.width = look.cpus, .group = std::move(cpus)});
  }
  columns.push_back({.title = "[tid/pid]", .width = 30, .align = Align::Left, .group = "task name"});
  for (const std::string_view time : {"wait time", "sch delay", "run time"})
    columns.push_back(number(std::string(time)));
  if (look.pre_migrations) columns.push_back(number("pre-mig time", 12));
  if (look.priority) columns.push_back({.width = 13, .group = "prio out->in "});
  if (look.state) columns.push_back({.width = 5, .group = "state"});
  return TextTable(std::move(columns));
}

}  // namespace

std::string task_text(const Machine& machine, const ThreadState& thread, u32 tid) {
  std::string comm = printable(machine.comm_text(thread.comm));
  if (thread.pid == ~0u) return comm;
  return thread.pid != tid && thread.pid != 0 ? fmt::format("{}[{}/{}]", comm, tid, thread.pid)
                                              : fmt::format("{}[{}]", comm, tid);
}

TimeHistoryText::TimeHistoryText(TimeHistoryLook look, Sink& out)
    : look_(look), out_(out), name_(look.picture ? 3 : 2), table_(history_table(look)) {}

// Preceded by one blank less than in the titles.
void TimeHistoryText::put_time(u64 ns) {
  out_.decimal(ns / 1'000'000, 6).append('.').decimal(ns % 1'000'000 / 1000, 3, '0').append(' ');
}

const TimeHistoryText::Name& TimeHistoryText::name_of(u32 pid, u32 tid, Moment moment, const Machine& machine) {
  if (tid == 0) return idle_;
  const ThreadState thread = machine.thread(pid, tid, moment);
  const auto [known, fresh] = names_.try_emplace(tid);
  Name& name = known->second;
  if (!fresh && name.pid == thread.pid && name.comm == thread.comm) return name;
  std::string text = task_text(machine, thread, tid);
  table_.fit(name_, text);
  name = {thread.pid, thread.comm, std::move(text), 0};
  name.width = display_width(name.text);
  return name;
}

void TimeHistoryText::put_name(const Name& name) {
  const std::size_t width = table_.columns()[name_].width;
  out_.append("  ").append(name.text).fill(' ', width - std::min(width, name.width));
}

// One character per CPU, all blank except this one's.
std::string TimeHistoryText::picture_of(u32 cpu, char mark) const {
  std::string picture(look_.cpus, ' ');
  if (cpu < picture.size()) picture[cpu] = mark;
  return picture;
}

void TimeHistoryText::print_lost(u64 time, u64 lost, u32 cpu) {
  append_seconds(out_, time, kTimeWidth).format(" lost {} events on cpu {}\n", lost, cpu);
}

void TimeHistoryText::put_priority(const SchedEvent& event) {
  if (look_.priority) out_.format("{:>6}->{:<6} ", event.priority, event.next_priority);
}

void TimeHistoryText::put_chain(std::span<const std::string> chain) {
  for (std::size_t i = 0; i < chain.size(); ++i) out_.append(i == 0 ? "   " : " <- ").append(printable(chain[i]));
}

void TimeHistoryText::print_titles() {
  table_.titles(out_);
  table_.ruler(out_, '-');
}

void TimeHistoryText::put_start(const TimeHistoryRow& row, char mark) {
  const u32 cpu = row.event.cpu;
  append_seconds(out_, row.time, kTimeWidth).append(" [").decimal(cpu, 4, '0').append(']');
  if (look_.picture) table_.cells(out_, {picture_of(cpu, mark)}, name_ - 1);
}

void TimeHistoryText::print(const TimeHistoryRow& row, Resolver& resolver) {
  const Machine& machine = resolver.machine();
  const SchedEvent& event = row.event;
  const Moment moment = row.sample.moment;
  const bool switched = row.kind == SchedKind::Switch, moved = row.kind == SchedKind::Migrate;
  if (!switched && !(moved ? look_.migrations : look_.wakeups)) return;
  const bool idle = event.tid == 0 || (switched && event.task == 0);
  const Name& name = switched         ? name_of(event.pid, event.task, moment, machine)
                     : event.tid == 0 ? swapper_
                                      : name_of(event.pid, event.tid, moment, machine);
  put_start(row, switched ? (idle ? 'i' : 's') : moved ? 'm' : ' ');
  put_name(name);
  out_.append(' ');
  if (!switched) {
    out_.fill(' ', 34).append(moved ? "migrated: " : "awakened: ");
    out_.append(name_of(~0u, event.task, moment, machine).text);
    if (moved) out_.format(" cpu {} => {}", event.from_cpu, event.to_cpu);
    out_.append('\n');
    return;
  }
  put_time(row.wait);
  put_time(row.delay);
  put_time(row.run);
  if (look_.pre_migrations) {
    out_.append("   ");
    put_time(row.before_move);
  }
  put_priority(event);
  if (look_.state) out_.append("     ").append(idle ? 'I' : event.state).append(' ');
  const std::size_t width = table_.columns()[name_].width;
  if (look_.next)
    append_aligned(out_.append(' '), fmt::format("next: {}[{}]", printable(event.next_comm), event.next), width,
                   Align::Left);
  if (look_.wakeups && !look_.next) out_.append("  ").fill(' ', width);
  if (!idle && look_.chain_depth != 0) put_chain(scheduled_chain(row.sample, look_.chain_depth, resolver));
  out_.append('\n');
}

}  // namespace peregrine
