// Prints samples that are single branches: "main+0x0 (prog) => work+0x0 (prog)", or as a tree of calls.
#include "output/text/field/script_decoded.h"
#include "output/text/script/script_sample.h"

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
  // A trace decoder synthesizes only the requested branches.
  if (is_traced(sample.sample)) return step_->inside;
  const bool is_call = step_->kind == BranchKind::Call, is_return = step_->kind == BranchKind::Return;
  if (plan_.branches == ScriptBranches::Calls && !is_call) return false;
  if (plan_.branches == ScriptBranches::CallsAndReturns && !is_call && !is_return) return false;
  return step_->inside;
}

void ScriptSample::put_flags(ScriptText& out, const abi::Sample& sample) const {
  constexpr std::string_view kWords[] = {"jmp", "jcc", "call", "return"};
  constexpr std::size_t kWidth = 24;
  if (is_traced(sample) && sample.traced.flags != 0) return put_branch_flags(out, sample.traced.flags);
  if (!step_) return out.fill(' ', kWidth);
  const std::string_view word = kWords[static_cast<std::size_t>(step_->kind)];
  out.put("  ");
  out.put(word);
  out.fill(' ', kWidth - 2 - word.size());
}

// Writes the function that is called or returned from, indented by its call depth. For decoded traces, the width of the
// column follows its contents.
void ScriptSample::put_call(const ReplaySample& replayed, const ScriptEvent& event, Resolver& resolver) {
  constexpr std::size_t kStep = 32, kSlack = 52, kIndent = 4;
  const abi::Sample& sample = replayed.sample;
  if ((event.fields & (f::Dso | f::Ip | f::Addr)) == f::Dso) {
    words_ += '(';
    const std::size_t start = words_.size();
    append_dso(words_, resolver, frame_anywhere(resolver, replayed, sample.ip), (event.fields & f::DsoOff) != 0);
    if (is_traced(sample) && words_.size() - start < plan_.dso_width)
      words_.append(plan_.dso_width - (words_.size() - start), ' ');
    words_ += ")\t";
  }
  const std::size_t start = words_.size();
  if (step_ && step_->named != NamedEnd::None) {
    const u64 named = step_->named == NamedEnd::To ? sample.addr : sample.ip;
    const Frame& frame = frame_anywhere(resolver, replayed, named);
    const bool nameless = is_traced(sample) && !frame.symbol;
    if (!nameless || named != 0) words_.append(step_->depth * kIndent, ' ');
    if (!nameless) {
      append_symbol(words_, resolver, frame, false);
    } else if (named != 0) {
      fmt::format_to(std::back_inserter(words_), "{:16x}", named);
    }
  }
  if (!is_traced(sample)) return;
  const std::size_t length = words_.size() - start;
  if (length > call_width_ || (length != 0 && length + kSlack < call_width_))
    call_width_ = (length + kIndent + kStep - 1) / kStep * kStep;
  if (length < call_width_) words_.append(call_width_ - length, ' ');
}

// Writes the instructions per cycle since the last sample that had both.
void ScriptSample::put_cycles(ScriptText& out, const abi::Sample& sample) const {
  constexpr std::size_t kRoom = 80;
  if (!is_traced(sample) || sample.traced.cycles == 0) return;
  const u64 hundredths = sample.traced.instructions * 100 / sample.traced.cycles;
  out.room(kRoom);
  out.put(fmt::format("\t IPC: {}.{:02} ({}/{}) ", hundredths / 100, hundredths % 100, sample.traced.instructions,
                      sample.traced.cycles));
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
    append_dso(words_, resolver, frame, (event.fields & f::DsoOff) != 0);
    words_ += ')';
  };
  words_.clear();
  if ((event.fields & f::CallIndent) != 0) put_call(replayed, event, resolver);
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
  if ((event.fields & f::Ipc) != 0) put_cycles(out, sample);
  if ((event.fields & kInstruction) != 0) code_of(resolver).put_instruction(out, replayed, resolver, event.fields);
  out.room(1);
  out.put('\n');
  if ((event.fields & f::SrcCode) != 0) code_of(resolver).put_source_text(out, replayed, resolver, sample.ip);
}

}  // namespace peregrine
