#include "event/syscall/signature.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "base/types.h"
#include "event/syscall/call_table.h"
#include "event/syscall/text_words.h"

namespace peregrine {
namespace {

constexpr std::size_t kMostCalls = 512;

struct PlainKind {
  std::string_view word;
  ArgumentKind kind;
};
constexpr PlainKind kPlain[] = {
    {"i", ArgumentKind::Int},
    {"u", ArgumentKind::Unsigned},
    {"l", ArgumentKind::Long},
    {"n", ArgumentKind::Size},
    {"p", ArgumentKind::Pointer},
    {"x", ArgumentKind::Hex},
    {"o", ArgumentKind::Octal},
    {"fd", ArgumentKind::Fd},
    {"dfd", ArgumentKind::DirFd},
    {"pid", ArgumentKind::Process},
    {"sig", ArgumentKind::Signal},
    {"path", ArgumentKind::Path},
    {"texts", ArgumentKind::Strings},
    {"vars", ArgumentKind::Variables},
    {"vectors", ArgumentKind::Vectors},
    {"getvectors", ArgumentKind::Vectors},
    {"msg", ArgumentKind::Message},
    {"getmsg", ArgumentKind::Message},
    {"in", ArgumentKind::Buffer},
    {"ret", ArgumentKind::Buffer},
    {"addr", ArgumentKind::SocketAddress},
    {"fcntl", ArgumentKind::FcntlArgument},
    {"prctl", ArgumentKind::PrctlArgument},
    {"ioctl", ArgumentKind::IoctlCommand},
    {"getaddr", ArgumentKind::SocketAddress},
    {"option", ArgumentKind::OptionValue},
    {"getoption", ArgumentKind::OptionValue},
    {"fds", ArgumentKind::FdSet},
    {"cpus", ArgumentKind::CpuSet},
    {"getcpus", ArgumentKind::CpuSet},
};
struct NamedResult {
  std::string_view word;
  ResultKind kind;
};
constexpr NamedResult kResultWords[] = {
    {"hex", ResultKind::Hex},         {"pid", ResultKind::Process}, {"fd", ResultKind::Fd},
    {"timeout", ResultKind::Timeout}, {"fcntl", ResultKind::Fcntl}, {"octal", ResultKind::Octal},
};

u8 count_of(std::string_view word) {
  if (word.empty()) return kNoCount;
  return word == "ret" ? kCountIsResult : static_cast<u8>(word[0] - '0');
}

class Reader {
 public:
  Reader(const WordTables& words, const StructLayouts& layouts, const LayoutChoices& choices, abi::SyscallSet set)
      : words_(words),
        layouts_(layouts),
        choices_(choices),
        wide_(set != abi::SyscallSet::I386),
        open_(words.find(set == abi::SyscallSet::Generic ? "open.generic" : "open")) {}

  SyscallSignature read(std::string_view text) const {
    SyscallSignature call;
    call.known = true;
    next_word(text);
    while (!text.empty()) {
      const std::string_view word = next_word(text);
      if (word.starts_with('=')) {
        call.result = std::ranges::find(kResultWords, word.substr(1), &NamedResult::word)->kind;
      } else {
        call.arguments[call.count++] = argument(word);
      }
    }
    return call;
  }

 private:
  SyscallArgument argument(std::string_view text) const {
    SyscallArgument argument;
    const std::size_t colon = text.find(':');
    argument.name = text.substr(0, colon);
    std::string_view kind = text.substr(colon + 1);
    if (kind[0] == '?') return chosen(argument, kind.substr(1));
    const std::size_t at = kind.find('@');
    if (at != kind.npos) argument.count = count_of(kind.substr(at + 1));
    kind = kind.substr(0, at);
    if (kind[0] == '#') {
      argument.kind = ArgumentKind::Words;
      argument.words = kind == "#open" ? open_ : words_.find(kind.substr(1));
    } else if (kind[0] == '<' || kind[0] == '>' || kind[0] == '~') {
      // Structs of 32-bit processes have a different layout.
      argument.kind = wide_ ? ArgumentKind::Struct : ArgumentKind::Pointer;
      argument.filled = kind[0] == '>';
      argument.changed = kind[0] == '~';
      argument.layout = wide_ ? layouts_.find(kind.substr(1)) : nullptr;
    } else {
      argument.kind = std::ranges::find(kPlain, kind, &PlainKind::word)->kind;
      argument.filled = kind == "ret" || kind.starts_with("get");
      if (kind == "ret" || kind == "getcpus") argument.count = kCountIsResult;
      if (kind == "ioctl") argument.words = words_.find(kind);
      if (kind == "fcntl") {
        argument.words = open_;
        argument.layout = wide_ ? layouts_.find("flock") : nullptr;
        argument.changed = true;
      }
    }
    return argument;
  }

  // Parses CHOICE@CHOOSER and /COUNT.
  SyscallArgument chosen(SyscallArgument argument, std::string_view text) const {
    argument.kind = wide_ ? ArgumentKind::Chosen : ArgumentKind::Pointer;
    argument.changed = true;
    const std::size_t at = text.find('@'), slash = text.find('/');
    argument.chooser = count_of(text.substr(at + 1, 1));
    if (slash != text.npos) argument.count = count_of(text.substr(slash + 1));
    argument.choice = wide_ ? choices_.find(text.substr(0, at)) : nullptr;
    return argument;
  }

  const WordTables& words_;
  const StructLayouts& layouts_;
  const LayoutChoices& choices_;
  bool wide_;
  const WordTable* open_;  // open flags; O_DIRECTORY and its neighbours depend on the architecture
};

}  // namespace

Signatures::Signatures(abi::SyscallSet set)
    : set_(set),
      words_(std::make_unique<WordTables>()),
      layouts_(std::make_unique<StructLayouts>(*words_, set == abi::SyscallSet::Generic)),
      choices_(std::make_unique<LayoutChoices>(*layouts_)),
      calls_(kMostCalls) {
  std::unordered_map<std::string_view, std::string_view> rows;
  for (const std::string_view row : call_table()) rows.emplace(row.substr(0, row.find(' ')), row);
  const Reader reader(*words_, *layouts_, *choices_, set);
  for (u32 number = 0; number < calls_.size(); ++number) {
    const std::string_view name = abi::syscall_name(set, number);
    if (name.empty()) continue;
    if (const auto row = rows.find(name); row != rows.end()) calls_[number] = reader.read(row->second);
    calls_[number].name = name;
  }
}

}  // namespace peregrine
