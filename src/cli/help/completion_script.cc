#include "cli/help/completion_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/option/option.h"

namespace peregrine {

namespace {

// Returns the first line of a help text without characters that are special in the shells or in the scripts' syntax.
std::string plain(std::string_view help) {
  std::string text;
  for (const char c : help.substr(0, help.find('\n'))) {
    if (c == '\'' || c == '`' || c == '"' || c == '\\') continue;
    text += c == '[' ? '(' : c == ']' ? ')' : c == '\t' || c == ':' ? ' ' : c;
  }
  return text;
}

// Calls `each` for every option that a shell should offer, including those of the command's parts.
template <class Each>
void for_shown(const Command& command, Each each) {
  std::vector<const Option*> offered;
  const auto offer = [&](const Option& option) {
    const bool known = std::ranges::any_of(
        offered, [&](const Option* other) { return other->name == option.name && other->letter == option.letter; });
    if (option.shown != Shown::Everywhere || known) return;
    offered.push_back(&option);
    each(option);
  };
  for (const Option& option : command.options) offer(option);
  if (command.passes_to != nullptr)
    for (const Option& option : command.passes_to->options) offer(option);
  for (const Command* part : command.parts) {
    for (const Option& option : part->options) offer(option);
    for (const Command* inner : part->parts)
      for (const Option& option : inner->options) offer(option);
  }
}

// "'report -s'|'report --sort') …": completes the last word of the list.
std::string bash_list_case(std::string_view program, std::string_view command, const Option& option) {
  std::string pattern = option.letter == 0 ? std::string() : fmt::format("'{} -{}'", command, option.letter);
  if (!option.name.empty()) pattern += fmt::format("{}'{} --{}'", pattern.empty() ? "" : "|", command, option.name);
  return fmt::format("    {}) _{}_list '{}' \"$current\"; return ;;\n", pattern, program, value_words(option));
}

std::string bash_script(std::string_view program, std::span<const Command* const> commands) {
  std::string cases, lists;
  for (const Command* command : commands) {
    std::string words;
    for_shown(*command, [&](const Option& option) {
      if (!option.name.empty()) words += fmt::format("--{} ", option.name);
      if (option.words != nullptr) lists += bash_list_case(program, command->name, option);
    });
    cases += fmt::format("    {}) options='{}' ;;\n", command->name, words);
  }
  return fmt::format(R"script(# bash completion for {0}: source this file, or save it as
# ~/.local/share/bash-completion/completions/{0}
_{0}_list() {{  # words, list: completes the last word of the list
  local before= last=$2
  case $2 in *,*) before=${{2%,*}},; last=${{2##*,}} ;; esac
  COMPREPLY=($(compgen -P "$before" -W "$1" -- "$last"))
}}
_{0}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command= options= word
  COMPREPLY=()
  # Names of tracepoints hold a colon, at which bash breaks words.
  declare -F _get_comp_words_by_ref >/dev/null && _get_comp_words_by_ref -n : -c current -p previous
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in -*) ;; *) command=$word; break ;; esac
  done
  if [ -z "$command" ]; then
    COMPREPLY=($(compgen -W '{1} --help --version --no-pager' -- "$current"))
    return
  fi
  case $previous in
    -e|--event)
      _{0}_list "$("${{COMP_WORDS[0]}}" list --raw-dump 2>/dev/null)" "$current"
      declare -F __ltrim_colon_completions >/dev/null && __ltrim_colon_completions "$current"
      return ;;
  esac
  case "$command $previous" in
{3}  esac
  case $command in
{2}    help) options='{1}' ;;
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) [ "$command" = help ] && COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
  esac
}}
complete -o default -F _{0} {0}
)script",
                     program, command_words(commands), cases, lists);
}

std::string zsh_script(std::string_view program, std::span<const Command* const> commands) {
  std::string names, cases;
  for (const Command* command : commands) {
    if (command->shown == Shown::Hidden) continue;
    names += fmt::format("    '{}:{}'\n", command->name, plain(command->summary));
    std::string specs;
    for_shown(*command, [&](const Option& option) {
      const std::string_view kind = option.value == Value::None ? "" : option.value == Value::Required ? ":" : "::";
      const std::string words = value_words(option);
      const std::string action = words.empty() ? std::string("_files") : fmt::format("_sequence compadd - {}", words);
      const std::string value = kind.empty() ? "" : fmt::format("{}{}:{}", kind, plain(option.metavar), action);
      if (option.letter != 0)
        specs += fmt::format("        '-{}[{}]{}' \\\n", option.letter, plain(help_text(option)), value);
      if (!option.name.empty())
        specs += fmt::format("        '--{}{}[{}]{}' \\\n", option.name, kind.empty() ? "" : "=",
                             plain(help_text(option)), value);
    });
    cases += fmt::format("      {}) _arguments -s \\\n{}        '*::word:_files' ;;\n", command->name, specs);
  }
  return fmt::format(R"script(#compdef {0}
# zsh completion for {0}: save it as _{0} in a directory of $fpath
_{0}() {{
  local -a names
  names=(
{1}  )
  local context state line
  _arguments -C '1:command:->command' '*::argument:->argument'
  case $state in
  command) _describe command names ;;
  argument)
    case $line[1] in
{2}    esac ;;
  esac
}}
_{0} "$@"
)script",
                     program, names, cases);
}

std::string fish_script(std::string_view program, std::span<const Command* const> commands) {
  std::string text =
      fmt::format("# fish completion for {0}: save it as ~/.config/fish/completions/{0}.fish\n", program);
  for (const Command* command : commands) {
    if (command->shown == Shown::Hidden) continue;
    text += fmt::format("complete -c {} -n __fish_use_subcommand -f -a {} -d '{}'\n", program, command->name,
                        plain(command->summary));
    for_shown(*command, [&](const Option& option) {
      text += fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}'", program, command->name);
      if (option.letter != 0) text += fmt::format(" -s {}", option.letter);
      if (!option.name.empty()) text += fmt::format(" -l {}", option.name);
      if (option.words != nullptr) text += fmt::format(" -a '{}'", value_words(option));
      text += fmt::format("{} -d '{}'\n", option.value == Value::Required ? " -r" : "", plain(help_text(option)));
    });
  }
  return text;
}

}  // namespace

Result<std::string> completion_script(std::string_view shell, std::string_view program,
                                      std::span<const Command* const> commands) {
  if (shell == "bash") return bash_script(program, commands);
  if (shell == "zsh") return zsh_script(program, commands);
  if (shell == "fish") return fish_script(program, commands);
  return fail(ErrorKind::Usage, "no completion for the shell `{}': bash, zsh and fish are known", shell);
}

std::string command_words(std::span<const Command* const> commands) {
  std::string words;
  for (const Command* command : commands)
    if (command->shown == Shown::Everywhere) words += fmt::format("{}{}", words.empty() ? "" : " ", command->name);
  return words;
}

std::string option_words(const Command& command) {
  std::string words;
  for (const Option& option : command.options)
    if (!option.name.empty() && (option.shown == Shown::Everywhere || option.since == Since::LinuxPerf))
      words += fmt::format("--{} ", option.name);
  return words;
}

}  // namespace peregrine
