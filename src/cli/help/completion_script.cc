#include "cli/help/completion_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "cli/frame/parts.h"
#include "cli/option/option.h"

namespace peregrine {

namespace {

std::string joined_with_blanks(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) text.append(text.empty() ? "" : " ").append(word);
  return text;
}

// Replaces each of the characters in `special` by what `replacement` returns for it.
template <class Replacement>
std::string replaced(std::string_view text, std::string_view special, Replacement replacement) {
  std::string result;
  for (const char c : text) {
    if (special.contains(c))
      result += replacement(c);
    else
      result += c;
  }
  return result;
}

// Returns the first line of a help text, with single blanks between its words.
std::string one_line(std::string_view help) {
  std::string text;
  for (const char c : help.substr(0, help.find('\n'))) {
    const bool blank = c == ' ' || c == '\t';
    if (!blank) text += c;
    if (blank && !text.empty() && text.back() != ' ') text += ' ';
  }
  return text;
}

// For single quotes of zsh, inside an item of _describe or a spec of _arguments, where a colon is a separator and a
// bracket ends the description.
std::string zsh_text(std::string_view help) {
  return replaced(one_line(help), ":'[]", [](char c) {
    return c == ':' ? "\\:" : c == '\'' ? "'\\''" : c == '[' ? "(" : ")";
  });
}

// For single quotes of fish.
std::string fish_text(std::string_view help) {
  return replaced(one_line(help), "'\\", [](char c) { return std::string("\\") + c; });
}

// A command or a subcommand for completion.
struct Place {
  const Command* command = nullptr;
  std::string path;                     // "sched latency"
  std::vector<Option> options;          // those of the command, and of the command it passes options to
  std::vector<Place> parts;             // subcommands
  std::vector<std::string_view> words;  // values of the first argument, such as names of parts
};

Place make_place(const Command& command, std::string path) {
  Place place{.command = &command,
              .path = std::move(path),
              .options = all_options(command),
              .parts = {},
              .words = subcommand_words(command)};
  std::erase_if(place.options, [](const Option& option) { return option.shown != Shown::Everywhere; });
  for (const Command* part : command.parts)
    if (part->shown == Shown::Everywhere)
      place.parts.push_back(make_place(*part, fmt::format("{} {}", place.path, short_name(*part))));
  return place;
}

std::vector<Place> make_places(std::span<const Command* const> commands) {
  std::vector<Place> places;
  for (const Command* command : commands)
    if (command->shown == Shown::Everywhere) places.push_back(make_place(*command, std::string(command->name)));
  return places;
}

template <class Each>
void for_each_place(std::span<const Place> places, Each each) {
  for (const Place& place : places) {
    each(place);
    for_each_place(place.parts, each);
  }
}

// "'report -s'|'report --sort'|'report --sort='": where bash completes the option's value.
std::string bash_pattern(const Place& place, const Option& option) {
  std::string pattern;
  const auto add = [&](std::string_view prefix, std::string_view name, std::string_view suffix) {
    pattern += fmt::format("{}'{} {}{}{}'", pattern.empty() ? "" : "|", place.path, prefix, name, suffix);
  };
  const bool next_word = option.value != Value::Sticky;
  if (next_word && option.letter != 0) add("-", std::string_view(&option.letter, 1), "");
  if (next_word && !option.name.empty()) add("--", option.name, "");
  if (!option.name.empty()) add("--", option.name, "=");
  return pattern;
}

std::string bash_value_case(std::string_view program, const Place& place, const Option& option) {
  const std::string words = value_words(option), pattern = bash_pattern(place, option);
  if (words.empty() || pattern.empty()) return {};
  if (option.words == nullptr)
    return fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$current\")); return ;;\n", pattern, words);
  return fmt::format("    {}) _{}_list '{}' \"$current\"; return ;;\n", pattern, program, words);
}

// "'sched latency') options='--pid ' ;;"
std::string bash_place_case(const Place& place) {
  std::string options, valued;
  for (const Option& option : place.options) {
    if (!option.name.empty()) options += fmt::format("--{} ", option.name);
    if (option.value != Value::Required && option.value != Value::NextWord) continue;
    if (option.letter != 0) valued += fmt::format("-{} ", option.letter);
    if (!option.name.empty()) valued += fmt::format("--{} ", option.name);
  }
  const std::string_view quote = place.path.contains(' ') ? "'" : "";
  std::string text = fmt::format("    {0}{1}{0}) options='{2}'", quote, place.path, options);
  if (!place.words.empty())
    text += fmt::format(" subcommands='{}' valued='{}'", joined_with_blanks(place.words), valued);
  else if (!place.parts.empty() || place.path.contains(' '))
    text += " subcommands=";
  return text + " ;;\n";
}

// {0}: the program, {1}: its commands, {2}: a case for each command and subcommand, {3}: a case for each value.
constexpr std::string_view kBashScript = R"script(# bash completion for {0}: source this file, or save it as
# ~/.local/share/bash-completion/completions/{0}
_{0}_list() {{  # words, list: completes the last word of the list
  local before= last=$2
  case $2 in *,*) before=${{2%,*}},; last=${{2##*,}} ;; esac
  COMPREPLY=($(compgen -P "$before" -W "$1" -- "$last"))
}}
_{0}_symbols() {{  # program: prints the functions of perf.data, unless it is large
  [ -n "$(find perf.data -maxdepth 0 -size -16M 2>/dev/null)" ] || return
  "$1" report --stdio -q -g none --no-children -s sym 2>/dev/null </dev/null | sed -n 's/^.*% *\[.\] \([^ ]*\).*$/\1/p'
}}
_{0}_place() {{  # command: sets its options, its subcommands, and its options that take a value
  case $1 in
{2}    *) subcommands= ;;
  esac
}}
_{0}() {{
  local -a words=("${{COMP_WORDS[@]}}")
  local cword=$COMP_CWORD current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command= options= subcommands= valued= equals= word
  COMPREPLY=()
  # Names of tracepoints contain a colon, at which bash breaks words.
  declare -F _get_comp_words_by_ref >/dev/null && _get_comp_words_by_ref -n : -c current -p previous -w words -i cword
  # It also breaks --option=value.
  if [ "$current" = = ]; then
    current= equals==
  elif [ "$previous" = = ]; then
    previous=${{words[cword-2]}} equals==
  fi
  for word in "${{words[@]:1:cword-1}}"; do
    case $word in -*) continue ;; esac
    if [ -z "$command" ]; then
      command=$word
    else
      case " $subcommands " in *" $word "*) command="$command $word" ;; *) continue ;; esac
    fi
    _{0}_place "$command"
  done
  if [ -z "$command" ]; then
    COMPREPLY=($(compgen -W '{1} --help --version --no-pager' -- "$current"))
    return
  fi
  case $previous in
    -e|--event|--expr)
      word=$("${{COMP_WORDS[0]}}" list --raw-dump 2>/dev/null)
      # trace takes names of system calls, too.
      [ "$command" = trace ] && word="$word $(printf '%s\n' $word | sed -n 's/^syscalls:sys_enter_//p')"
      _{0}_list "$word" "$current"
      declare -F __ltrim_colon_completions >/dev/null && __ltrim_colon_completions "$current"
      return ;;
  esac
  case "$command $previous$equals" in
{3}  esac
  [ -n "$equals" ] && return
  case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")); return ;;
  esac
  if [ "$command" = annotate ]; then
    COMPREPLY=($(compgen -W "$(_{0}_symbols "${{COMP_WORDS[0]}}")" -- "$current"))
    return
  fi
  case " $valued " in
    *" $previous "*) ;;
    *) COMPREPLY=($(compgen -W "$subcommands" -- "$current")) ;;
  esac
}}
complete -o default -F _{0} {0}
)script";

std::string bash_script(std::string_view program, std::span<const Command* const> commands) {
  std::string cases, values;
  for_each_place(make_places(commands), [&](const Place& place) {
    cases += bash_place_case(place);
    for (const Option& option : place.options) values += bash_value_case(program, place, option);
  });
  return fmt::format(kBashScript, program, command_words(commands), cases, values);
}

// Whether `list --raw-dump` prints its values.
bool takes_events(const Option& option) { return option.name == "event" && option.letter == 'e'; }

// The optional value of a spec of _arguments: ":name:action".
std::string zsh_value(std::string_view program, const Option& option) {
  if (option.value == Value::None) return {};
  const std::string words = value_words(option);
  const std::string action = takes_events(option)
                                 ? fmt::format("_sequence compadd - $({} list --raw-dump 2>/dev/null)", program)
                             : words.empty()           ? std::string("_files")
                             : option.words == nullptr ? fmt::format("({})", words)
                                                       : fmt::format("_sequence compadd - {}", words);
  return fmt::format("{}{}:{}", option.value == Value::Required ? ":" : "::", zsh_text(option.metavar), action);
}

// The code that completes a command's arguments: its options, and those of its subcommands after the subcommand's name.
std::string zsh_arguments(std::string_view program, const Place& place, std::size_t indent) {
  std::string text = fmt::format("{:{}}_arguments -s -C \\\n", "", indent);
  for (const Option& option : place.options) {
    const std::string value = zsh_value(program, option), help = zsh_text(help_text(option));
    if (option.letter != 0) text += fmt::format("{:{}}  '-{}[{}]{}' \\\n", "", indent, option.letter, help, value);
    if (!option.name.empty())
      text += fmt::format("{:{}}  '--{}{}[{}]{}' \\\n", "", indent, option.name, value.empty() ? "" : "=", help, value);
  }
  if (!place.words.empty())
    text += fmt::format("{:{}}  '1:subcommand:({})' \\\n", "", indent, joined_with_blanks(place.words));
  if (place.parts.empty()) return text + fmt::format("{:{}}  '*::word:_files'\n", "", indent);
  text += fmt::format("{:{}}  '*::argument:->argument'\n", "", indent);
  text +=
      fmt::format("{0:{1}}if [[ $state == argument ]]; then\n{0:{1}}  state=\n{0:{1}}  case $line[1] in\n", "", indent);
  for (const Place& part : place.parts)
    text += fmt::format("{0:{1}}  {2})\n{3}{0:{1}}    ;;\n", "", indent, short_name(*part.command),
                        zsh_arguments(program, part, indent + 4));
  return text + fmt::format("{0:{1}}  esac\n{0:{1}}fi\n", "", indent);
}

std::string zsh_script(std::string_view program, std::span<const Command* const> commands) {
  std::string names, cases;
  for (const Place& place : make_places(commands)) {
    names += fmt::format("    '{}:{}'\n", place.path, zsh_text(place.command->summary));
    cases += fmt::format("      {})\n{}        ;;\n", place.path, zsh_arguments(program, place, 8));
  }
  return fmt::format(R"script(#compdef {0}
# zsh completion for {0}: save it as _{0} in a directory of $fpath
_{0}() {{
  local -a names
  names=(
{1}  )
  local curcontext=$curcontext context state state_descr line
  typeset -A opt_args
  _arguments -C '1:command:->command' '*::argument:->argument'
  case $state in
  command) _describe command names ;;
  argument)
    state=
    case $line[1] in
{2}    esac ;;
  esac
}}
_{0} "$@"
)script",
                     program, names, cases);
}

// The fish condition for what follows a command, or a subcommand with the commands before it. `others`: the commands
// that have a subcommand with the same name.
std::string fish_condition(std::string_view path, std::span<const std::string_view> others) {
  std::string text;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(' '), path.size());
    text += fmt::format("{}__fish_seen_subcommand_from {}", text.empty() ? "" : "; and ", path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  if (!others.empty()) text += fmt::format("; and not __fish_seen_subcommand_from {}", joined_with_blanks(others));
  return text;
}

std::string fish_lines(std::string_view program, const Place& place, const std::string& condition) {
  std::string text;
  std::vector<std::string_view> typed = place.words;  // once one of these is typed, no more are offered
  std::erase(typed, place.path);                      // `help` has itself among its arguments
  const auto offer = [&](std::string_view words, std::string_view description) {
    text += fmt::format("complete -c {} -n '{}; and not __fish_seen_subcommand_from {}' -f -a '{}'", program, condition,
                        joined_with_blanks(typed), words);
    text += description.empty() ? "\n" : fmt::format(" -d '{}'\n", fish_text(description));
  };
  if (place.parts.empty() && !place.words.empty()) offer(joined_with_blanks(place.words), "");
  for (const Place& part : place.parts) offer(short_name(*part.command), part.command->summary);
  for (const Option& option : place.options) {
    text += fmt::format("complete -c {} -n '{}'", program, condition);
    if (option.letter != 0) text += fmt::format(" -s {}", option.letter);
    if (!option.name.empty()) text += fmt::format(" -l {}", option.name);
    const std::string words = takes_events(option)
                                  ? fmt::format("({} list --raw-dump 2>/dev/null | string split \" \")", program)
                                  : value_words(option);
    if (!words.empty())
      text += fmt::format("{} -a '{}'", option.words == nullptr && !takes_events(option) ? " -f" : "", words);
    text += fmt::format("{} -d '{}'\n", option.value == Value::Required ? " -r" : "", fish_text(help_text(option)));
  }
  return text;
}

std::string fish_script(std::string_view program, std::span<const Command* const> commands) {
  std::string text =
      fmt::format("# fish completion for {0}: save it as ~/.config/fish/completions/{0}.fish\n", program);
  const std::vector<Place> places = make_places(commands);
  for (const Place& place : places)
    text += fmt::format("complete -c {} -n __fish_use_subcommand -f -a {} -d '{}'\n", program, place.path,
                        fish_text(place.command->summary));
  for_each_place(places, [&](const Place& place) {
    std::vector<std::string_view> others;
    for (const Place& other : places)
      if (other.path != place.path && std::ranges::find(other.words, place.path) != other.words.end())
        others.push_back(other.path);
    text += fish_lines(program, place, fish_condition(place.path, others));
  });
  return text;
}

}  // namespace

Result<std::string> completion_script(std::string_view shell, std::string_view program,
                                      std::span<const Command* const> commands) {
  if (shell == "bash") return bash_script(program, commands);
  if (shell == "zsh") return zsh_script(program, commands);
  if (shell == "fish") return fish_script(program, commands);
  return fail(ErrorKind::Usage, "unknown shell '{}': must be one of bash, zsh, fish", shell);
}

std::string command_words(std::span<const Command* const> commands) {
  std::string words;
  for (const Command* command : commands)
    if (command->shown == Shown::Everywhere) words += fmt::format("{}{}", words.empty() ? "" : " ", command->name);
  return words;
}

std::vector<std::string_view> subcommand_words(const Command& command) {
  std::vector<std::string_view> words;
  if (command.first_words != nullptr) words = command.first_words();
  for (const Command* part : command.parts)
    if (part->shown == Shown::Everywhere) words.push_back(short_name(*part));
  return words;
}

std::string subcommand_list(const Command& command) {
  std::string words;
  for (const std::string_view word : subcommand_words(command)) words += fmt::format("{} ", word);
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
