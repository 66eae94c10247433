// annotate --data-type, --type-stat and --insn-stat: types of data that a recording's instructions touch.
#include "base/text/words.h"
#include "cmd/annotate/annotate_options.h"
#include "output/text/annotate/type_page.h"
#include "session/annotate/type_annotator.h"
#include "session/event_names.h"
#include "session/recording_read.h"
#include "session/report/event_tables.h"

namespace peregrine::cmd {
namespace {

void print_types(const AnnotateOptions& options, const data::Reader& reader, const RecordedTypeHits& hits,
                 Invocation& call) {
  const TypeRequest request{.type = options.data_type,
                            .percent_limit = options.percent_limit,
                            .skip_empty = options.skip_empty,
                            .style = annotate_style(options, call.out_is_terminal),
                            .format = options.format.name};
  const u64 printed = print_data_types(request, hits, event_tables(reader.evlist(), options.group, options.group_given),
                                       event_names(reader), reader.evlist(), call.out);
  if (printed == 0 && !options.data_type.empty())
    call.messages.note(fmt::format("no sample touches data of type {}", options.data_type),
                       fmt::format("see the types with: {} report -s type", call.messages.program()));
  if (options.type_counts || options.instruction_counts) return;
  if (const std::string text = unknown_types_text(hits.unknown, hits.samples()); !text.empty())
    call.messages.warning(text);
}

}  // namespace

Result<int> annotate_types(const AnnotateOptions& options, OpenedRecording& reader, ReplayOptions replay_options,
                           Invocation& call) {
  if (!options.format.name.empty() && (options.type_counts || options.instruction_counts))
    return fail(ErrorKind::Usage, "--format {} writes types of data, not --type-stat and --insn-stat",
                options.format.name);
  Machine machine(symbol_places(options.symbols, call, reader));
  DataTypeTable table(machine.dsos());
  std::unordered_set<std::string> dsos;
  add_words(dsos, options.dsos);
  TypeHitCollector collector(table, std::move(dsos), options.instruction_counts);
  const auto read = read_recording(reader, machine, collector,
                                   {.replay = std::move(replay_options), .file = options.file()}, call.messages);
  if (!read) return std::unexpected(read.error());
  warn_about_losses(call, read->account, reader.account());
  const RecordedTypeHits hits = collector.hits(reader.evlist().size());
  if (hits.samples() == 0) return say_nothing_found(options, false, call);
  if (options.type_counts) print_type_counts(call.out, hits);
  if (options.instruction_counts) print_instruction_counts(call.out, hits);
  if (options.by_type) print_types(options, reader, hits, call);
  if (!read->outcome) return std::unexpected(read->outcome.error());
  return 0;
}

}  // namespace peregrine::cmd
