#include "sys/arch/system_call.h"

#include <linux/audit.h>
#include <sys/syscall.h>

namespace peregrine {

namespace {

// Newer than the oldest C library we build with; these numbers are the same on all architectures.
constexpr u32 kOpenTree = 428, kMoveMount = 429, kFsOpen = 430, kFsConfig = 431, kFsMount = 432, kFsPick = 433,
              kPidfdSendSignal = 424, kPidfdGetfd = 438, kProcessMadvise = 440, kMountSetattr = 442, kQuotactlFd = 443,
              kFchmodat2 = 452, kSetXattrAt = 463, kRemoveXattrAt = 466, kOpenTreeAttr = 467, kFileSetAttr = 469;

constexpr u32 kDenied[] = {
    // other processes
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    kPidfdSendSignal,
    kPidfdGetfd,
    kProcessMadvise,
    SYS_migrate_pages,
    SYS_move_pages,
    SYS_setpriority,
    SYS_ioprio_set,
    // large kernel attack surface
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_io_setup,
    SYS_io_submit,
    SYS_fanotify_init,
    SYS_fanotify_mark,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    // the whole machine
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_acct,
    SYS_swapon,
    SYS_swapoff,
    SYS_quotactl,
    kQuotactlFd,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_vhangup,
    SYS_syslog,
    // namespaces, mounts and file handles
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_setns,
    SYS_unshare,
    kOpenTree,
    kMoveMount,
    kFsOpen,
    kFsConfig,
    kFsMount,
    kFsPick,
    kMountSetattr,
    kOpenTreeAttr,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    // the process's identity
    SYS_setuid,
    SYS_setgid,
    SYS_setreuid,
    SYS_setregid,
    SYS_setresuid,
    SYS_setresgid,
    SYS_setfsuid,
    SYS_setfsgid,
    SYS_setgroups,
    SYS_capset,
    SYS_personality,
    // System V and POSIX IPC, shared by number or name
    SYS_shmget,
    SYS_shmat,
    SYS_shmctl,
    SYS_semget,
    SYS_semctl,
    SYS_semop,
    SYS_semtimedop,
    SYS_msgget,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_msgctl,
    SYS_mq_open,
    SYS_mq_unlink,
    // file changes that readers never make; Landlock has no right for most of these
    SYS_fchmodat,
    kFchmodat2,
    SYS_fchown,
    SYS_fchownat,
    SYS_mknodat,
    SYS_truncate,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    kSetXattrAt,
    kRemoveXattrAt,
    kFileSetAttr,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef __x86_64__
    SYS_iopl,
    SYS_ioperm,
    SYS_uselib,
    SYS_modify_ldt,
    SYS__sysctl,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_mknod,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
#endif
};

constexpr u32 kPrograms[] = {SYS_execve, SYS_execveat};
constexpr u32 kNetwork[] = {SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4};
constexpr u32 kSignalCalls[] = {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo};
constexpr u32 kLinking[] = {
    SYS_linkat,
#ifdef __x86_64__
    SYS_link,
#endif
};
constexpr u32 kSymlinks[] = {
    SYS_symlinkat,
#ifdef __x86_64__
    SYS_symlink,
#endif
};
constexpr u32 kChanging[] = {
    SYS_mkdirat,  SYS_unlinkat, SYS_renameat2, SYS_fchmod, SYS_openat2,
#ifdef SYS_renameat
    SYS_renameat,
#endif
#ifdef __x86_64__
    SYS_creat,    SYS_mkdir,    SYS_rmdir,     SYS_unlink, SYS_rename,
#endif
};
constexpr u32 kOpening[] = {
    SYS_openat,
#ifdef __x86_64__
    SYS_open,
#endif
};

struct KindRow {
  u32 call;
  CallKind kind;
};
constexpr KindRow kCallKinds[] = {
    {SYS_openat, CallKind::OpenAt},
    {SYS_openat2, CallKind::OpenAt2},
    {SYS_mkdirat, CallKind::MakeFolderAt},
    {SYS_unlinkat, CallKind::RemoveAt},
    {SYS_renameat2, CallKind::RenameAt2},
    {SYS_fchmod, CallKind::ChangeMode},
    {SYS_symlinkat, CallKind::MakeLinkAt},
#ifdef SYS_renameat
    {SYS_renameat, CallKind::RenameAt},
#endif
#ifdef __x86_64__
    {SYS_open, CallKind::Open},
    {SYS_creat, CallKind::Create},
    {SYS_mkdir, CallKind::MakeFolder},
    {SYS_symlink, CallKind::MakeLink},
    {SYS_rmdir, CallKind::RemoveFolder},
    {SYS_unlink, CallKind::Remove},
    {SYS_rename, CallKind::Rename},
#endif
};

#if defined(__x86_64__)
constexpr std::optional<u32> kAuditArch = AUDIT_ARCH_X86_64, kForeign = 0x40000000u;
#elif defined(__aarch64__)
constexpr std::optional<u32> kAuditArch = AUDIT_ARCH_AARCH64, kForeign = std::nullopt;
#elif defined(__riscv) && __riscv_xlen == 64
constexpr std::optional<u32> kAuditArch = AUDIT_ARCH_RISCV64, kForeign = std::nullopt;
#else
constexpr std::optional<u32> kAuditArch = std::nullopt, kForeign = std::nullopt;
#endif

}  // namespace

std::optional<u32> audit_arch() { return kAuditArch; }
std::optional<u32> foreign_calls() { return kForeign; }
std::span<const u32> denied_calls() { return kDenied; }
std::span<const u32> program_calls() { return kPrograms; }
std::span<const u32> network_calls() { return kNetwork; }
std::span<const u32> signal_calls() { return kSignalCalls; }
std::span<const u32> changing_calls() { return kChanging; }
std::span<const u32> opening_calls() { return kOpening; }
std::span<const u32> linking_calls() { return kLinking; }
std::span<const u32> symlink_calls() { return kSymlinks; }

CallKind call_kind(u32 call) {
  for (const KindRow& row : kCallKinds)
    if (row.call == call) return row.kind;
  return CallKind::Other;
}

u32 open_flags_argument(u32 call) { return call == SYS_openat ? 2 : 1; }

}  // namespace peregrine
