// The key r of screens: runs `script` on the recording in another process, and reads its output as it arrives.
#pragma once
#include "cli/frame/command.h"
#include "output/tui/screen/settings.h"

namespace peregrine::cmd {

// Samples one by one, words of the user's own, and of the installed scripts those whose events were recorded.
// `events`: names of the recorded ones.
std::vector<tui::ScriptChoice> script_choices(const Config& config, const std::vector<std::string>& events);
// Both outputs are its text. What it starts ends with it. `program`: its name in messages.
Result<std::unique_ptr<tui::TextSource>> start_script(const std::string& program, const std::string& recording,
                                                      const std::vector<std::string>& words,
                                                      const tui::ScriptSamples& of);

}  // namespace peregrine::cmd
