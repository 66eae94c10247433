#include "command_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "cmd/program.h"
#include "written_check.h"

// Where sanitisers report: not to the file that receives a command's errors. Absent in builds without them.
extern "C" void __sanitizer_set_report_fd(void* fd) __attribute__((weak));

namespace peregrine {

namespace {

constexpr std::string_view kKallsyms =
    "ffffffff81000000 T _stext\nffffffff81000000 T _text\nffffffff81000010 T schedule_here\n"
    "ffffffff81000100 T __alloc_pages_noprof\nffffffff81000200 T read_pages\nffffffff81000300 t idle_here\n"
    "ffffffff81001000 T _etext\nffffffffc0000100 t module_runs\t[mod]\n";

constexpr std::string_view kEachPython =
    "def trace_begin(): print('begin')\n"
    "def process_event(d):\n"
    "  print(sorted((k, repr(v)) for k, v in d.items()), len(d['attr']), d['sample'].get('time'))\n"
    "  for frame in d.get('callchain', []): frame['seen'] = 1\n"
    "def throttle(*a): print(a)\n"
    "def context_switch(*a): print(a)\n"
    "def auxtrace_error(*a): print(a)\n"
    "def trace_end(): print('end')\n";

constexpr std::string_view kNamedPython =
    "import sys\n"
    "def trace_begin(): print(sys.argv)\n"
    "def sched__sched_switch(event_name, context, *a, **b): print(event_name, a, b)\n"
    "def block__block_rq_issue(event_name, context, *a): print(event_name, a)\n"
    "def trace_unhandled(event_name, context, event_fields_dict, *a): print(event_name, event_fields_dict, a)\n"
    "def stat__interval(*a): print(a)\n";

constexpr std::string_view kEachPerl =
    "sub trace_begin { print \"begin @ARGV\\n\" }\n"
    "sub process_event { my ($e, $a, $s, $r) = @_; print join(' ', unpack('LSS', $e), length($a), length($s), "
    "length($r)), "
    "\"\\n\" }\n"
    "sub block::block_rq_issue { print join(' ', map { defined $_ ? ref $_ ? scalar @$_ : $_ : '-' } @_[2 .. $#_]), "
    "\"\\n\" }\n"
    "sub trace_unhandled { my ($n, $c, $common) = @_; print join(' ', $n, map { \"$_=\" . ($common->{$_} // '') } sort "
    "keys "
    "%$common), \"\\n\" }\n"
    "sub trace_end { print \"end\\n\" }\n";

constexpr std::string_view kMagic = "PERFILE2";

// A copy preserves the byte order.
std::string check_recording(std::string_view made) {
  return made.starts_with(kMagic) || made.starts_with("2ELIFREP") ? "" : "it has no magic number";
}

void put_file(const std::string& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

std::string replaced(std::string word, std::string_view what, const std::string& by) {
  const std::size_t at = word.find(what);
  return at == std::string::npos ? word : word.replace(at, what.size(), by);
}

}  // namespace

CommandRun::CommandRun()
    : here_(::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      out_(::memfd_create("stdout", MFD_CLOEXEC)),
      errors_(::memfd_create("stderr", MFD_CLOEXEC)) {
  namespace fs = std::filesystem;
  std::string place = fs::absolute(fs::temp_directory_path() / "peregrine-fuzz-XXXXXX").string();
  if (::mkdtemp(place.data()) == nullptr) fail_with("mkdtemp", place);
  folder_ = place;
  for (const std::string_view name : {"empty", "home", "scripts"})
    std::filesystem::create_directory(place + '/' + std::string(name));
  write_files();
  for (int fd = 0; fd < 3; ++fd) saved_[fd] = Fd(::fcntl(fd, F_DUPFD_CLOEXEC, 100));
  if (__sanitizer_set_report_fd != nullptr && saved_[2])
    __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<std::intptr_t>(saved_[2].get())));
  environment_ = {"HOME=" + place + "/home",
                  "PATH=/nonexistent",
                  "PERF_CONFIG=" + place + "/config",
                  "LC_ALL=C.UTF-8",
                  "TZ=UTC",
                  "XDG_CACHE_HOME=" + place + "/home/.cache",
                  "PERF_BUILDID_DIR=" + place + "/empty"};
}

CommandRun::~CommandRun() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void CommandRun::write_files() const {
  put_file(folder_ + "/config", "[core]\n\tsandbox = false\n");  // it would run as long as this process
  put_file(folder_ + "/kallsyms", kKallsyms);
  put_file(folder_ + "/scripts/each.py", kEachPython);
  put_file(folder_ + "/scripts/named.py", kNamedPython);
  put_file(folder_ + "/scripts/each.pl", kEachPerl);
  put_file(folder_ + "/jit-27494.dump", read_file(PEREGRINE_SEEDS "/jitdump/moved").value_or(""));
}

void CommandRun::put_recordings(Bytes recordings) const {
  const std::string_view text(reinterpret_cast<const char*>(recordings.data()), recordings.size());
  const std::size_t second = text.find(kMagic, kMagic.size());
  put_file(folder_ + "/in", text.substr(0, second));
  put_file(folder_ + "/second", second == std::string_view::npos ? text : text.substr(second));
}

std::vector<std::string> CommandRun::words_of(const CommandLine& line) const {
  std::vector<std::string> words{"peregrine"};
  std::string_view rest = line.words;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    std::string word(rest.substr(0, end));
    for (const std::string_view name : {"@in", "@second", "@out", "@empty", "@kallsyms", "@scripts"})
      word = replaced(std::move(word), name, folder_ + '/' + std::string(name.substr(1)));
    word = replaced(std::move(word), "@fixtures", PEREGRINE_FIXTURES);
    words.push_back(replaced(std::move(word), "@lines", PEREGRINE_SEEDS "/source_lines"));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return words;
}

int CommandRun::call(std::vector<std::string> words) {
  rlimit old{}, limit{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  limit = {.rlim_cur = std::min<rlim_t>(kMostOutput, old.rlim_max), .rlim_max = old.rlim_max};
  auto* const ignored = ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  {
    const Fd in(::open((folder_ + "/in").c_str(), O_RDONLY | O_CLOEXEC));
    ::dup2(in.get(), STDIN_FILENO);
    for (const auto& [fd, file] : {std::pair(STDOUT_FILENO, &out_), std::pair(STDERR_FILENO, &errors_)}) {
      static_cast<void>(::ftruncate(file->get(), 0));
      ::lseek(file->get(), 0, SEEK_SET);
      ::dup2(file->get(), fd);
    }
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  static_cast<void>(::chdir(folder_.c_str()));  // for files named in recordings
  const int code = cmd::run_program(argv, environment_);
  static_cast<void>(::fchdir(here_.get()));
  for (int fd = 0; fd < 3; ++fd) ::dup2(saved_[fd].get(), fd);
  ::setrlimit(RLIMIT_FSIZE, &old);
  ::signal(SIGXFSZ, ignored);
  return code;
}

std::string CommandRun::written_to(const Fd& fd) const {
  ::lseek(fd.get(), 0, SEEK_SET);
  return read_all(fd.get(), "output").value_or("");
}

void CommandRun::fail_with(std::string_view line, std::string_view what) const {
  const std::string text = fmt::format("== wrong output of `{}`: {}\n", line, what);
  static_cast<void>(write_all(saved_[2] ? saved_[2].get() : STDERR_FILENO, text.data(), text.size()));
  std::abort();
}

void CommandRun::check(const CommandLine& line, int code) const {
  const std::string shown = written_to(out_), said = written_to(errors_);
  if (shown.size() >= kMostOutput || said.size() >= kMostOutput) fail_with(line.words, "it does not end");
  if (code < 0 || code > 255) fail_with(line.words, fmt::format("exit code {}", code));
  if (const std::string wrong = check_text(said); !wrong.empty())
    fail_with(line.words, fmt::format("a control character on stderr: {}: {}", wrong, said.substr(0, 2000)));
  std::string made = shown;
  std::error_code none;
  if (line.words.find("@out") != std::string_view::npos) {
    if (!std::filesystem::exists(output_path(), none)) return;
    if (line.written != Written::Ctf) made = read_file(output_path()).value_or("");
    if (made.size() >= kMostOutput) fail_with(line.words, "its file does not end");
  }
  if (made.empty() && line.written != Written::Ctf) return;
  std::string wrong;
  switch (line.written) {
    case Written::Text:
      wrong = check_text(made);
      break;
    case Written::Json:
      wrong = check_json(made);
      break;
    case Written::JsonLines:
      wrong = check_json_lines(made);
      break;
    case Written::Csv:
      wrong = check_csv(made);
      break;
    case Written::SafeCsv:
      wrong = check_csv(made);
      if (wrong.empty()) wrong = check_no_formulas(made, true);
      break;
    case Written::Values:
      wrong = check_values(made);
      break;
    case Written::SafeValues:
      wrong = check_values(made);
      if (wrong.empty()) wrong = check_no_formulas(made, false);
      break;
    case Written::Xml:
      wrong = check_xml(made);
      break;
    case Written::Page:
      wrong = check_page(made);
      break;
    case Written::Pprof:
      wrong = check_pprof(made);
      break;
    case Written::Ctf:
      wrong = check_ctf(output_path());
      break;
    case Written::Recording:
      wrong = check_recording(made);
      break;
    case Written::Anything:
      break;
  }
  if (!wrong.empty()) fail_with(line.words, fmt::format("exit code {}: {}", code, wrong));
}

void CommandRun::run(const CommandTarget& target, Bytes input) {
  if (input.empty()) return;
  const CommandLine& line = target.lines[static_cast<std::size_t>(input[0]) % target.lines.size()];
  std::error_code ignored;
  std::filesystem::remove_all(output_path(), ignored);
  put_recordings(input.subspan(1));
  const int code = call(words_of(line));
  check(line, code);
  if (!keep_output_) std::filesystem::remove_all(output_path(), ignored);
}

}  // namespace peregrine
