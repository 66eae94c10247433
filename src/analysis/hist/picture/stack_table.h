// StackTable: a tree of stacks of named frames, each stored once. The root is the empty stack 0.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analysis/flat_index.h"
#include "base/container/string_pool.h"
#include "base/types.h"

namespace peregrine {

enum class CodeKind : u8 { All, Comm, Application, Library, Inlined, Jit, Kernel, Module, Unresolved, Narrow };

struct StackFrame {
  u32 name = 0, dso = 0;  // indices into the texts
  CodeKind kind = CodeKind::All;
  friend bool operator==(const StackFrame&, const StackFrame&) = default;
};

struct Stack {
  u32 parent = 0, frame = 0;
  friend bool operator==(const Stack&, const Stack&) = default;
};

// The kind of a function that is not inlined. `level`: as in report's "[k] symbol".
CodeKind code_kind(char level, bool has_symbol, std::string_view dso);
// A frame without a symbol is named after its dso: "[libc.so.6]".
std::string unresolved_name(std::string_view dso);

class StackTable {
 public:
  StackTable();

  u32 text(std::string_view text) { return texts_.intern(text).value; }
  u32 frame(const StackFrame& frame);
  // The stack `parent` extended by `frame`. A run of unresolved frames of one dso is one frame.
  u32 child(u32 parent, u32 frame);
  const StackFrame& operator[](u32 frame) const { return frames_[frame]; }
  std::size_t stack_count() const { return stacks_.size(); }

  // Moves everything out. Parents come before children.
  void take(std::vector<std::string>& texts, std::vector<StackFrame>& frames, std::vector<Stack>& stacks);

 private:
  StringPool texts_;
  FlatIndex frame_index_, stack_index_;
  std::vector<StackFrame> frames_;
  std::vector<Stack> stacks_;
};

}  // namespace peregrine
