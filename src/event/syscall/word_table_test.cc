#include "event/syscall/word_table.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <linux/futex.h>
#include <linux/keyctl.h>
#include <linux/membarrier.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include <set>
#include <utility>

#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"

namespace peregrine {
namespace {

// A constant from the system's headers; a table must have it under this name.
struct HeaderConstant {
  std::string_view table, name;
  u64 value;
};
#define WORD(table, prefix, name) {table, #name, static_cast<u32>(prefix##name)}

const HeaderConstant kConstants[] = {
    {"access", "R", R_OK},
    WORD("at", AT_, SYMLINK_NOFOLLOW),
    WORD("at", AT_, REMOVEDIR),
    WORD("at", AT_, EMPTY_PATH),
    WORD("at", AT_, RECURSIVE),
    WORD("bpf", BPF_, MAP_UPDATE_ELEM),
    WORD("bpf", BPF_, PROG_BIND_MAP),
    WORD("bpfattach", BPF_, SK_LOOKUP),
    WORD("bpfattach", BPF_, PERF_EVENT),
    WORD("bpfelem", BPF_, F_LOCK),
    WORD("bpfmap", BPF_MAP_TYPE_, RINGBUF),
    WORD("bpfmap", BPF_MAP_TYPE_, BLOOM_FILTER),
    WORD("bpfmapflags", BPF_F_, MMAPABLE),
    WORD("bpfmapflags", BPF_F_, INNER_MAP),
    WORD("bpfprog", BPF_PROG_TYPE_, TRACING),
    WORD("bpfprog", BPF_PROG_TYPE_, SYSCALL),
    WORD("clock", CLOCK_, MONOTONIC),
    WORD("clock", CLOCK_, BOOTTIME_ALARM),
    WORD("clock", CLOCK_, TAI),
    WORD("clone", CLONE_, VM),
    WORD("clone", CLONE_, NEWCGROUP),
    WORD("clone", CLONE_, IO),
    WORD("epoll", EPOLL, IN),
    WORD("epoll", EPOLL, RDHUP),
    WORD("epoll", EPOLL, ET),
    WORD("epollflags", EPOLL_, CLOEXEC),
    WORD("epollop", EPOLL_CTL_, MOD),
    WORD("eventfd", EFD_, SEMAPHORE),
    WORD("eventfd", EFD_, NONBLOCK),
    WORD("fadvise", POSIX_FADV_, NOREUSE),
    WORD("fallocate", FALLOC_FL_, UNSHARE_RANGE),
    WORD("fcntl", F_, DUPFD_CLOEXEC),
    WORD("fcntl", F_, OFD_SETLKW),
    WORD("fcntl", F_, ADD_SEALS),
    WORD("fdflags", FD_, CLOEXEC),
    WORD("flock", LOCK_, NB),
    WORD("futex", FUTEX_, WAIT_BITSET),
    WORD("futex", FUTEX_, PRIVATE_FLAG),
    WORD("inotify", IN_, DELETE_SELF),
    WORD("inotify", IN_, ONESHOT),
    WORD("ipc", IPC_, EXCL),
    WORD("ipproto", IPPROTO_, SCTP),
    WORD("ipproto", IPPROTO_, MPTCP),
    WORD("itimer", ITIMER_, PROF),
    WORD("keyctl", KEYCTL_, INVALIDATE),
    WORD("lock", F_, UNLCK),
    WORD("madvise", , MADV_DONTNEED),
    WORD("madvise", , MADV_POPULATE_WRITE),
    WORD("madvise", , MADV_HWPOISON),
    WORD("map", MAP_, PRIVATE),
    WORD("map", MAP_, ANONYMOUS),
    WORD("map", MAP_, FIXED_NOREPLACE),
    WORD("membarrier", MEMBARRIER_CMD_, PRIVATE_EXPEDITED),
    WORD("memfd", MFD_, HUGETLB),
    WORD("mlockall", MCL_, ONFAULT),
    WORD("mount", MS_, BIND),
    WORD("mount", MS_, RELATIME),
    WORD("mount", MS_, LAZYTIME),
    WORD("mremap", MREMAP_, FIXED),
    WORD("msg", MSG_, NOSIGNAL),
    WORD("msg", MSG_, CMSG_CLOEXEC),
    WORD("msgcmd", IPC_, RMID),
    WORD("msync", MS_, SYNC),
    WORD("perfopen", PERF_FLAG_, FD_CLOEXEC),
    WORD("pf", PF_, INET6),
    WORD("pf", PF_, NETLINK),
    WORD("pf", PF_, XDP),
    WORD("pipeflags", O_, CLOEXEC),
    WORD("poll", POLL, NVAL),
    WORD("prctl", PR_, SET_NAME),
    WORD("prctl", PR_, SET_NO_NEW_PRIVS),
    WORD("prctl", PR_, CAP_AMBIENT),
    WORD("prctl", PR_, SCHED_CORE),
    WORD("prio", PRIO_, USER),
    WORD("prot", PROT_, EXEC),
    WORD("prot", PROT_, GROWSUP),
    WORD("ptrace", PTRACE_, ATTACH),
    WORD("ptrace", PTRACE_, SEIZE),
    WORD("random", GRND_, NONBLOCK),
    WORD("rename", RENAME_, EXCHANGE),
    WORD("rlimit", RLIMIT_, NOFILE),
    WORD("rlimit", RLIMIT_, RTTIME),
    WORD("rusage", RUSAGE_, CHILDREN),
    WORD("saflags", SA_, ONSTACK),
    WORD("saflags", SA_, RESETHAND),
    WORD("sched", SCHED_, BATCH),
    WORD("seccomp", SECCOMP_, SET_MODE_FILTER),
    WORD("seek", SEEK_, HOLE),
    WORD("semcmd", , SETVAL),
    WORD("semcmd", , SEM_INFO),
    WORD("shmat", SHM_, REMAP),
    WORD("shmcmd", SHM_, LOCK),
    WORD("shutdown", SHUT_, RDWR),
    WORD("sighow", SIG_, SETMASK),
    WORD("signal", SIG, CHLD),
    WORD("signal", SIG, SYS),
    WORD("sigev", SIGEV_, THREAD_ID),
    WORD("so", SO_, REUSEPORT),
    WORD("so", SO_, PEERSEC),
    WORD("so", SO_, ZEROCOPY),
    WORD("sockflags", SOCK_, CLOEXEC),
    WORD("socktype", SOCK_, SEQPACKET),
    WORD("sol", SOL_, SOCKET),
    WORD("sol", SOL_, NETLINK),
    WORD("splice", SPLICE_F_, GIFT),
    WORD("ss", SS_, DISABLE),
    WORD("statx", STATX_, BTIME),
    WORD("timer", TIMER_, ABSTIME),
    WORD("timerset", TFD_TIMER_, CANCEL_ON_SET),
    WORD("umount", UMOUNT_, NOFOLLOW),
    WORD("wait", W, EXITED),
    WORD("wait", W, NOWAIT),
    WORD("waitid", P_, PGID),
    WORD("xattr", XATTR_, REPLACE),
};
#undef WORD

const Word* named_word(const WordTable& table, std::string_view name) {
  for (const auto* words : {&table.choices, &table.bits})
    for (const Word& word : *words)
      if (word.name == name) return &word;
  return nullptr;
}

// Families that other architectures may number differently are only checked for names that both tables have.
TEST(WordTable, AgreesWithTheHeadersOfTheSystem) {
  const WordTables tables;
  for (const auto& [table, name, value] : kConstants) {
    SCOPED_TRACE(fmt::format("{} {}", table, name));
    const WordTable* found = tables.find(table);
    ASSERT_NE(found, nullptr);
    const Word* word = named_word(*found, name);
    ASSERT_NE(word, nullptr);
    EXPECT_EQ(word->value, value);
  }
}

TEST(WordTable, KnowsTheOpenFlagsOfThisArchitecture) {
  const WordTables tables;
  const bool generic = abi::syscall_set(abi::kHostArch) == abi::SyscallSet::Generic;
  const WordTable* open = tables.find(generic ? "open.generic" : "open");
  ASSERT_NE(open, nullptr);
  EXPECT_EQ(open->mask, u64{O_ACCMODE});
  EXPECT_EQ(open->choice(O_RDWR), "RDWR");
  for (const auto& [name, value] : {std::pair{"CREAT", O_CREAT},
                                    {"EXCL", O_EXCL},
                                    {"APPEND", O_APPEND},
                                    {"DIRECT", O_DIRECT},
                                    {"DIRECTORY", O_DIRECTORY},
                                    {"NOFOLLOW", O_NOFOLLOW},
                                    {"CLOEXEC", O_CLOEXEC},
                                    {"PATH", O_PATH}}) {
    ASSERT_NE(named_word(*open, name), nullptr) << name;
    EXPECT_EQ(named_word(*open, name)->value, static_cast<u64>(value)) << name;
  }
}

// Tables are searched by name and choices by value; bits are removed from a number from the lowest on.
TEST(WordTable, EachTableIsConsistent) {
  const WordTables tables;
  std::set<std::string_view> names;
  for (const std::string_view text : word_table_texts()) {
    const std::string_view name = text.substr(0, text.find(' '));
    SCOPED_TRACE(name);
    EXPECT_TRUE(names.insert(name).second);
    const WordTable* table = tables.find(name);
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table->name, name);
    EXPECT_FALSE(table->choices.empty() && table->bits.empty());
    std::set<u64> values;
    for (const Word& word : table->choices) {
      EXPECT_TRUE(values.insert(word.value).second) << word.name;
      EXPECT_EQ(table->choice(word.value), word.name);
    }
    std::set<std::string_view> words;
    for (const auto* list : {&table->choices, &table->bits})
      for (const Word& word : *list) EXPECT_TRUE(!word.name.empty() && words.insert(word.name).second) << word.name;
  }
}

TEST(WordTable, BitsAndChoicesDoNotOverlap) {
  const WordTables tables;
  for (const std::string_view text : word_table_texts()) {
    const WordTable& table = *tables.find(text.substr(0, text.find(' ')));
    SCOPED_TRACE(table.name);
    if (table.bits.empty() || table.mask == 0) continue;
    for (const Word& word : table.choices) EXPECT_EQ(word.value & ~table.mask, 0u) << word.name;
  }
}

TEST(WordTable, ATableOfChoicesCoversTheWholeNumber) {
  const WordTables tables;
  const WordTable* seek = tables.find("seek");
  ASSERT_NE(seek, nullptr);
  EXPECT_EQ(seek->mask, 0xffffffffu);
  EXPECT_TRUE(seek->shows_zero);
  EXPECT_EQ(seek->choice(0), "SET");
  EXPECT_EQ(seek->choice(99), "");
}

TEST(WordTable, ATableOfBitsHasNoMask) {
  const WordTables tables;
  const WordTable* rename = tables.find("rename");
  ASSERT_NE(rename, nullptr);
  EXPECT_EQ(rename->mask, 0u);
  EXPECT_FALSE(rename->shows_zero);
  EXPECT_TRUE(rename->choices.empty());
}

// PROT_NONE is not a bit: it means that no bit is set.
TEST(WordTable, ZeroAmongBitsIsAChoice) {
  const WordTables tables;
  const WordTable* prot = tables.find("prot");
  ASSERT_NE(prot, nullptr);
  EXPECT_EQ(prot->choice(0), "NONE");
  for (const Word& word : prot->bits) EXPECT_NE(word.value, 0u) << word.name;
}

TEST(WordTable, UnknownTablesAreNotFound) {
  const WordTables tables;
  for (const std::string_view name : {"", "opem", "zzz", "a"}) EXPECT_EQ(tables.find(name), nullptr) << name;
}

}  // namespace
}  // namespace peregrine
