// Samples that are single branches, as `script` prints them: "main+0x0 (prog) => work+0x0 (prog)", or as a tree of
// calls.
#include "output/text/script_sample.h"

namespace peregrine {
namespace {

namespace f = script_field;

}  // namespace

bool ScriptSample::follow_calls(const ReplaySample& sample, const ScriptEvent& event, Resolver& resolver) {
  step_.reset();
  const bool chosen = !plan_.graph_functions.empty();
  if (!event.is_branch) return !chosen || calls_.inside(sample.sample.tid);
  if (!chosen && (event.fields & (f::CallIndent | f::Flags)) == 0) return true;
  step_ = calls_.step(sample, resolver, code_of(resolver));
  const bool is_call = step_->kind == BranchKind::Call, is_return = step_->kind == BranchKind::Return;
  if (plan_.branches == ScriptBranches::Calls && !is_call) return false;
  if (plan_.branches == ScriptBranches::CallsAndReturns && !is_call && !is_return) return false;
  return step_->inside;
}

void ScriptSample::put_flags(ScriptText& out) const {
  constexpr std::string_view kWords[] = {"jmp", "jcc", "call", "return"};
  constexpr std::size_t kWidth = 24;
  if (!step_) return out.fill(' ', kWidth);
  const std::string_view word = kWords[static_cast<std::size_t>(step_->kind)];
  out.put("  ");
  out.put(word);
  out.fill(' ', kWidth - 2 - word.size());
}

void ScriptSample::put_branch(ScriptText& out, const ReplaySample& replayed, const ScriptEvent& event,
                              Resolver& resolver) {
  const abi::Sample& sample = replayed.sample;
  const auto append_place = [&](u64 address) {
    const Frame& frame = frame_anywhere(resolver, replayed, address);
    if ((event.fields & f::Sym) != 0) {
      words_ += ' ';
      append_symbol(words_, resolver, frame, (event.fields & f::SymOff) != 0);
    }
    if ((event.fields & f::Dso) == 0) return;
    words_ += " (";
    append_dso(words_, resolver, frame);
    words_ += ')';
  };
  words_.clear();
  if ((event.fields & f::CallIndent) != 0 && (event.fields & (f::Dso | f::Ip | f::Addr)) == f::Dso) {
    words_ += '(';
    append_dso(words_, resolver, frame_anywhere(resolver, replayed, sample.ip));
    words_ += ")\t";
  }
  if ((event.fields & f::CallIndent) != 0 && step_ && step_->kind >= BranchKind::Call) {
    words_.append(step_->depth * 4, ' ');
    const u64 named = step_->kind == BranchKind::Call ? sample.addr : sample.ip;
    append_symbol(words_, resolver, frame_anywhere(resolver, replayed, named), false);
  }
  out.room(words_.size() + 64);
  out.put(words_);
  if ((event.fields & f::Ip) != 0) put_code(out, replayed, event, resolver);
  if (event.shows_target) {
    words_.clear();
    append_place(sample.addr);
    out.room(words_.size() + 64);
    out.put(" => ");
    out.put_hex(sample.addr, 16);
    out.put(words_);
  }
  constexpr u64 kInstruction = f::Insn | f::InsnLen | f::Disasm;
  if ((event.fields & kInstruction) != 0) code_of(resolver).put_instruction(out, replayed, resolver, event.fields);
  out.room(1);
  out.put('\n');
  if ((event.fields & f::SrcCode) != 0) code_of(resolver).put_source_text(out, replayed, resolver, sample.ip);
}

}  // namespace peregrine
