// Compiles the string of a print format into steps: text and conversions.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/ascii.h"
#include "base/text/text_buffer.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"
#include "event/print/print_number.h"
#include "event/print/print_parser.h"
#include "event/print/print_program.h"

namespace peregrine {

namespace {

using Node = PrintNode::Kind;
using StepKind = PrintStep::Kind;

class StepMaker {
 public:
  StepMaker(std::string_view format, PrintArguments& arguments, PrintFormat::Program& program)
      : rest_(format), arguments_(arguments), program_(program) {}

  void run() {
    while (!rest_.empty() && !arguments_.failed()) {
      const auto percent = std::min(rest_.find('%'), rest_.size());
      add_text(rest_.substr(0, percent));
      rest_.remove_prefix(percent);
      if (rest_.empty()) break;
      rest_.remove_prefix(1);
      conversion();
    }
    if (text_length_ != 0) add_step({});
  }

 private:
  char next() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool take(char c) {
    if (next() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  char take_any() {
    const char c = next();
    if (!rest_.empty()) rest_.remove_prefix(1);
    return c;
  }
  void add_text(std::string_view text);
  void add_step(PrintStep step);
  void conversion();
  void flags(PrintSpec& spec);
  u32 number();
  u32 argument();
  u8 length();
  void pointer(PrintStep& step);
  void simplify(PrintStep& step) const;
  void find_mask(PrintStep& step) const;
  struct Place {
    u32 offset = 0;
    u8 bytes = 0;
    bool is_signed = false;
  };
  std::optional<Place> place_of(const PrintNode& node) const;

  std::string_view rest_;
  PrintArguments& arguments_;
  PrintFormat::Program& program_;
  u32 text_length_ = 0;  // length of the text at the end of `texts` that no step owns yet
};

void StepMaker::add_text(std::string_view text) {
  program_.texts += text;
  text_length_ += static_cast<u32>(text.size());
}

// Gives the step the text gathered since the previous one.
void StepMaker::add_step(PrintStep step) {
  step.text = static_cast<u32>(program_.texts.size()) - text_length_;
  step.text_length = std::exchange(text_length_, 0);
  program_.steps.push_back(std::move(step));
}

u32 StepMaker::number() {
  u32 value = 0;
  while (is_digit(next())) value = std::min(value * 10 + static_cast<u32>(take_any() - '0'), PrintSpec::kMostWidth);
  return value;
}

u32 StepMaker::argument() {
  if (!arguments_.failed() && !arguments_.take(",")) return arguments_.refuse("missing argument");
  return arguments_.expression();
}

void StepMaker::flags(PrintSpec& spec) {
  while (!rest_.empty()) {
    switch (next()) {
      case '-':
        spec.left = true;
        break;
      case '+':
        spec.plus = true;
        break;
      case ' ':
        spec.blank = true;
        break;
      case '#':
        spec.alternate = true;
        break;
      case '0':
        spec.zero = true;
        break;
      default:
        return;
    }
    rest_.remove_prefix(1);
  }
}

// The number's size in bytes, from "h", "ll", "z", …
u8 StepMaker::length() {
  if (take('h')) return take('h') ? 1 : 2;
  if (take('l')) {
    take('l');
    return 8;
  }
  for (const char c : {'L', 'q', 'j', 'z', 'Z', 't'}) {
    if (take(c)) return 8;
  }
  return 4;
}

void StepMaker::conversion() {
  if (take('%')) return add_text("%");
  PrintStep step;
  flags(step.spec);
  if (take('*'))
    step.width = argument();
  else
    step.spec.width = number();
  if (take('.')) {
    if (take('*'))
      step.precision = argument();
    else
      step.spec.precision = static_cast<i32>(number());
  }
  step.spec.bytes = length();
  step.letter = step.spec.conversion = take_any();
  switch (step.letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      step.kind = StepKind::Number;
      break;
    case 'c':
      step.kind = StepKind::Char;
      break;
    case 's':
      step.kind = StepKind::String;
      break;
    case 'p':
      pointer(step);
      break;
    default:
      return;  // unknown conversion: nothing to print
  }
  step.node = argument();
  simplify(step);
  find_mask(step);
  add_step(std::move(step));
}

void StepMaker::pointer(PrintStep& step) {
  step.kind = StepKind::Pointer;
  const char letter = next();
  const auto as = [&](StepKind kind, std::string_view how) {
    take_any();
    step.kind = kind;
    step.letter = letter;
    while (!rest_.empty() && how.find(next()) != how.npos) step.how += take_any();
  };
  switch (letter) {
    case 'S':
    case 's':
    case 'F':
    case 'f':
    case 'B':
      return as(StepKind::Symbol, letter == 's' || letter == 'f' ? "" : "Rb");
    case 'K':
    case 'x':
      take_any();
      return;
    case 'M':
    case 'm':
      return as(StepKind::Mac, letter == 'M' ? "RF" : "R");
    case 'I':
    case 'i':
      as(StepKind::Ip, "");
      if (take('S')) {
        step.kind = StepKind::SocketAddress;
        while (std::string_view("pcfshnbl").find(next()) != std::string_view::npos && !rest_.empty())
          step.how += take_any();
      } else if (next() == '4' || next() == '6') {
        step.how += take_any();
        const std::string_view more = step.how == "6" ? "c" : "hnbl";
        if (!rest_.empty() && more.find(next()) != more.npos) step.how += take_any();
      }
      return;
    case 'U':
      as(StepKind::Uuid, "bBlL");
      return;
    case 'h':
      as(StepKind::HexBytes, "CDN");
      return;
    case 'b':
      take_any();
      step.kind = take('l') ? StepKind::BitList : StepKind::BitGroups;
      return;
    default:
      return;
  }
}

// The place in the record that an expression reads unchanged: a field, or an element of an array with a constant index.
std::optional<StepMaker::Place> StepMaker::place_of(const PrintNode& node) const {
  const auto is_size = [](u32 size) { return size == 1 || size == 2 || size == 4 || size == 8; };
  if (node.kind == Node::Field) {
    const TraceField& field = program_.fields[node.field];
    if (!is_size(field.size)) return std::nullopt;
    return Place{field.offset, static_cast<u8>(field.size), field.is_signed};
  }
  if (node.kind != Node::Element || !is_size(node.bytes)) return std::nullopt;
  const PrintNode &array = program_.nodes[node.a], &index = program_.nodes[node.b];
  if (array.kind != Node::Field || index.kind != Node::Number) return std::nullopt;
  const TraceField& field = program_.fields[array.field];
  if (field.is_data_loc || field.is_rel_loc || index.value >= field.size / node.bytes) return std::nullopt;
  return Place{field.offset + static_cast<u32>(index.value) * node.bytes, node.bytes,
               has_signed_elements(program_, node)};
}

// Turns conversions that need no evaluation into specialized steps. Casts are dropped if they keep every bit that is
// printed.
void StepMaker::simplify(PrintStep& step) const {
  if (step.width != PrintNode::kNone || step.precision != PrintNode::kNone) return;
  const PrintNode* node = &program_.nodes[step.node];
  const PrintSpec& spec = step.spec;
  if (step.kind == StepKind::String && node->kind == Node::Field && spec.plain()) {
    const TraceField& field = program_.fields[node->field];
    if (!field.is_array || field.array_length == 0 || field.is_data_loc || field.is_rel_loc) return;
    step.kind = StepKind::Chars;
    step.offset = field.offset;
    step.length = field.size;
  }
  if (step.kind != StepKind::Number) return;
  if (node->kind == Node::Field && program_.fields[node->field].is_float) {
    const TraceField& field = program_.fields[node->field];
    step.kind = StepKind::Float;
    step.bytes = step.kept = static_cast<u8>(field.size);
    step.offset = field.offset;
    return;
  }
  while (node->kind == Node::Cast && (node->bytes == 0 || node->bytes >= spec.bytes)) node = &program_.nodes[node->a];
  if (spec.left || spec.plus || spec.blank || spec.alternate || spec.precision >= 0 || spec.width > 32) return;
  const auto place = place_of(*node);
  if (!place) return;
  const bool is_signed = spec.conversion == 'd' || spec.conversion == 'i';
  if (!is_signed && spec.conversion != 'u' && spec.conversion != 'x') return;
  const bool extends = place->is_signed && place->bytes < 4 && place->bytes < spec.bytes;
  if (extends && !is_signed) return;
  step.kind = is_signed ? StepKind::Signed : spec.conversion == 'u' ? StepKind::Decimal : StepKind::Hex;
  step.bytes = place->bytes;
  step.kept = extends ? place->bytes : spec.bytes;
  step.offset = place->offset;
}

// Finds the availability bit of the field that is printed, or of the field that contains the element printed.
void StepMaker::find_mask(PrintStep& step) const {
  u32 at = step.node;
  while (at < program_.nodes.size() && program_.nodes[at].kind != Node::Field &&
         program_.nodes[at].kind != Node::DynamicArray)
    at = program_.nodes[at].a;
  if (at >= program_.nodes.size()) return;
  const TraceField& field = program_.fields[program_.nodes[at].field];
  step.mask_offset = field.mask_offset;
  step.mask_bit = field.mask_bit;
}

}  // namespace

std::string parse_print_format(std::string_view text, PrintFormat::Program& program) {
  PrintArguments arguments(text, program);
  const std::string format = arguments.text(true);
  StepMaker(format, arguments, program).run();
  program.texts.append(TextBuffer::kSlack, '\0');
  return arguments.error();
}

}  // namespace peregrine
