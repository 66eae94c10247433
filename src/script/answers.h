// Answers: what a script can query about the current sample: code, callers, source lines, instructions.
//
// Interpreter plug-ins are not linked with our code; they use this interface, which ReplayAnswers implements. Answers
// refer to the sample of the last call into the interpreter; views are valid while the recording is being read.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"

namespace peregrine::script {

struct SymbolAnswer {
  std::string_view name;
  u64 start = 0, end = 0;  // dso addresses
  u8 binding = 0;          // STB_LOCAL 0, STB_GLOBAL 1, STB_WEAK 2
};

// What is at an address.
struct PlaceAnswer {
  u64 address = 0;       // dso address
  std::string_view dso;  // empty: in no map
  std::string build_id;  // hexadecimal; empty if unknown
  u64 map_start = 0, map_end = 0;
  std::optional<SymbolAnswer> symbol;
};

// One caller. Equal frames have equal ids, dense from 0.
struct ChainFrame {
  u64 ip = 0;
  FrameId frame;
};

class Answers {
 public:
  virtual ~Answers() = default;
  // The comm's name, by the id in the sample's context.
  virtual std::string comm() = 0;
  // Innermost first.
  virtual std::span<const ChainFrame> chain() = 0;
  // Without the map range, which frames do not have.
  virtual PlaceAnswer frame(FrameId frame) = 0;
  // Of the sampled instruction, and of any other address.
  virtual PlaceAnswer code() = 0;
  virtual PlaceAnswer place(u64 address) = 0;
  // "AX:0x1 BX:0x2 ", and the text of `-F data_src`.
  virtual std::string registers(const abi::Registers& registers) = 0;
  virtual std::string data_source(u64 word) = 0;
  // The sampled instruction's bytes; empty if in no file.
  virtual Bytes instruction() = 0;
  // "file.c" and 12; the path is empty if unknown.
  struct SourceAnswer {
    std::string path;
    u32 line = 0;
    std::string text;  // that line, if requested
  };
  virtual SourceAnswer source(u64 address, bool with_text) = 0;
  // For the recorded machine; empty if unknown.
  virtual std::string_view syscall_name(u32 number) = 0;
  // A perfconfig setting.
  virtual std::optional<std::string> setting(std::string_view key) = 0;
};

}  // namespace peregrine::script
