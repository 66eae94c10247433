#include "cmd/script/script_generate.h"

#include "base/file/replace_file.h"
#include "cmd/script/script_places.h"
#include "pipeline/replay/recorded_formats.h"
#include "script/generate.h"
#include "session/event_names.h"

namespace peregrine::cmd {

Result<int> generate_script(const std::string& language, const data::Reader& reader, Invocation& call) {
  const auto chosen = find_language(language);
  if (!chosen) return fail(ErrorKind::Usage, "invalid language specifier: python and perl are known");
  const bool python = *chosen == script::Language::Python;
  auto recorded = recorded_formats(reader);
  const TraceFormats formats = recorded ? std::move(*recorded) : TraceFormats();
  const std::vector<std::string> names = event_names(reader);
  std::vector<script::EventPlan> events;
  for (std::size_t i = 0; i < reader.evlist().size(); ++i) {
    const data::Event& event = reader.evlist()[i];
    if (event.attr.type != static_cast<u32>(abi::EventType::Tracepoint)) continue;
    events.push_back(script::plan_event(event, names[i], formats.format(event.attr.config),
                                        formats.print_format(event.attr.config)));
  }
  const std::string file = python ? "perf-script.py" : "perf-script.pl";
  const std::string text = python ? script::python_script(events) : script::perl_script(events);
  PEREGRINE_TRY(replace_file(file, text, 0600));
  call.out.format("generated {} script: {}\n", python ? "Python" : "Perl", file);
  return 0;
}

}  // namespace peregrine::cmd
