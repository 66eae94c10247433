#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <expected>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/dso/own_vdso.h"

namespace peregrine {
namespace {

// Finds AT_SYSINFO_EHDR after the environment and writes the image up to the end of its section headers.
constexpr std::array<u8, 56> kCode = {
    0x59,                          //    pop ecx                  argc
    0x8d, 0x64, 0x8c, 0x04,        //    lea esp, [esp+ecx*4+4]   skip argv
    0x58,                          // 1: pop eax
    0x85, 0xc0,                    //    test eax, eax
    0x75, 0xfb,                    //    jne 1b                   until the end of envp
    0x58,                          // 2: pop eax                  type
    0x59,                          //    pop ecx                  value
    0x85, 0xc0,                    //    test eax, eax
    0x74, 0x1f,                    //    je 3f                    AT_NULL: not found
    0x83, 0xf8, 0x21,              //    cmp eax, AT_SYSINFO_EHDR
    0x75, 0xf5,                    //    jne 2b
    0x0f, 0xb7, 0x51, 0x30,        //    movzx edx, word [ecx + e_shnum]
    0x0f, 0xb7, 0x41, 0x2e,        //    movzx eax, word [ecx + e_shentsize]
    0x0f, 0xaf, 0xd0,              //    imul edx, eax
    0x03, 0x51, 0x20,              //    add edx, [ecx + e_shoff]
    0xbb, 0x01, 0x00, 0x00, 0x00,  //    mov ebx, 1
    0xb8, 0x04, 0x00, 0x00, 0x00,  //    mov eax, __NR_write
    0xcd, 0x80,                    //    int 0x80
    0x31, 0xdb,                    // 3: xor ebx, ebx
    0xb8, 0x01, 0x00, 0x00, 0x00,  //    mov eax, __NR_exit
    0xcd, 0x80,                    //    int 0x80
};

std::string small_program() {
  constexpr u32 kBase = 0x08048000, kCodeAt = sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr);
  Elf32_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS32;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = EM_386;
  header.e_version = EV_CURRENT;
  header.e_entry = kBase + kCodeAt;
  header.e_phoff = sizeof header;
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf32_Phdr);
  header.e_phnum = 1;
  Elf32_Phdr segment{};
  segment.p_type = PT_LOAD;
  segment.p_vaddr = segment.p_paddr = kBase;
  segment.p_filesz = segment.p_memsz = kCodeAt + sizeof kCode;
  segment.p_flags = PF_R | PF_X;
  segment.p_align = 4096;
  std::string file(kCodeAt + sizeof kCode, '\0');
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, &segment, sizeof segment);
  std::memcpy(file.data() + kCodeAt, kCode.data(), sizeof kCode);
  return file;
}

// Linux 6.3 warns about memfds created without MFD_EXEC or MFD_NOEXEC_SEAL; older kernels reject the flag.
Fd executable_memory(const char* name) {
  constexpr unsigned kMayExecute = 0x10;  // MFD_EXEC
  int fd = ::memfd_create(name, MFD_CLOEXEC | kMayExecute);
  if (fd < 0 && errno == EINVAL) fd = ::memfd_create(name, MFD_CLOEXEC);
  return Fd(fd);
}

// Returns the output of the program at `path`.
Result<std::string> output_of(const std::string& path, std::string name) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("pipe");
  Fd out(ends[0]), in(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.get(), STDOUT_FILENO);
  char* arguments[] = {name.data(), nullptr};
  char* environment[] = {nullptr};
  pid_t pid = -1;
  const int refused = ::posix_spawn(&pid, path.c_str(), &actions, nullptr, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  if (refused != 0) return fail_errno("32-bit programs", refused);
  in.reset();
  auto text = read_all(out.get(), name, std::size_t{1} << 20);
  out.reset();
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
  return text;
}

}  // namespace

Result<std::vector<std::byte>> vdso_of_32_bit_programs() {
  const Fd file = executable_memory("read-vdso32");
  if (!file) return fail_errno("memfd_create");
  const std::string program = small_program();
  if (auto written = write_all(file.get(), program.data(), program.size()); !written)
    return std::unexpected(std::move(written.error()));
  auto image = output_of(fmt::format("/proc/self/fd/{}", file.get()), "read-vdso32");
  if (!image) return std::unexpected(std::move(image.error()));
  if (image->empty()) return fail(ErrorKind::NotFound, "32-bit programs have no vdso here");
  const auto bytes = std::as_bytes(std::span(*image));
  return std::vector(bytes.begin(), bytes.end());
}

}  // namespace peregrine
