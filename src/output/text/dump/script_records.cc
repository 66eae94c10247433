#include "output/text/dump/script_records.h"

#include <string_view>
#include <type_traits>
#include <variant>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "output/text/dump/record_text.h"
#include "output/text/field/script_frames.h"

namespace peregrine {

std::string poked_symbol(const abi::SideBand* record, Moment moment, Resolver& resolver) {
  std::string name;
  const auto* poke = record != nullptr ? std::get_if<abi::TextPokeRecord>(&record->body) : nullptr;
  if (poke == nullptr) return name;
  const Frame& frame =
      resolver.at(resolver.frame(resolver.context(0, 0, moment), poke->address, abi::misc_bit::Kernel));
  if (frame.symbol) append_symbol(name, resolver, frame, true);
  return name;
}

void put_side_band(ScriptText& out, const ReplaySideBand& record, std::string_view symbol) {
  if (record.record.type == abi::RecordType::AuxtraceError) {
    std::string error;
    append_session_record(error, record.record);
    out.room(error.size());
    return out.put(error);
  }
  std::string text = "PERF_RECORD_";
  text += abi::record_type_name(record.record.type);
  if (record.side_band != nullptr) {
    RecordLine line{.out = text, .symbol = symbol};
    append_side_band(line, record.record.type, *record.side_band);
  } else {
    text += '\n';
  }
  out.room(text.size());
  out.put(text);
}

RecordThread record_thread(const abi::SideBand& record) {
  return std::visit(
      [&](const auto& body) {
        if constexpr (
            requires { body.filename; } || requires { body.comm; } || requires { body.parent_pid; } ||
            requires { body.links; } || std::is_same_v<decltype(body), const abi::ItraceStartRecord&>) {
          return RecordThread{body.pid, body.tid};
        } else {
          return RecordThread{record.id.pid, record.id.tid};
        }
      },
      record.body);
}

}  // namespace peregrine
