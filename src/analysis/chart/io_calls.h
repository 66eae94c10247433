// The system calls that wait for devices, networks and other tasks, and how each call is drawn.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/chart/time_chart.h"
#include "analysis/field/recorded_tracepoints.h"
#include "base/types.h"

namespace peregrine {

struct IoCall {
  std::string_view enter, exit;  // event names in subsystem `syscalls`
  IoKind kind;
  bool ours = false;  // linux-perf 6.1 ignores it
};
inline constexpr IoCall kIoCalls[] = {
    {"sys_enter_read", "sys_exit_read", IoKind::Read},
    {"sys_enter_pread64", "sys_exit_pread64", IoKind::Read},
    {"sys_enter_readv", "sys_exit_readv", IoKind::Read},
    {"sys_enter_preadv", "sys_exit_preadv", IoKind::Read},
    {"sys_enter_preadv2", "sys_exit_preadv2", IoKind::Read, true},
    {"sys_enter_write", "sys_exit_write", IoKind::Write},
    {"sys_enter_pwrite64", "sys_exit_pwrite64", IoKind::Write},
    {"sys_enter_writev", "sys_exit_writev", IoKind::Write},
    {"sys_enter_pwritev", "sys_exit_pwritev", IoKind::Write},
    {"sys_enter_pwritev2", "sys_exit_pwritev2", IoKind::Write, true},
    {"sys_enter_sync", "sys_exit_sync", IoKind::Sync},
    {"sys_enter_sync_file_range", "sys_exit_sync_file_range", IoKind::Sync},
    {"sys_enter_fsync", "sys_exit_fsync", IoKind::Sync},
    {"sys_enter_fdatasync", "sys_exit_fdatasync", IoKind::Sync, true},
    {"sys_enter_syncfs", "sys_exit_syncfs", IoKind::Sync, true},
    {"sys_enter_msync", "sys_exit_msync", IoKind::Sync},
    {"sys_enter_recvfrom", "sys_exit_recvfrom", IoKind::Receive},
    {"sys_enter_recvmmsg", "sys_exit_recvmmsg", IoKind::Receive},
    {"sys_enter_recvmsg", "sys_exit_recvmsg", IoKind::Receive},
    {"sys_enter_sendto", "sys_exit_sendto", IoKind::Send},
    {"sys_enter_sendmsg", "sys_exit_sendmsg", IoKind::Send},
    {"sys_enter_sendmmsg", "sys_exit_sendmmsg", IoKind::Send},
    {"sys_enter_epoll_pwait", "sys_exit_epoll_pwait", IoKind::Poll},
    {"sys_enter_epoll_pwait2", "sys_exit_epoll_pwait2", IoKind::Poll, true},
    {"sys_enter_epoll_wait", "sys_exit_epoll_wait", IoKind::Poll},
    {"sys_enter_poll", "sys_exit_poll", IoKind::Poll},
    {"sys_enter_ppoll", "sys_exit_ppoll", IoKind::Poll},
    {"sys_enter_pselect6", "sys_exit_pselect6", IoKind::Poll},
    {"sys_enter_select", "sys_exit_select", IoKind::Poll},
};

// Their tracepoints: enter and exit of the first call, enter and exit of the second, and so on.
std::vector<WantedTracepoint> wanted_io();

struct IoRequest {
  bool skip_again = false;  // ignore calls that returned EAGAIN
  u64 merge_distance = 1000;
};

// Matches the enter and exit events of all tasks.
class IoPairs {
 public:
  explicit IoPairs(IoRequest request) : request_(request) {}
  // `which`: index in wanted_io(). Adds a span to the task when a call ends.
  void take(std::size_t which, const TracepointView& view, u64 time, u32 index, ChartTask& task);
  // Ends unfinished calls at `time`.
  void finish(u64 time, std::vector<ChartTask>& tasks);

 private:
  struct Open {
    std::size_t call = 0;
    u64 from = 0;
    i64 descriptor = -1;
  };
  void end(ChartTask& task, const Open& open, u64 until, i64 result);

  IoRequest request_;
  std::vector<std::optional<Open>> open_;  // by task index
};

}  // namespace peregrine
