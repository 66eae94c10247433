#include "output/tui/menu/script_menu.h"

#include <cstddef>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "output/tui/menu/output_view.h"
#include "output/tui/menu/popup.h"

namespace peregrine::tui {

namespace {

Answer ask_words(const ReportSettings& settings, std::vector<std::string> words, const ScriptSamples& of) {
  return {.kind = Answer::Kind::Swap,
          .view = std::make_unique<PromptView>(
              "script arguments:", "", [](const std::string&) {},
              [&settings, words = std::move(words), of](const std::string& text, bool accepted) {
                if (!accepted) return Answer{.kind = Answer::Kind::Back};
                std::vector<std::string> all = words;
                std::istringstream in(text);
                for (std::string word; in >> word;) all.push_back(word);
                return run_script(settings, all, of);
              })};
}

}  // namespace

Answer run_script(const ReportSettings& settings, const std::vector<std::string>& words, const ScriptSamples& of) {
  auto source = settings.run_script(words, of);
  if (!source)
    return {.kind = Answer::Kind::Swap,
            .view = std::make_unique<TextView>(" Script ", source.error().message + "\n" + source.error().hint)};
  std::string title = "script";
  for (const std::string& word : words) title += " " + word;
  return {.kind = Answer::Kind::Swap, .view = std::make_unique<OutputView>(std::move(title), std::move(*source))};
}

Answer choose_script(const ReportSettings& settings, ScriptSamples of) {
  const std::vector<ScriptChoice> scripts = settings.scripts ? settings.scripts() : std::vector<ScriptChoice>();
  if (scripts.empty())
    return {.kind = Answer::Kind::Open, .view = std::make_unique<TextView>(" Scripts ", "No scripts available.")};
  std::vector<std::string> lines;
  for (const ScriptChoice& script : scripts) lines.push_back(script.title);
  std::string title = " Scripts for all samples ";
  if (!of.symbol.empty()) title = " Scripts for samples of " + of.symbol + " ";
  if (!of.comm.empty()) title = " Scripts for samples of " + of.comm + " ";
  return {.kind = Answer::Kind::Open,
          .view = std::make_unique<MenuView>(
              std::move(title), std::move(lines), [&settings, scripts, of = std::move(of)](std::size_t chosen) {
                const ScriptChoice& script = scripts[chosen];
                return script.asks ? ask_words(settings, script.words, of) : run_script(settings, script.words, of);
              })};
}

}  // namespace peregrine::tui
