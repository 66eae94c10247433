#include "event/syscall/struct_layout.h"

#include <algorithm>
#include <charconv>

#include "event/syscall/text_words.h"

namespace peregrine {
namespace {

// NAME FIELD:KINDSIZE…, and _SIZE for what is left out. Kinds: i u p o, t text, s signals, #WORDS/SIZE.
constexpr std::string_view kLayouts[] = {
    "cachestat nr_cache:u8 nr_dirty:u8 nr_writeback:u8 nr_evicted:u8 nr_recently_evicted:u8",
    "cachestat_range off:u8 len:u8",
    "cap_data effective:p4 permitted:p4 inheritable:p4",
    "cap_header version:p4 pid:i4",
    "clone_args flags:#clone/8 pidfd:p8 child_tid:p8 parent_tid:p8 exit_signal:#signal/8 stack:p8 stack_size:u8",
    "epoll_event events:#epoll/4 data:p8",  // packed on x86
    "pair :i4 :i4",
    "file_attr fa_xflags:p8 fa_extsize:u4 fa_nextents:u4 fa_projid:u4 fa_cowextsize:u4",
    "file_handle handle_bytes:u4 handle_type:i4",
    "flock l_type:#lock/2 l_whence:#seek/2 _4 l_start:i8 l_len:i8 l_pid:i4",
    "futex_waitv val:u8 uaddr:p8 flags:p4 _4",
    "futex_waitv2 from.val:u8 from.uaddr:p8 from.flags:p4 _4 to.val:u8 to.uaddr:p8 to.flags:p4 _4",
    "id :p8",
    "int :i4",
    "io_event data:p8 obj:p8 res:i8 res2:i8",
    ("iocb aio_data:p8 aio_key:u4 aio_rw_flags:p4 aio_lio_opcode:u2 aio_reqprio:i2 aio_fildes:i4 aio_buf:p8 "
     "aio_nbytes:u8 aio_offset:i8"),
    ("io_uring_params sq_entries:u4 cq_entries:u4 flags:#uringsetup/4 sq_thread_cpu:u4 sq_thread_idle:u4 features:p4 "
     "wq_fd:i4"),
    "iovec iov_base:p8 iov_len:u8",
    "itimerspec it_interval.tv_sec:i8 it_interval.tv_nsec:i8 it_value.tv_sec:i8 it_value.tv_nsec:i8",
    "itimerval it_interval.tv_sec:i8 it_interval.tv_usec:i8 it_value.tv_sec:i8 it_value.tv_usec:i8",
    "landlock_ruleset_attr handled_access_fs:p8",  // later members only where the call's size says so
    "lsm_ctx id:u8 flags:p8 len:u8 ctx_len:u8",
    "mnt_id_req size:u4 mnt_ns_fd:u4 mnt_id:p8 param:p8",
    "mount_attr attr_set:p8 attr_clr:p8 propagation:p8 userns_fd:u8",
    "mq_attr mq_flags:#open/8 mq_maxmsg:i8 mq_msgsize:i8 mq_curmsgs:i8",
    "msgbuf mtype:i8",
    "offset :i8",
    "open_how flags:#open/8 mode:o8 resolve:p8",
    "perf_event_attr type:u4 size:u4 config:p8 sample_period:u8 sample_type:p8 read_format:p8 flags:p8",
    "pointer :p8",
    "pollfd fd:i4 events:#poll/2 revents:#poll/2",
    "rlimit rlim_cur:i8 rlim_max:i8",
    "robust_list_head list:p8 futex_offset:i8 list_op_pending:p8",
    "rseq cpu_id_start:u4 cpu_id:u4 rseq_cs:p8 flags:p4",
    "rusage ru_utime.tv_sec:i8 ru_utime.tv_usec:i8 ru_stime.tv_sec:i8 ru_stime.tv_usec:i8 ru_maxrss:i8",
    ("sched_attr size:u4 sched_policy:#sched/4 sched_flags:p8 sched_nice:i4 sched_priority:u4 sched_runtime:u8 "
     "sched_deadline:u8 sched_period:u8"),
    "sched_param sched_priority:i4",
    "sembuf sem_num:u2 sem_op:i2 sem_flg:p2",
    "sigaction sa_handler:p8 sa_flags:#saflags/8 sa_restorer:p8 sa_mask:s8",
    "sigevent sigev_value:p8 sigev_signo:#signal/4 sigev_notify:#sigev/4",
    "siginfo si_signo:#signal/4 si_errno:i4 si_code:i4 _4 si_pid:i4 si_uid:u4 si_status:i4",
    "sigset :s8",
    "sigset_pack sigmask:p8 size:u8",
    "size :u8",
    "stack_t ss_sp:p8 ss_flags:#ss/4 _4 ss_size:u8",
    "stat st_dev:p8 st_ino:u8 st_nlink:u8 st_mode:o4 st_uid:u4 st_gid:u4 _4 st_rdev:p8 st_size:i8",
    "statfs f_type:p8 f_bsize:i8 f_blocks:u8 f_bfree:u8 f_bavail:u8 f_files:u8 f_ffree:u8",
    ("statmount size:u4 mnt_opts:u4 mask:p8 sb_dev_major:u4 sb_dev_minor:u4 sb_magic:p8 sb_flags:p4 fs_type:u4 "
     "mnt_id:p8 mnt_parent_id:p8"),
    "status :p4",
    "statx stx_mask:#statx/4 _12 stx_nlink:u4 stx_uid:u4 stx_gid:u4 stx_mode:o2 _2 stx_ino:u8 stx_size:u8",
    "sysinfo uptime:i8 loads:u8 _16 totalram:u8 freeram:u8",
    "time :i8",
    "timespec tv_sec:i8 tv_nsec:i8",
    "timespec2 atime.tv_sec:i8 atime.tv_nsec:i8 mtime.tv_sec:i8 mtime.tv_nsec:i8",
    "timeval tv_sec:i8 tv_usec:i8",
    "timeval2 atime.tv_sec:i8 atime.tv_usec:i8 mtime.tv_sec:i8 mtime.tv_usec:i8",
    ("timex modes:p4 _4 offset:i8 freq:i8 maxerror:i8 esterror:i8 status:p4 _4 constant:i8 precision:i8 tolerance:i8 "
     "time.tv_sec:i8 time.tv_usec:i8 tick:i8"),
    "timezone tz_minuteswest:i4 tz_dsttime:i4",
    "tms tms_utime:i8 tms_stime:i8 tms_cutime:i8 tms_cstime:i8",
    "uid :i4",
    "ustat f_tfree:i4 _4 f_tinode:u8 f_fname:t6 f_fpack:t6",
    "utimbuf actime:i8 modtime:i8",
    "utsname sysname:t65 nodename:t65 release:t65",
    "xattr_args value:p8 size:u4 flags:p4",
};
constexpr std::string_view kGenericLayouts[] = {
    "epoll_event events:#epoll/4 _4 data:p8",
    "sigaction sa_handler:p8 sa_flags:#saflags/8 sa_mask:s8",
    "stat st_dev:p8 st_ino:u8 st_mode:o4 st_nlink:u4 st_uid:u4 st_gid:u4 st_rdev:p8 _8 st_size:i8",
};

u16 number(std::string_view digits) {
  u16 value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

FieldKind kind_of(char letter) {
  switch (letter) {
    case 'i':
      return FieldKind::Signed;
    case 'p':
      return FieldKind::Pointer;
    case 'o':
      return FieldKind::Octal;
    case 't':
      return FieldKind::Text;
    case 's':
      return FieldKind::SignalSet;
    default:
      return FieldKind::Unsigned;
  }
}

StructLayout parse(std::string_view text, const WordTables& words) {
  StructLayout layout;
  layout.name = next_word(text);
  while (!text.empty()) {
    const std::string_view word = next_word(text);
    if (word.starts_with('_')) {
      layout.size = static_cast<u16>(layout.size + number(word.substr(1)));
      continue;
    }
    const std::size_t colon = word.find(':');
    const std::string_view kind = word.substr(colon + 1);
    LayoutField field{.name = word.substr(0, colon), .kind = kind_of(kind[0]), .offset = layout.size};
    if (kind[0] == '#') {
      const std::size_t slash = kind.find('/');
      field.words = words.find(kind.substr(1, slash - 1));
      field.size = number(kind.substr(slash + 1));
    } else {
      field.size = number(kind.substr(1));
    }
    layout.size = static_cast<u16>(layout.size + field.size);
    layout.fields.push_back(field);
  }
  return layout;
}

}  // namespace

StructLayouts::StructLayouts(const WordTables& words, bool generic) {
  if (generic)
    for (const std::string_view text : kGenericLayouts) layouts_.push_back(parse(text, words));
  for (const std::string_view text : kLayouts) layouts_.push_back(parse(text, words));
}

const StructLayout* StructLayouts::find(std::string_view name) const {
  const auto found = std::ranges::find(layouts_, name, &StructLayout::name);
  return found == layouts_.end() ? nullptr : &*found;
}

}  // namespace peregrine
