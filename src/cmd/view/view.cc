// view: a recording as a timeline, on the terminal or as a page for a browser.
#include <fmt/format.h>

#include <array>
#include <expected>
#include <string>
#include <string_view>

#include "analysis/timeline/timeline_queries.h"
#include "base/number/quantity.h"
#include "base/result.h"
#include "base/types.h"
#include "cli/frame/command.h"
#include "cli/frame/version.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/recording/recording_rows.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/report/browse.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/sandbox/page_opener.h"
#include "cmd/script/script_places.h"
#include "output/tui/timeline/timeline_screen.h"
#include "session/sandbox/reader_sandbox.h"
#include "session/view/view_session.h"

namespace peregrine::cmd {

namespace {

struct ViewOptions {
  TracedInput input;
  SymbolOptions symbols;
  std::string page, title, times;
  bool tui = false, open = false;
  u64 size_limit = ViewRequest().page_bytes;

  static constexpr std::string_view kOpened = "--html FILE";
  std::string opened_file() const { return page; }
  ReaderNeeds needs() const { return {.inputs = {input.path}, .outputs = {page}, .screen = page.empty()}; }
};

Result<u64> parse_size_limit(std::string_view text) {
  if (const auto bytes = parse_bytes(text)) return *bytes;
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("invalid --size-limit '{}'", text)}.with_hint(
      "must be a number with suffix B, K, M or G, such as 100M"));
}

constexpr std::array kViewOptions{
    kForceRow<&ViewOptions::input, &TracedInput::force>,
    kInputRow<&ViewOptions::input, &TracedInput::path>,
    Option{.name = "html",
           .letter = 'o',
           .value = Value::Required,
           .metavar = "file",
           .help = "write a page for a browser to this file, instead of using the terminal",
           .store = set<&ViewOptions::page>},
    Option{.name = "open", .help = "open the page in $BROWSER", .store = set<&ViewOptions::open>},
    Option{.name = "size-limit",
           .value = Value::Required,
           .metavar = "size",
           .help = "limit the size of the page (default: 256M); details beyond it are left out, with a warning",
           .store = set_parsed<&parse_size_limit, &ViewOptions::size_limit>},
    Option{.name = "time",
           .value = Value::Required,
           .metavar = "start,stop",
           .help = "show only this time span, in seconds or percent; start or stop may be omitted",
           .store = set<&ViewOptions::times>},
    Option{.name = "title",
           .value = Value::Required,
           .metavar = "text",
           .help = "title of the page",
           .store = set<&ViewOptions::title>},
    Option{.name = "tui",
           .help = "open the interactive screen (the default on a terminal)",
           .store = set<&ViewOptions::tui>},
    kKallsymsRow<&ViewOptions::symbols, &SymbolOptions::kallsyms>,
    kSymfsRow<&ViewOptions::symbols, &SymbolOptions::symfs>,
    kVmlinuxRow<&ViewOptions::symbols, &SymbolOptions::vmlinux>,
};

bool wants_view_screen(const ViewOptions& options) { return options.page.empty(); }

Result<int> view(ViewOptions& options, Invocation& call) {
  if (options.tui && !options.page.empty()) return fail(ErrorKind::Usage, "--tui and --html cannot be used together");
  if (options.page.empty() && !has_screen(call))
    return std::unexpected(Error{ErrorKind::Usage, "view needs a terminal to show the timeline on"}.with_hint(
        "write a page for a browser with --html FILE"));
  options.symbols.force = options.input.force;
  auto recording = open_traced(options.input, options.symbols, call);
  if (!recording) return kNotOpened;
  if (!options.page.empty()) {
    const ViewRequest request{.times = options.times,
                              .page = options.page,
                              .title = options.title,
                              .creator = creator_name(),
                              .page_bytes = options.size_limit};
    PEREGRINE_TRY(write_timeline(*recording, request, call.out, call.messages));
    return 0;
  }
  const auto timeline = read_timeline(*recording, options.times, nullptr, call.messages);
  if (!timeline) return std::unexpected(timeline.error());
  TimelineQueries queries(*timeline);
  PEREGRINE_TRY(tui::show_timeline(ScriptPlaces::find(call.config).plugins, {.colors = wants_colors(call)}, queries,
                                   recording_name(options.input.path)));
  return 0;
}

constexpr std::string_view kViewUsage[] = {"[<options>]"};
constexpr std::string_view kViewDescription =
    "Shows a recording as a timeline: what each CPU and each task did, and every event with its fields. Use it to find "
    "out why something took long at one moment, which averages do not tell.\n\n"
    "On a terminal, view opens a screen with lanes above and events below; `?` lists its keys. With `--html`, it "
    "writes one page for a browser, which loads nothing else and can be sent to others. Its lanes are CPUs, tasks by "
    "process, events, disks and cgroups, as far as the recording has them.\n\n"
    "What it draws depends on the recorded events: `sched:*` gives what CPUs and tasks did and who woke whom, "
    "`raw_syscalls:*` the system calls, `irq:*` the interrupts, `block:*` the disks, `power:*` frequencies and idle "
    "states, and `cpu-clock` or other sampled events the stacks of flame graphs.";
constexpr std::string_view kViewExamples[] = {
    "perf record -a -e 'sched:*,irq:*,raw_syscalls:*,cpu-clock' -- sleep 10|record everything that view draws",
    "perf view|on the terminal",
    "perf view --html view.html|as a page for a browser",
    "perf view --html - --time 10%-20% \\> part.html|only a tenth of the time",
};

}  // namespace

constinit const Command kView{.name = "view",
                              .summary = "Show a timeline of CPUs, tasks and events",
                              .usage = kViewUsage,
                              .options = kViewOptions,
                              .takes_screen = screen<ViewOptions, wants_view_screen>,
                              .description = kViewDescription,
                              .examples = kViewExamples,
                              .since = Since::Ours,
                              .run = entry<ViewOptions, opening<ViewOptions, confined<ViewOptions, view>>>};

}  // namespace peregrine::cmd
