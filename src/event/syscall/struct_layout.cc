#include "event/syscall/struct_layout.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/number/parse_number.h"
#include "event/syscall/text_words.h"

namespace peregrine {
namespace {

// NAME FIELD:KINDSIZE…, and _SIZE for bytes to skip. Kinds: i u p o, t text, s signals, #WORDS/SIZE.
constexpr std::string_view kLayouts[] = {
    "bpf_attach target_fd:i4 attach_bpf_fd:i4 attach_type:#bpfattach/4 attach_flags:p4",
    ("bpf_batch batch.in_batch:p8 batch.out_batch:p8 batch.keys:p8 batch.values:p8 batch.count:u4 batch.map_fd:i4 "
     "batch.elem_flags:p8 batch.flags:p8"),
    "bpf_bind prog_bind_map.prog_fd:i4 prog_bind_map.map_fd:i4 prog_bind_map.flags:p4",
    "bpf_btf_id btf_id:u4 _4 open_flags:p4",
    "bpf_btf_load btf:p8 btf_log_buf:p8 btf_size:u4 btf_log_size:u4 btf_log_level:u4",
    "bpf_detach link_detach.link_fd:i4",
    "bpf_elem map_fd:i4 _4 key:p8 value:p8 flags:#bpfelem/8",
    "bpf_info info.bpf_fd:i4 info.info_len:u4 info.info:p8",
    "bpf_iter iter_create.link_fd:i4 iter_create.flags:p4",
    ("bpf_link_create link_create.prog_fd:i4 link_create.target_fd:i4 link_create.attach_type:#bpfattach/4 "
     "link_create.flags:p4"),
    "bpf_link_id link_id:u4 _4 open_flags:p4",
    "bpf_link_update link_update.link_fd:i4 link_update.new_prog_fd:i4 link_update.flags:p4 link_update.old_prog_fd:i4",
    "bpf_map map_fd:i4",
    ("bpf_map_create map_type:#bpfmap/4 key_size:u4 value_size:u4 max_entries:u4 map_flags:#bpfmapflags/4 "
     "inner_map_fd:i4 numa_node:u4 map_name:t16"),
    "bpf_map_id map_id:u4 _4 open_flags:p4",
    "bpf_next_id start_id:u4 next_id:u4 open_flags:p4",
    "bpf_obj pathname:p8 bpf_fd:i4 file_flags:p4",
    "bpf_prog_id prog_id:u4 _4 open_flags:p4",
    ("bpf_prog_load prog_type:#bpfprog/4 insn_cnt:u4 insns:p8 license:p8 log_level:u4 log_size:u4 log_buf:p8 "
     "kern_version:p4 prog_flags:p4 prog_name:t16 prog_ifindex:u4 expected_attach_type:#bpfattach/4"),
    ("bpf_query query.target_fd:i4 query.attach_type:#bpfattach/4 query.query_flags:p4 query.attach_flags:p4 "
     "query.prog_ids:p8 query.prog_cnt:u4"),
    "bpf_raw_tracepoint raw_tracepoint.name:p8 raw_tracepoint.prog_fd:i4",
    "bpf_stats enable_stats.type:u4",
    ("bpf_task_fd task_fd_query.pid:i4 task_fd_query.fd:i4 task_fd_query.flags:p4 task_fd_query.buf_len:u4 "
     "task_fd_query.buf:p8 task_fd_query.prog_id:u4 task_fd_query.fd_type:u4"),
    ("bpf_test test.prog_fd:i4 test.retval:u4 test.data_size_in:u4 test.data_size_out:u4 test.data_in:p8 "
     "test.data_out:p8 test.repeat:u4 test.duration:u4"),
    "cachestat nr_cache:u8 nr_dirty:u8 nr_writeback:u8 nr_evicted:u8 nr_recently_evicted:u8",
    "cachestat_range off:u8 len:u8",
    "cap_data effective:p4 permitted:p4 inheritable:p4",
    "cap_header version:p4 pid:i4",
    "clone_args flags:#clone/8 pidfd:p8 child_tid:p8 parent_tid:p8 exit_signal:#signal/8 stack:p8 stack_size:u8",
    "clone_range src_fd:i8 src_offset:u8 src_length:u8 dest_offset:u8",
    "epoll_event events:#epoll/4 data:p8",  // packed on x86
    "fiemap fm_start:u8 fm_length:u8 fm_flags:p4 fm_mapped_extents:u4 fm_extent_count:u4",
    "fsflags :#fsflags/4",
    "fsxattr fsx_xflags:p4 fsx_extsize:u4 fsx_nextents:u4 fsx_projid:u4 fsx_cowextsize:u4",
    "ifconf ifc_len:i4 _4 ifc_buf:p8",
    "ifname ifr_name:t16",
    ("msqid64_ds msg_perm.key:p4 msg_perm.uid:u4 msg_perm.gid:u4 _8 msg_perm.mode:o4 _24 msg_stime:i8 msg_rtime:i8 "
     "msg_ctime:i8 msg_cbytes:u8 msg_qnum:u8 msg_qbytes:u8 msg_lspid:i4 msg_lrpid:i4"),
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
    "landlock_ruleset_attr handled_access_fs:p8",  // later members only if the call's size includes them
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
    "seccomp_sizes seccomp_notif:u2 seccomp_notif_resp:u2 seccomp_data:u2",
    "sembuf sem_num:u2 sem_op:i2 sem_flg:p2",
    ("semid64_ds sem_perm.key:p4 sem_perm.uid:u4 sem_perm.gid:u4 _8 sem_perm.mode:o4 _24 sem_otime:i8 _8 sem_ctime:i8 "
     "_8 sem_nsems:u8"),
    ("shmid64_ds shm_perm.key:p4 shm_perm.uid:u4 shm_perm.gid:u4 _8 shm_perm.mode:o4 _24 shm_segsz:u8 shm_atime:i8 "
     "shm_dtime:i8 shm_ctime:i8 shm_cpid:i4 shm_lpid:i4 shm_nattch:u8"),
    "sigaction sa_handler:p8 sa_flags:#saflags/8 sa_restorer:p8 sa_mask:s8",
    "sigevent sigev_value:p8 sigev_signo:#signal/4 sigev_notify:#sigev/4",
    "siginfo si_signo:#signal/4 si_errno:i4 si_code:i4 _4 si_pid:i4 si_uid:u4 si_status:i4",
    "sigset :s8",
    "sigset_pack sigmask:p8 size:u8",
    "size :u8",
    "sock_fprog len:u2 _6 filter:p8",
    "stack_t ss_sp:p8 ss_flags:#ss/4 _4 ss_size:u8",
    "stat st_dev:p8 st_ino:u8 st_nlink:u8 st_mode:o4 st_uid:u4 st_gid:u4 _4 st_rdev:p8 st_size:i8",
    "statfs f_type:p8 f_bsize:i8 f_blocks:u8 f_bfree:u8 f_bavail:u8 f_files:u8 f_ffree:u8",
    ("statmount size:u4 mnt_opts:u4 mask:p8 sb_dev_major:u4 sb_dev_minor:u4 sb_magic:p8 sb_flags:p4 fs_type:u4 "
     "mnt_id:p8 mnt_parent_id:p8"),
    "status :p4",
    "statx stx_mask:#statx/4 _12 stx_nlink:u4 stx_uid:u4 stx_gid:u4 stx_mode:o2 _2 stx_ino:u8 stx_size:u8",
    "sysinfo uptime:i8 loads:u8 _16 totalram:u8 freeram:u8",
    "termios c_iflag:#terminput/4 c_oflag:#termoutput/4 c_cflag:#termcontrol/4 c_lflag:#termlocal/4 c_line:u1 _19",
    ("termios2 c_iflag:#terminput/4 c_oflag:#termoutput/4 c_cflag:#termcontrol/4 c_lflag:#termlocal/4 c_line:u1 _19 "
     "c_ispeed:u4 c_ospeed:u4"),
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
    "winsize ws_row:u2 ws_col:u2 ws_xpixel:u2 ws_ypixel:u2",
    "xattr_args value:p8 size:u4 flags:p4",
};
// Structs of architectures that use the kernel's generic headers (arm64, riscv). They come first, so find() prefers
// them.
constexpr std::string_view kGenericLayouts[] = {
    "epoll_event events:#epoll/4 _4 data:p8",
    ("semid64_ds sem_perm.key:p4 sem_perm.uid:u4 sem_perm.gid:u4 _8 sem_perm.mode:o4 _24 sem_otime:i8 sem_ctime:i8 "
     "sem_nsems:u8"),
    "sigaction sa_handler:p8 sa_flags:#saflags/8 sa_mask:s8",
    "stat st_dev:p8 st_ino:u8 st_mode:o4 st_nlink:u4 st_uid:u4 st_gid:u4 st_rdev:p8 _8 st_size:i8",
};

u16 number(std::string_view digits) { return take_number<u16>(digits).value_or(0); }

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

void StructLayouts::replace(const std::function<std::optional<StructLayout>(const StructLayout&)>& from) {
  for (StructLayout& layout : layouts_)
    if (auto made = from(layout)) layout = std::move(*made);
}

const StructLayout* StructLayouts::find(std::string_view name) const {
  const auto found = std::ranges::find(layouts_, name, &StructLayout::name);
  return found == layouts_.end() ? nullptr : &*found;
}

}  // namespace peregrine
