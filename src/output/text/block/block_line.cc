#include "output/text/block/block_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <utility>

#include "abi/blktrace_record.h"
#include "base/bytes.h"
#include "base/text/ascii.h"
#include "output/text/format/printable.h"
#include "output/text/format/seconds_text.h"

namespace peregrine {

namespace {

using abi::BlktraceRecord;
using abi::BlockAction;

// By BlockAction; empty: not shown.
constexpr std::array<std::string_view, 17> kActionLetters = {"",  "Q", "M",  "F", "G", "S", "R", "D", "C",
                                                             "P", "U", "UT", "I", "X", "B", "A", ""};

bool is_shown_event(const BlktraceRecord& record) {
  if (record.is(abi::BlockNotice::Message)) return !up_to_nul(record.pdu).empty();
  return block_action_letters(record) != "?";
}

// The device at the start of the line: for a remapped request, the lower one.
u32 shown_device(const BlktraceRecord& record) {
  if (!record.is(BlockAction::Remap)) return record.device;
  const auto remap = abi::block_remap(record);
  return remap ? remap->to : record.device;
}

std::string device_text(const BlktraceRecord& record) {
  const u32 device = shown_device(record);
  return fmt::format("{:3},{:<3}", abi::block_major(device), abi::block_minor(device));
}

std::string block_comm(const BlockEvent& event) { return event.comm.empty() ? "(null)" : printable(event.comm); }

// "12 00 ..": trailing zeroes are cut after the first.
std::string pdu_text(Bytes pdu) {
  std::size_t end = pdu.size();
  while (end != 0 && pdu[end - 1] == std::byte{0}) --end;
  std::string text;
  for (std::size_t i = 0; i < pdu.size(); ++i) {
    text += fmt::format("{}{:02x}", i == 0 ? "" : " ", static_cast<unsigned>(pdu[i]));
    if (i == end && i + 1 != pdu.size()) return text + " ..";
  }
  return text;
}

std::string place_text(const BlktraceRecord& record) {
  return record.sectors() == 0 ? std::string() : fmt::format("{} + {} ", record.sector, record.sectors());
}

// "(    4898) ": since the step before.
std::string took_text(std::optional<u64> took) { return took ? fmt::format("({:8}) ", *took) : std::string(); }

std::string completion_text(const BlktraceRecord& record, std::optional<u64> took) {
  if (record.has(abi::block_trait::Passthrough))
    return record.pdu.empty() ? fmt::format("[{}]", record.error)
                              : fmt::format("({}) [{}]", pdu_text(record.pdu), record.error);
  if (record.sectors() != 0) return fmt::format("{}{}[{}]", place_text(record), took_text(took), record.error);
  return fmt::format("{} {}[{}]", record.sector, took_text(took), record.error);
}

std::string request_text(const BlockEvent& event, std::optional<u64> took) {
  const BlktraceRecord& record = event.record;
  const std::string comm = block_comm(event);
  if (!record.has(abi::block_trait::Passthrough))
    return fmt::format("{}{}[{}]", place_text(record), took_text(took), comm);
  if (record.pdu.empty()) return fmt::format("{} [{}]", record.bytes, comm);
  return fmt::format("{} ({}) [{}]", record.bytes, pdu_text(record.pdu), comm);
}

std::string remap_text(const BlktraceRecord& record) {
  const abi::BlockRemap remap = abi::block_remap(record).value_or(abi::BlockRemap{});
  return fmt::format("{} + {} <- ({},{}) {}", record.sector, record.sectors(), abi::block_major(remap.from),
                     abi::block_minor(remap.from), remap.from_sector);
}

// What follows the columns that all actions have.
std::string line_tail(const BlockEvent& event, std::optional<u64> took) {
  const BlktraceRecord& record = event.record;
  if (record.has(abi::block_trait::Notice)) return without_controls(up_to_nul(record.pdu));
  switch (static_cast<BlockAction>(record.action)) {
    case BlockAction::Complete:
    case BlockAction::Requeue:
      return completion_text(record, took);
    case BlockAction::Issue:
    case BlockAction::Insert:
    case BlockAction::Queue:
      return request_text(event, took);
    case BlockAction::Bounce:
    case BlockAction::BackMerge:
    case BlockAction::FrontMerge:
    case BlockAction::GetRequest:
    case BlockAction::Sleep:
      return fmt::format("{}[{}]", place_text(record), block_comm(event));
    case BlockAction::Unplug:
    case BlockAction::TimedUnplug:
      return fmt::format("[{}] {}", block_comm(event), static_cast<u32>(record.number()));
    case BlockAction::Split:
      return fmt::format("{} / {} [{}]", record.sector, static_cast<u32>(record.number()), block_comm(event));
    case BlockAction::Remap:
      return remap_text(record);
    default:
      return fmt::format("[{}]", block_comm(event));
  }
}

void print_default_line(const BlockEvent& event, u64 time, std::optional<u64> took, Sink& out) {
  const BlktraceRecord& record = event.record;
  const bool notice = record.has(abi::block_trait::Notice);
  out.format("{} {:2} {:8} {:5}.{:09} {:5} {:>2} {:>3} {}\n", device_text(record), record.cpu,
             notice ? 0 : record.sequence, time / kSecondInNs, time % kSecondInNs, record.pid,
             block_action_letters(record), abi::block_kind_text(record), line_tail(event, took));
}

std::string block_field_text(char field, const BlockEvent& event, u64 time, std::optional<u64> took) {
  const BlktraceRecord& record = event.record;
  switch (field) {
    case 'a':
      return std::string(block_action_letters(record));
    case 'c':
      return fmt::format("{}", record.cpu);
    case 'C':
      return block_comm(event);
    case 'd':
      return abi::block_kind_text(record);
    case 'D':
      return device_text(record);
    case 'e':
      return fmt::format("{}", record.error);
    case 'm':
      return fmt::format("{}", abi::block_minor(record.device));
    case 'M':
      return fmt::format("{}", abi::block_major(record.device));
    case 'n':
      return fmt::format("{}", record.sectors());
    case 'N':
      return fmt::format("{}", record.bytes);
    case 'p':
      return fmt::format("{}", record.pid);
    case 'P':
      return pdu_text(record.pdu);
    case 's':
      return fmt::format("{}", record.sequence);
    case 'S':
      return fmt::format("{}", record.sector);
    case 't':
      return fmt::format("{:09}", time % kSecondInNs);
    case 'T':
      return fmt::format("{}", time / kSecondInNs);
    case 'u':
      return took ? fmt::to_string(*took / 1000) : "-";
    default:
      return fmt::format("{}", static_cast<u32>(record.number()));
  }
}

// The value of a digit or letter behind a backslash.
char escaped_letter(char letter) {
  if (letter == 'n') return '\n';
  if (letter == 't') return '\t';
  if (letter == 'r') return '\r';
  return letter;
}

constexpr std::size_t kWidestField = 256;

}  // namespace

std::string_view block_action_letters(const BlktraceRecord& record) {
  if (record.has(abi::block_trait::Notice)) return record.is(abi::BlockNotice::Message) ? "m" : "?";
  if (record.action >= kActionLetters.size() || kActionLetters[record.action].empty()) return "?";
  return kActionLetters[record.action];
}

Result<BlockFormat> BlockFormat::parse(std::string_view text) {
  BlockFormat format;
  Piece piece;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      piece.text += escaped_letter(text[++i]);
    } else if (text[i] != '%') {
      piece.text += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == '%') {
      piece.text += text[++i];
    } else {
      ++i;
      if (i < text.size() && text[i] == '-') piece.left = true, ++i;
      for (; i < text.size() && is_digit(text[i]); ++i)
        piece.width = std::min(piece.width * 10 + static_cast<std::size_t>(text[i] - '0'), kWidestField);
      constexpr std::string_view kFields = "acCdDemMnNpPsStTuU";
      if (i >= text.size() || !kFields.contains(text[i]))
        return std::unexpected(Error{ErrorKind::Usage, fmt::format("invalid format '{}': unknown field '%{}'", text,
                                                                   text.substr(std::min(i, text.size()), 1))}
                                   .with_hint("the fields are %a %c %C %d %D %e %m %M %n %N %p %P %s %S %t %T %u %U"));
      piece.field = text[i];
      format.pieces_.push_back(std::exchange(piece, {}));
    }
  }
  format.pieces_.push_back(std::move(piece));
  return format;
}

void BlockFormat::print(const BlockEvent& event, u64 time, std::optional<u64> took, Sink& out) const {
  for (const Piece& piece : pieces_) {
    out.append(piece.text);
    if (piece.field == 0) continue;
    const std::string value = block_field_text(piece.field, event, time, took);
    if (piece.left)
      out.left(value, piece.width);
    else
      out.right(value, piece.width);
  }
}

Result<> BlockLine::use_format(std::string_view format) {
  auto parsed = BlockFormat::parse(format);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  format_ = std::move(*parsed);
  return {};
}

Result<> BlockLine::use_action_format(std::string_view action_and_format) {
  const std::size_t comma = action_and_format.find(',');
  const std::string_view action = action_and_format.substr(0, comma);
  if (comma == action_and_format.npos || action.empty() ||
      std::ranges::find(kActionLetters, action) == kActionLetters.end())
    return std::unexpected(
        Error{ErrorKind::Usage,
              fmt::format("invalid -F '{}': an action and a comma must precede the format", action_and_format)}
            .with_hint("for example -F 'D,%5T.%9t %S + %n\\n'"));
  auto parsed = BlockFormat::parse(action_and_format.substr(comma + 1));
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  by_action_.insert_or_assign(std::string(action), std::move(*parsed));
  return {};
}

void BlockLine::see(const BlktraceRecord& record) {
  if (started_ || record.has(abi::block_trait::Notice)) return;
  started_ = true;
  start_ = record.time;
}

u64 BlockLine::time_of(const BlktraceRecord& record) const {
  return record.time < start_ || !started_ ? 0 : record.time - start_;
}

void BlockLine::print(const BlockEvent& event, std::optional<u64> took) {
  const BlktraceRecord& record = event.record;
  see(record);
  if (!is_shown_event(record)) return;
  const u64 time = time_of(record);
  if (!record.has(abi::block_trait::Notice)) {
    const auto own = by_action_.find(block_action_letters(record));
    if (own != by_action_.end()) return own->second.print(event, time, took, out_);
    if (format_) return format_->print(event, time, took, out_);
  }
  print_default_line(event, time, took, out_);
}

}  // namespace peregrine
