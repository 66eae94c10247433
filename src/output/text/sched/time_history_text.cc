#include "output/text/sched/time_history_text.h"

#include <algorithm>

#include "output/text/format/printable.h"
#include "output/text/format/seconds_text.h"

namespace peregrine {

namespace {

constexpr std::string_view kIdleName = "<idle>";

}  // namespace

std::string task_text(const Machine& machine, const ThreadState& thread, u32 tid) {
  std::string comm = printable(machine.comm_text(thread.comm));
  if (thread.pid == ~0u) return comm;
  return thread.pid != tid && thread.pid != 0 ? fmt::format("{}[{}/{}]", comm, tid, thread.pid)
                                              : fmt::format("{}[{}]", comm, tid);
}

void TimeHistoryText::put_time(u64 ns) { out_.format("{:6}.{:03} ", ns / 1'000'000, ns % 1'000'000 / 1000); }

std::string TimeHistoryText::name_of(u32 pid, u32 tid, Moment moment, const Machine& machine) {
  if (tid == 0) return std::string(kIdleName);
  std::string name = task_text(machine, machine.thread(pid, tid, moment), tid);
  width_ = std::max(width_, name.size());
  return name;
}

void TimeHistoryText::put_picture(u32 cpu, char mark) {
  if (!look_.picture) return;
  out_.append(' ');
  for (u32 i = 0; i < look_.cpus; ++i) out_.append(i == cpu ? mark : ' ');
  out_.append(' ');
}

void TimeHistoryText::print_lost(u64 time, u64 lost, u32 cpu) {
  out_.format("{:>15} lost {} events on cpu {}\n", seconds_text(time), lost, cpu);
}

void TimeHistoryText::put_priority(const SchedEvent& event) {
  if (look_.priority) out_.format("{:>6}->{:<6} ", event.priority, event.next_priority);
}

void TimeHistoryText::print_titles() {
  const auto column = [&](bool shown, std::string_view text) {
    if (shown) out_.append(text);
  };
  const std::string name(width_, '-');
  const auto line = [&](std::string_view time, std::string_view cpu, char picture, std::string_view task) {
    out_.right(time, 15).append(' ').right(cpu, 6).append(' ');
    if (look_.picture) {
      out_.append(' ');
      for (u32 i = 0; i < look_.cpus; ++i)
        out_.append(picture != 0 ? picture : static_cast<char>("0123456789ABCDEF"[i % 16]));
      out_.append(' ');
    }
    out_.append(' ').left(task, width_);
  };
  line("time", "cpu", 0, "task name");
  out_.append("  wait time  sch delay   run time");
  column(look_.pre_migrations, "  pre-mig time");
  column(look_.priority, "  prio out->in ");
  column(look_.state, "  state");
  out_.append('\n');
  line("", "", ' ', "[tid/pid]");
  out_.append("     (msec)     (msec)     (msec)");
  column(look_.pre_migrations, "        (msec)");
  column(look_.priority, "               ");
  column(look_.state, "       ");
  out_.append('\n');
  line("---------------", "------", '-', name);
  out_.append("  ---------  ---------  ---------");
  column(look_.pre_migrations, "  ------------");
  column(look_.priority, "  -------------");
  column(look_.state, "  -----");
  out_.append('\n');
}

void TimeHistoryText::print(const TimeHistoryRow& row, Resolver& resolver) {
  const Machine& machine = resolver.machine();
  const SchedEvent& event = row.event;
  const Moment moment = row.sample.moment;
  const bool switched = row.kind == SchedKind::Switch, moved = row.kind == SchedKind::Migrate;
  if (!switched && !(moved ? look_.migrations : look_.wakeups)) return;
  out_.format("{:>15} [{:04}] ", seconds_text(row.time), event.cpu);
  const bool idle = event.tid == 0 || (switched && event.task == 0);
  put_picture(event.cpu, switched ? (idle ? 'i' : 's') : moved ? 'm' : ' ');
  const std::string name = switched         ? name_of(event.pid, event.task, moment, machine)
                           : event.tid == 0 ? std::string("swapper")
                                            : name_of(event.pid, event.tid, moment, machine);
  out_.append(' ').left(name, width_).append(' ');
  if (!switched) {
    out_.fill(' ', 34).append(moved ? "migrated: " : "awakened: ").append(name_of(~0u, event.task, moment, machine));
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
  if (look_.state) out_.format(" {:>5} ", idle ? 'I' : event.state);
  if (look_.next) {
    out_.append(' ').left(fmt::format("next: {}[{}]", printable(event.next_comm), event.next), width_);
  }
  if (look_.wakeups && !look_.next) out_.append("  ").fill(' ', width_);
  const auto chain = idle ? std::vector<std::string>() : scheduled_chain(row.sample, look_.chain_depth, resolver);
  for (std::size_t i = 0; i < chain.size(); ++i) out_.append(i == 0 ? "   " : " <- ").append(printable(chain[i]));
  out_.append('\n');
}

}  // namespace peregrine
