#include "insn/objdump.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <optional>

#include "base/fd.h"
#include "base/number/parse_number.h"
#include "base/types.h"

namespace peregrine {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

std::optional<u64> parse_hex(std::string_view text) { return parse_number<u64>(text, 16); }

// Parses "jle    1250 <work+0x60>" or "mov 0x31(%rip),%rax        # 4440 <sink>".
Instruction parse_instruction(u64 address, std::string_view text) {
  Instruction instruction;
  instruction.address = address;
  if (const std::size_t comment = text.find(" # "); comment != std::string_view::npos) {
    std::string_view where = trimmed(text.substr(comment + 3));
    where = where.substr(0, where.find(' '));
    if (where.starts_with("0x")) where.remove_prefix(2);
    instruction.data = parse_hex(where);
    text = trimmed(text.substr(0, comment));
  }
  if (const std::size_t name = text.find(" <"); name != std::string_view::npos && text.ends_with('>')) {
    text = trimmed(text.substr(0, name));
    const std::string_view last = text.substr(text.find_last_of(" ,") + 1);
    instruction.target = parse_hex(last);
    if (instruction.target) instruction.flow = Flow::Branch;
  }
  const std::size_t word = std::min(text.find_first_of(" \t"), text.size());
  instruction.mnemonic = text.substr(0, word);
  instruction.operands = trimmed(text.substr(word));
  const std::string_view mnemonic = instruction.mnemonic;
  if (mnemonic.starts_with("call") || mnemonic == "bl" || mnemonic == "jal") instruction.flow = Flow::Call;
  if (mnemonic.starts_with("ret")) instruction.flow = Flow::Return;
  if (mnemonic == "jmp" || mnemonic == "b" || mnemonic == "j") instruction.flow = Flow::Jump;
  return instruction;
}

}  // namespace

std::vector<Instruction> parse_objdump(std::string_view text, u64 end) {
  std::vector<Instruction> instructions;
  while (!text.empty()) {
    const std::size_t stop = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, stop);
    text.remove_prefix(std::min(stop + 1, text.size()));
    const std::size_t colon = line.find(":\t");
    if (colon == std::string_view::npos) continue;
    const auto address = parse_hex(trimmed(line.substr(0, colon)));
    if (!address || *address >= end) continue;
    if (!instructions.empty() && *address <= instructions.back().address) continue;
    instructions.push_back(parse_instruction(*address, trimmed(line.substr(colon + 2))));
  }
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const u64 next = i + 1 < instructions.size() ? instructions[i + 1].address : end;
    instructions[i].size = static_cast<u32>(std::min<u64>(next - instructions[i].address, 0xffffffffu));
  }
  return instructions;
}

Result<std::vector<Instruction>> run_objdump(const ObjdumpRequest& request) {
  std::vector<std::string> words = {request.program, "-d", "--no-show-raw-insn",
                                    fmt::format("--start-address={:#x}", request.begin),
                                    fmt::format("--stop-address={:#x}", request.end)};
  if (!request.style.empty()) words.insert(words.end(), {"-M", request.style});
  words.insert(words.end(), {"--", request.file});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("pipe");
  Fd out(ends[0]), in(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.get(), 1);
  char locale[] = "LC_ALL=C";
  char* environment[] = {locale, nullptr};
  pid_t pid = -1;
  const int refused = ::posix_spawnp(&pid, request.program.c_str(), &actions, nullptr, arguments.data(), environment);
  posix_spawn_file_actions_destroy(&actions);
  if (refused != 0) return fail_errno(fmt::format("cannot start {}", request.program), refused);
  in.reset();
  const auto text = read_all(out.get(), request.program, std::size_t{1} << 28);
  out.reset();
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!text) return std::unexpected(text.error());
  auto instructions = parse_objdump(*text, request.end);
  if (!instructions.empty()) return instructions;
  return fail(ErrorKind::Unsupported, "{} printed no instructions for {}", request.program, request.file);
}

}  // namespace peregrine
