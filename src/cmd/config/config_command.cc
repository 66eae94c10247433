// config: shows and changes settings.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/printable_text.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cli/frame/config_edit.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/recording/recording.h"

namespace peregrine::cmd {
namespace {

struct ConfigOptions {
  bool list = false, system = false, user = false;
};

constexpr std::string_view kConfigUsage[] = {"[<file-option>] [options] [section.name[=value] ...]"};

constexpr Option kConfigOptions[] = {
    {.name = "list", .letter = 'l', .help = "show all settings", .store = set<&ConfigOptions::list>},
    {.name = "system", .help = "read and change only /etc/perfconfig", .store = set<&ConfigOptions::system>},
    {.name = "user", .help = "read and change only ~/.perfconfig", .store = set<&ConfigOptions::user>},
};

constexpr std::string_view kConfigExamples[] = {
    "perf config report.children=false|do not accumulate callees in report by default",
    "perf config -l|show all settings",
    "perf config --user buildid.dir|show one setting from your own file",
};

// Prints the settings in order of first appearance, each with its last value, which takes effect.
void list_settings(const Config& config, Invocation& call) {
  std::vector<std::string_view> shown;
  for (const Setting& setting : config.settings()) {
    if (std::ranges::find(shown, setting.key) != shown.end()) continue;
    shown.push_back(setting.key);
    call.out.format("{}={}\n", printable(setting.key), printable(config.text(setting.key, "")));
  }
}

Result<int> handle(const std::string& text, const Config& config, const std::string& file, Invocation& call) {
  const auto word = parse_setting_word(text);
  if (!word) return refuse_verbatim(call, word.error().message);
  if (word->value) {
    PEREGRINE_TRY(change_config_file(file, word->section, word->key, *word->value));
  } else if (const auto value = config.find(setting_key(text))) {
    call.out.format("{}={}\n", printable(text), printable(*value));
  }
  return 0;
}

Result<int> config(ConfigOptions& options, Invocation& call) {
  if (options.system && options.user) return fail(ErrorKind::Usage, "only one config file at a time");
  if (options.list && !call.words.empty()) return fail(ErrorKind::Usage, "--list takes no arguments");
  const std::string file = options.system ? std::string(kSystemConfig) : call.config.user_file();
  if (file.empty()) return fail(ErrorKind::NotFound, "cannot find ~/.perfconfig: HOME is not set");
  Config only;
  if (options.system || options.user) {
    std::vector<std::string> problems;
    only = Config::of({}, read_config_file(file, false, problems));  // already reported at startup
  }
  const Config& asked = options.system || options.user ? only : call.config;
  if (call.words.empty()) list_settings(asked, call);
  for (const std::string& word : call.words) {
    auto code = handle(word, asked, file, call);
    if (!code || *code != 0) return code;
  }
  return 0;
}

}  // namespace

constinit const Command kConfig{
    .name = "config",
    .summary = "Read and change settings",
    .usage = kConfigUsage,
    .options = kConfigOptions,
    .description =
        "Shows and changes settings in /etc/perfconfig and ~/.perfconfig. If a setting is in both, ~/.perfconfig takes "
        "precedence. If PERF_CONFIG names a file, only that file is read.\n\n"
        "section.name prints one setting. section.name=value writes it to ~/.perfconfig and leaves other lines and "
        "comments unchanged.",
    .examples = kConfigExamples,
    .run = entry<ConfigOptions, config>};

}  // namespace peregrine::cmd
