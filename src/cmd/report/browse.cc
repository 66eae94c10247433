#include "cmd/report/browse.h"

#include <unistd.h>

#include <charconv>

#include "base/file/folder_entries.h"
#include "base/judged_file.h"
#include "cmd/report/browsed_recording.h"
#include "cmd/report/screen_files.h"
#include "cmd/report/screen_scripts.h"
#include "cmd/script/script_places.h"
#include "output/terminal/terminal.h"

namespace peregrine::cmd {

namespace {

bool is_recording(const std::string& path) {
  char magic[8] = {};
  const auto file = open_judged(path, {});
  if (!file || pread_full(file->fd.get(), magic, sizeof magic, 0).value_or(0) != sizeof magic) return false;
  const std::string_view read(magic, sizeof magic);
  return read == "PERFILE2" || read == "2ELIFREP";
}

std::vector<std::string> recordings_here(const std::string& but) {
  std::vector<std::string> names;
  for (std::string& name : names_in_folder("."))
    if (name != but && is_recording(name)) names.push_back(std::move(name));
  return names;
}

// What a view that left the screen wants: "open FILE", "time FROM%-TO%" or "time " for all of it.
void follow(const std::string& word, BrowsedRecording& recording, ReportOptions& options) {
  if (word.starts_with("open ")) {
    options.input = word.substr(5);
    options.times.clear();
    return;
  }
  double from = 0, to = 0;
  const char* end = word.data() + word.size();
  const auto first = std::from_chars(word.data() + std::min<std::size_t>(5, word.size()), end, from);
  if (first.ec != std::errc() || end - first.ptr < 3) {
    options.times.clear();
    return;
  }
  std::from_chars(first.ptr + 2, end, to);
  options.times = recording.time_range(from, to);
}

tui::ReportSettings settings_for(const ReportOptions& options, BrowsedRecording& recording, const Config& config,
                                 const std::string& program) {
  Queries& queries = recording.queries();
  tui::ReportSettings settings;
  settings.tree = options.hierarchy;
  settings.blocks = recording.shows_blocks();
  settings.value = options.graph.value;
  settings.types = options.code_with_type;
  settings.percent_limit = options.percent_limit;
  settings.filter = options.symbol_filter;
  const std::string name = recording_name(options.input);
  settings.files = [name] { return recordings_here(name); };
  settings.print = [&queries] { return write_rows(queries.page({}), "perf.hist"); };
  settings.print_code = [&recording](const AnnotatedCode& code) {
    return write_code(code, recording.event_names()[code.events[0]]);
  };
  settings.scripts = [&] { return script_choices(config, recording.event_names()); };
  settings.run_script = [name, program](const std::vector<std::string>& words, const tui::ScriptSamples& of) {
    return start_script(program, name, words, of);
  };
  settings.export_rows = [&queries](const BrowseLook& look) { return write_rows(queries.page(look), "perf.shown"); };
  return settings;
}

}  // namespace

bool wants_screen(const ReportOptions& options) {
  if (options.stdio) return false;
  const bool other = options.header || options.header_only || options.dump || options.stats || options.tasks ||
                     options.mmaps || options.threads || options.symbols_report || options.pictures.any() ||
                     !options.format.name.empty() || !options.separator.empty() || options.input == "-";
  return options.tui || !other;
}

bool has_screen(const Invocation& call) {
  const auto term = call.config.variable("TERM");
  return call.out_is_terminal && is_terminal(STDIN_FILENO) && term && !term->empty() && *term != "dumb";
}

bool wants_colors(const Invocation& call) { return call.config.variable("NO_COLOR").value_or("").empty(); }

Result<int> browse(ReportOptions& options, const std::string& symbol, Invocation& call) {
  const tui::ResizeHold hold;
  for (;;) {
    auto reader = open_recording(options.input, options.symbols.force);
    if (!reader) return say_open_error(call, options.input, reader.error());
    PEREGRINE_TRY(decode_recording(*reader, options.traces, usual_itrace(), options.symbols, call));
    options.decoded = reader->decoded != nullptr;
    auto recording = BrowsedRecording::open(std::move(*reader), options, call);
    if (!recording) return std::unexpected(std::move(recording.error()));
    (*recording)->wait_for_rows();
    std::string word;
    {
      auto screen = tui::open_screen(ScriptPlaces::find(call.config).plugins, {.colors = wants_colors(call)});
      if (!screen) return std::unexpected(std::move(screen.error()));
      tui::ReportSettings settings = settings_for(options, **recording, call.config, call.messages.program());
      tui::Browser browser(**screen, (*recording)->queries(), settings, (*recording)->hooks());
      browser.show_first(symbol);
      word = browser.run();
    }
    (*recording)->tell_problems();
    if (word.empty()) return 0;
    follow(word, **recording, options);
  }
}

std::optional<Result<int>> browse_if_wanted(ReportOptions& options, const std::string& symbol, Invocation& call) {
  if (!wants_screen(options) || !has_screen(call)) return std::nullopt;
  Result<int> shown = browse(options, symbol, call);
  if (shown || options.tui || shown.error().kind != ErrorKind::Unsupported) return shown;
  call.messages.note(shown.error().message, shown.error().hint);
  return std::nullopt;
}

}  // namespace peregrine::cmd
