#include "failure/fail_call/call_table.h"

#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace peregrine::failure {
namespace {

constexpr Call kCalls[] = {
    {SYS_read, "read", CallClass::Read, 0, -1},
    {SYS_pread64, "pread", CallClass::Read, 0, -1},
    {SYS_readv, "readv", CallClass::Read, 0, -1},
    {SYS_getdents64, "getdents", CallClass::Read, 0, -1},
    {SYS_write, "write", CallClass::Write, 0, -1},
    {SYS_pwrite64, "pwrite", CallClass::Write, 0, -1},
    {SYS_writev, "writev", CallClass::Write, 0, -1},
    {SYS_copy_file_range, "copy_file_range", CallClass::Write, 2, -1},
    {SYS_sendfile, "sendfile", CallClass::Write, 0, -1},
    {SYS_splice, "splice", CallClass::Write, 2, -1},
    {SYS_openat, "openat", CallClass::Open, -1, 1},
    {SYS_openat2, "openat2", CallClass::Open, -1, 1},
    {SYS_memfd_create, "memfd_create", CallClass::Open, -1, 0},
    {SYS_pipe2, "pipe2", CallClass::Open, -1, -1},
    {SYS_socketpair, "socketpair", CallClass::Open, -1, -1},
    {SYS_socket, "socket", CallClass::Open, -1, -1},
    {SYS_eventfd2, "eventfd2", CallClass::Open, -1, -1},
    {SYS_epoll_create1, "epoll_create1", CallClass::Open, -1, -1},
    {SYS_signalfd4, "signalfd4", CallClass::Open, -1, -1},
    {SYS_inotify_init1, "inotify_init1", CallClass::Open, -1, -1},
    {SYS_timerfd_create, "timerfd_create", CallClass::Open, -1, -1},
    {SYS_mmap, "mmap", CallClass::Map, 4, -1},
    {SYS_clone, "clone", CallClass::Fork, -1, -1},
    {SYS_clone3, "clone3", CallClass::Fork, -1, -1},
    {SYS_perf_event_open, "perf_event_open", CallClass::Event, -1, -1},
    {SYS_bpf, "bpf", CallClass::Bpf, -1, -1},
    {SYS_execve, "execve", CallClass::Exec, -1, 0},
    {SYS_execveat, "execveat", CallClass::Exec, -1, 1},
    {SYS_renameat, "renameat", CallClass::Name, -1, 1},
    {SYS_renameat2, "renameat2", CallClass::Name, -1, 1},
    {SYS_mkdirat, "mkdirat", CallClass::Name, -1, 1},
    {SYS_linkat, "linkat", CallClass::Name, -1, 1},
    {SYS_symlinkat, "symlinkat", CallClass::Name, -1, 0},
    {SYS_ftruncate, "ftruncate", CallClass::Name, 0, -1},
    {SYS_fsync, "fsync", CallClass::Name, 0, -1},
    {SYS_fdatasync, "fdatasync", CallClass::Name, 0, -1},
    {SYS_ppoll, "ppoll", CallClass::Wait, -1, -1},
    {SYS_epoll_pwait, "epoll_pwait", CallClass::Wait, -1, -1},
    {SYS_wait4, "wait4", CallClass::Wait, -1, -1},
    {SYS_waitid, "waitid", CallClass::Wait, -1, -1},
    {SYS_clock_nanosleep, "clock_nanosleep", CallClass::Wait, -1, -1},
// Calls that newer architectures do not have.
#ifdef SYS_open
    {SYS_open, "open", CallClass::Open, -1, 0},
    {SYS_creat, "creat", CallClass::Open, -1, 0},
    {SYS_pipe, "pipe", CallClass::Open, -1, -1},
    {SYS_fork, "fork", CallClass::Fork, -1, -1},
    {SYS_vfork, "vfork", CallClass::Fork, -1, -1},
    {SYS_rename, "rename", CallClass::Name, -1, 0},
    {SYS_mkdir, "mkdir", CallClass::Name, -1, 0},
    {SYS_link, "link", CallClass::Name, -1, 0},
    {SYS_symlink, "symlink", CallClass::Name, -1, 0},
    {SYS_poll, "poll", CallClass::Wait, -1, -1},
    {SYS_epoll_wait, "epoll_wait", CallClass::Wait, -1, -1},
#endif
};

constexpr Failure kFailures[] = {
    {CallClass::Read, "EIO", EIO},           {CallClass::Read, "EINTR", EINTR},
    {CallClass::Read, "EAGAIN", EAGAIN},     {CallClass::Read, "ENOMEM", ENOMEM},
    {CallClass::Read, "short", kShortCount}, {CallClass::Write, "EIO", EIO},
    {CallClass::Write, "ENOSPC", ENOSPC},    {CallClass::Write, "EINTR", EINTR},
    {CallClass::Write, "EAGAIN", EAGAIN},    {CallClass::Write, "short", kShortCount},
    {CallClass::Open, "EMFILE", EMFILE},     {CallClass::Open, "ENOMEM", ENOMEM},
    {CallClass::Open, "EIO", EIO},           {CallClass::Open, "EINTR", EINTR},
    {CallClass::Map, "ENOMEM", ENOMEM},      {CallClass::Map, "EAGAIN", EAGAIN},
    {CallClass::Fork, "EAGAIN", EAGAIN},     {CallClass::Fork, "ENOMEM", ENOMEM},
    {CallClass::Event, "EMFILE", EMFILE},    {CallClass::Event, "ENOMEM", ENOMEM},
    {CallClass::Event, "EINTR", EINTR},      {CallClass::Event, "EIO", EIO},
    {CallClass::Bpf, "ENOMEM", ENOMEM},      {CallClass::Bpf, "EAGAIN", EAGAIN},
    {CallClass::Bpf, "EMFILE", EMFILE},      {CallClass::Exec, "ENOMEM", ENOMEM},
    {CallClass::Exec, "EAGAIN", EAGAIN},     {CallClass::Name, "EIO", EIO},
    {CallClass::Name, "ENOSPC", ENOSPC},     {CallClass::Write, "EDQUOT", EDQUOT},
    {CallClass::Wait, "EINTR", EINTR},
};

constexpr std::array<std::string_view, kCallClasses> kNames = {"read",  "write", "open", "mmap", "fork",
                                                               "event", "bpf",   "exec", "name", "wait"};

}  // namespace

std::span<const Call> calls() { return kCalls; }
std::span<const Failure> failures() { return kFailures; }
std::string_view name_of(CallClass call_class) { return kNames[static_cast<std::size_t>(call_class)]; }

}  // namespace peregrine::failure
