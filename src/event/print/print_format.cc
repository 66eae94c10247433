#include "event/print/print_format.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "base/bytes.h"
#include "base/number/parse_number.h"
#include "base/text/printable_text.h"
#include "base/types.h"
#include "event/field/trace_value.h"
#include "event/print/print_address.h"
#include "event/print/print_fields.h"
#include "event/print/print_number.h"
#include "event/print/print_parser.h"
#include "event/print/print_program.h"
#include "event/print/print_string.h"

namespace peregrine {

namespace {

using StepKind = PrintStep::Kind;

// Parses lines such as "0xffffffff81234567 : \"text\\n\"".
std::unordered_map<u64, std::string> parse_printk_formats(std::string_view text) {
  std::unordered_map<u64, std::string> strings;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto open = line.find('"'), close = line.rfind('"');
    if (!line.starts_with("0x") || open == line.npos || close <= open) continue;
    std::string_view digits = line.substr(2);
    const u64 address = take_number<u64>(digits, 16).value_or(0);
    std::string string(line.substr(open + 1, close - open - 1));
    if (string.ends_with("\\n")) string.resize(string.size() - 2);
    strings.emplace(address, std::move(string));
  }
  return strings;
}

// Runs the steps of one program on one record. all() writes the common steps straight into the buffer through `to`;
// room for them is reserved before each step. Other steps go through general(), which needs the buffer's end to be up
// to date.
class PrintRun {
 public:
  PrintRun(const PrintFormat::Program& program, TextBuffer& out, Bytes record, AddressNames* names)
      : program_(program), out_(out), record_(record), names_(names) {}

  void all();

 private:
  char* chars(char* to, const PrintStep& step) const;
  bool is_unavailable(const PrintStep& step) const {
    return step.mask_bit != TraceField::kAlwaysAvailable &&
           (load_number(record_, step.mask_offset, 8, program_.order) >> step.mask_bit & 1) != 0;
  }
  char* unavailable(char* to, const PrintStep& step) const;
  u64 value(u32 node) const { return evaluate(program_, node, record_); }
  Bytes bytes(u32 node) const { return evaluate_bytes(program_, node, record_); }
  u64 field(const PrintStep& step) const {
    const u64 whole = load_number(record_, step.offset, step.bytes, program_.order);
    return step.kept >= step.bytes ? whole : whole & ((u64{1} << (8 * step.kept)) - 1);
  }
  PrintSpec spec(const PrintStep& step) const;
  void general(const PrintStep& step);
  void general_text(const PrintStep& step);
  void pointer(u64 address);
  void symbol(u64 address, bool with_offset);
  u64 count(const PrintStep& step, u64 otherwise) const {
    return step.width == PrintNode::kNone ? otherwise : value(step.width);
  }

  const PrintFormat::Program& program_;
  TextBuffer& out_;
  Bytes record_;
  AddressNames* names_;
};

void PrintRun::all() {
  const std::size_t start = out_.size();
  out_.room(0);
  char* to = out_.end();
  for (const PrintStep& step : program_.steps) {
    if (out_.size_at(to) - start > PrintFormat::kMostText) break;
    to = out_.room_at(to, step.text_length + step.length + 64);
    to = TextBuffer::padded_at(to, program_.texts.data() + step.text, step.text_length);
    if (is_unavailable(step)) {
      to = unavailable(to, step);
      continue;
    }
    const char pad = step.spec.zero ? '0' : ' ';
    switch (step.kind) {
      case StepKind::Text:
        break;
      case StepKind::Decimal:
        to = TextBuffer::decimal_at(to, field(step), step.spec.width, pad);
        break;
      case StepKind::Signed:
        to = TextBuffer::signed_at(to, static_cast<i64>(extend_sign(field(step), step.kept)), step.spec.width, pad);
        break;
      case StepKind::Hex:
        to = TextBuffer::hex_at(to, field(step), step.spec.width, pad);
        break;
      case StepKind::Float:
        to = float_at(to, field(step), step.bytes);
        break;
      case StepKind::Chars: {
        const std::size_t before = out_.size_at(to);
        char* const begin = to;
        to = chars(to, step);
        if (is_printable({begin, to})) break;
        out_.end_at(to);
        make_printable(out_, before);
        out_.room(0);
        to = out_.end();
        break;
      }
      default:
        out_.end_at(to);
        general(step);
        out_.room(0);
        to = out_.end();
        break;
    }
  }
  out_.end_at(to);
}

// Replaces the value by "(unavailable)", including a "0x" prefix already written.
char* PrintRun::unavailable(char* to, const PrintStep& step) const {
  const std::string_view before(program_.texts.data() + step.text, step.text_length);
  if (before.ends_with("0x")) to -= 2;
  std::memcpy(to, kUnavailable.data(), kUnavailable.size());
  return to + kUnavailable.size();
}

char* PrintRun::chars(char* to, const PrintStep& step) const {
  if (step.offset >= record_.size()) return to;
  const auto* text = reinterpret_cast<const char*>(record_.data()) + step.offset;
  const std::size_t length = ::strnlen(text, std::min<std::size_t>(step.length, record_.size() - step.offset));
  std::memcpy(to, text, length);
  return to + length;
}

PrintSpec PrintRun::spec(const PrintStep& step) const {
  PrintSpec result = step.spec;
  const auto limited = [&](u32 node) {
    return static_cast<i32>(
        std::clamp<i64>(static_cast<i32>(value(node)), -i64{PrintSpec::kMostWidth}, i64{PrintSpec::kMostWidth}));
  };
  if (step.width != PrintNode::kNone) {
    const i32 width = limited(step.width);
    result.left = result.left || width < 0;
    result.width = static_cast<u32>(width < 0 ? -width : width);
  }
  if (step.precision != PrintNode::kNone) result.precision = std::max(limited(step.precision), -1);
  return result;
}

// Texts in records are untrusted: a program's path may contain newlines.
void PrintRun::general(const PrintStep& step) {
  const std::size_t start = out_.size();
  general_text(step);
  if (step.kind == StepKind::String || step.kind == StepKind::Char || step.kind == StepKind::Symbol)
    make_printable(out_, start);
}

void PrintRun::general_text(const PrintStep& step) {
  switch (step.kind) {
    case StepKind::Number:
      return put_number(out_, spec(step), value(step.node));
    case StepKind::String:
      return put_string(out_, program_, step.node, spec(step), record_);
    case StepKind::Char: {
      const char c = static_cast<char>(value(step.node));
      return put_text(out_, spec(step), {&c, 1});
    }
    case StepKind::Pointer:
      return pointer(value(step.node));
    case StepKind::Symbol:
      return symbol(value(step.node), step.letter != 's' && step.letter != 'f');
    case StepKind::Mac:
      return put_mac(out_, bytes(step.node), step.letter, step.how);
    case StepKind::Ip:
      return put_ip(out_, bytes(step.node), step.letter, step.how);
    case StepKind::SocketAddress:
      return put_sockaddr(out_, bytes(step.node), step.letter, step.how, program_.order);
    case StepKind::Uuid:
      return put_uuid(out_, bytes(step.node), step.how.empty() ? 'b' : step.how[0]);
    case StepKind::HexBytes: {
      constexpr u64 kMost = 64;  // the kernel's limit
      const Bytes all = bytes(step.node);
      const char how = step.how.empty() ? ' ' : step.how[0];
      const std::string_view separator = how == 'C' ? ":" : how == 'D' ? "-" : how == 'N' ? "" : " ";
      return put_bytes(out_, all.first(std::min<u64>({count(step, all.size()), all.size(), kMost})), separator);
    }
    case StepKind::BitList:
      return put_bit_list(out_, bytes(step.node), program_.order, program_.long_size, count(step, ~u64{0}));
    case StepKind::BitGroups:
      return put_bit_groups(out_, bytes(step.node), program_.order, program_.long_size, count(step, ~u64{0}));
    default:
      return;
  }
}

void PrintRun::pointer(u64 address) {
  if (address == 0) return out_.put("(nil)");
  out_.put("0x");
  out_.put_hex(address);
}

void PrintRun::symbol(u64 address, bool with_offset) {
  const auto found = names_ == nullptr ? std::nullopt : names_->find(address);
  if (!found) {
    out_.put("0x");
    return out_.put_hex(address);
  }
  out_.room(found->symbol.size() + 64);
  out_.put(found->symbol);
  if (!with_offset) return;
  out_.put("+0x");
  out_.put_hex(found->offset);
}

}  // namespace

PrintFormat::PrintFormat(const TraceFormat& format, const TraceMachine& machine) {
  auto program = std::make_unique<Program>();
  program->order = machine.order;
  program->long_size = machine.long_size == 4 ? 4 : 8;
  program->fields = format.common;
  program->own_fields = format.common.size();
  program->fields.insert(program->fields.end(), format.fields.begin(), format.fields.end());
  program->complaint = parse_print_format(format.print_fmt, *program);
  if (!program->complaint.empty()) program->steps.clear();
  program->strings = parse_printk_formats(machine.printk_formats);
  program_ = std::move(program);
}

PrintFormat::PrintFormat(PrintFormat&&) noexcept = default;
PrintFormat& PrintFormat::operator=(PrintFormat&&) noexcept = default;
PrintFormat::~PrintFormat() = default;

void PrintFormat::print(TextBuffer& out, Bytes record, AddressNames* names) const {
  if (!program_->complaint.empty()) {
    constexpr std::string_view kMark = "[FAILED TO PARSE]";  // linux-perf's text
    out.room(kMark.size());
    out.put(kMark);
    return print_fields(out, record);
  }
  PrintRun(*program_, out, record, names).all();
}

void PrintFormat::print_fields(TextBuffer& out, Bytes record) const {
  const std::size_t start = out.size();
  for (std::size_t i = program_->own_fields; i < program_->fields.size() && out.size() - start <= kMostText; ++i)
    put_named_field(out, program_->fields[i], record, program_->order);
}

const std::string& PrintFormat::complaint() const { return program_->complaint; }
const std::vector<PrintNames>& PrintFormat::names() const { return program_->tables; }
ByteOrder PrintFormat::order() const { return program_->order; }

void PrintFormat::list_bits() {
  program_->lists_bits = true;
  for (PrintNode& node : program_->nodes)
    if (node.kind == PrintNode::Kind::Bits) node.value = 1;
  for (PrintStep& step : program_->steps)
    if (step.kind == PrintStep::Kind::BitGroups) step.kind = PrintStep::Kind::BitList;
}

const PrintNode* PrintFormat::Program::bitmap_of(std::string_view field) const {
  for (const PrintNode& node : nodes) {
    if (node.kind != PrintNode::Kind::Bits || node.a >= nodes.size()) continue;
    const PrintNode& array = nodes[node.a];
    const bool is_field = array.kind == PrintNode::Kind::DynamicArray || array.kind == PrintNode::Kind::Field;
    if (is_field && array.field < fields.size() && fields[array.field].name == field) return &node;
  }
  return nullptr;
}

bool PrintFormat::is_bit_list(std::string_view field) const {
  return program_->lists_bits && program_->bitmap_of(field) != nullptr;
}

void PrintFormat::put_bits(TextBuffer& out, std::string_view field, Bytes record) const {
  const PrintNode* node = program_->bitmap_of(field);
  if (node == nullptr) return;
  put_bit_list(out, evaluate_bytes(*program_, node->a, record), program_->order, program_->long_size, ~u64{0});
}

bool PrintFormat::is_symbol(std::string_view field) const {
  const std::vector<PrintNode>& nodes = program_->nodes;
  return std::ranges::any_of(program_->steps, [&](const PrintStep& step) {
    if (step.kind != PrintStep::Kind::Symbol) return false;
    u32 at = step.node;
    while (at < nodes.size() && nodes[at].kind == PrintNode::Kind::Cast) at = nodes[at].a;
    return at < nodes.size() && nodes[at].kind == PrintNode::Kind::Field && nodes[at].field < program_->fields.size() &&
           program_->fields[nodes[at].field].name == field;
  });
}

const PrintNames* PrintFormat::names_of(std::string_view field) const {
  const auto found = std::find_if(program_->tables.begin(), program_->tables.end(),
                                  [&](const PrintNames& table) { return table.field == field; });
  return found == program_->tables.end() ? nullptr : &*found;
}

}  // namespace peregrine
