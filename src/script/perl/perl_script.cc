#include "script/perl/perl_script.h"

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "machine/process/thread_table.h"
#include "pipeline/replay/replay.h"
#include "script/event_plan.h"
#include "script/field_bytes.h"
#include "script/perl/context.h"

namespace peregrine::script {
namespace {

constexpr u64 kSecond = 1'000'000'000;
constexpr int kBroken = 255;

std::string sub_name(const std::string& handler) {
  std::string name = handler;
  const std::size_t at = name.find("__");
  if (at != std::string::npos) name.replace(at, 2, "::");
  return name;
}

constexpr std::size_t kOwnArguments = 7;  // before the callchain and the fields

SV* number(pTHX_ u64 value) { return newSVuv(value); }
SV* text(pTHX_ std::string_view words) { return newSVpvn(words.data(), words.size()); }
SV* bytes_of(pTHX_ Bytes bytes) { return newSVpvn(reinterpret_cast<const char*>(bytes.data()), bytes.size()); }
std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace

PerlScript::~PerlScript() {
  if (my_perl == nullptr) return;
  PL_perl_destruct_level = 0;
  perl_destruct(my_perl);
  perl_free(my_perl);
}

bool PerlScript::start() {
  int count = 0;
  char** environment = environ;
  char* nothing[] = {nullptr};
  char** arguments = nothing;
  PERL_SYS_INIT3(&count, &arguments, &environment);
  my_perl = perl_alloc();
  PERL_SET_CONTEXT(my_perl);
  perl_construct(my_perl);
  PL_exit_flags |= PERL_EXIT_DESTRUCT_END;
  line_.push_back(setup_.arguments[0].data());
  for (std::string& argument : setup_.arguments) line_.push_back(argument.data());
  line_.push_back(nullptr);
  const int failed = perl_parse(my_perl, start_extensions, static_cast<int>(line_.size()) - 1, line_.data(), environ);
  if (failed != 0) {
    ended_ = {.code = kBroken, .broken_file = true};
    return false;
  }
  const int code = perl_run(my_perl);
  if (code != 0) {
    ended_ = {.code = code};
    return false;
  }
  give_context(aTHX_ this);
  unhandled_ = find("trace_unhandled");
  general_ = find("process_event");
  return call_plain("trace_begin");
}

CV* PerlScript::find(const char* name) const { return get_cv(name, 0); }

bool PerlScript::add_event(const EventPlan& plan) {
  const std::string name = sub_name(plan.handler);
  Event event{.plan = &plan, .name = name};
  if (!name.empty()) event.sub = find(name.c_str());
  const bool traced = !name.empty() && (event.sub != nullptr || unhandled_ != nullptr);
  events_.push_back(std::move(event));
  if (traced) tell_names(plan, name);
  return traced || general_ != nullptr;
}

// Core.pm has subs that must learn the names of flags and values before the first event.
void PerlScript::tell_names(const EventPlan& plan, const std::string& name) {
  const auto tell = [&](const char* sub, std::initializer_list<SV*> values) {
    CV* const found = find(sub);
    if (found == nullptr) return;
    dSP;
    ENTER;
    SAVETMPS;
    PUSHMARK(SP);
    for (SV* const value : values) XPUSHs(sv_2mortal(value));
    PUTBACK;
    call_sv(reinterpret_cast<SV*>(found), G_SCALAR | G_EVAL | G_DISCARD);
    FREETMPS;
    LEAVE;
  };
  for (const FieldNames& field : plan.names) {
    const auto words = [&](std::string_view word) { return text(aTHX_ word); };
    if (field.flags)
      tell("main::define_flag_field", {words(name), words(field.field), words(field.delimiter)});
    else
      tell("main::define_symbolic_field", {words(name), words(field.field)});
    for (const auto& [value, label] : field.names)
      tell(field.flags ? "main::define_flag_value" : "main::define_symbolic_value",
           {words(name), words(field.field), number(aTHX_ value), words(label)});
  }
}

bool PerlScript::sample(const ReplaySample& sample) {
  Event& event = events_[sample.event];
  sample_ = &sample;
  plan_ = event.plan;
  bool good = true;
  if (!event.plan->handler.empty()) {
    if (CV* const sub = event.sub != nullptr ? event.sub : unhandled_) good = call_fields(sample, event, sub);
  }
  if (good && general_ != nullptr) good = call_general(sample, event);
  sample_ = nullptr;
  return good;
}

u64 PerlScript::shared(Shared which) const {
  if (sample_ == nullptr || plan_ == nullptr) return 0;
  const SharedFields& fields = plan_->shared;
  const auto& field = which == Shared::PreemptCount ? fields.preempt_count
                      : which == Shared::Flags      ? fields.flags
                                                    : fields.lock_depth;
  return shared_number(field, sample_->sample.raw, setup_.order);
}

SV* PerlScript::field(Slot& slot, const FieldPlan& plan, Bytes record) {
  if (is_unavailable(plan, record, setup_.order)) return &PL_sv_undef;
  const Bytes bytes = field_bytes(plan, record, setup_.order);
  switch (plan.kind) {
    case FieldKind::Unsigned:
      return slot.number(aTHX_ bytes.empty() ? 0 : load_number(bytes.data(), plan.size, setup_.order));
    case FieldKind::Signed:
      return slot.signed_number(
          aTHX_ bytes.empty() ? 0 : sign_extended(load_number(bytes.data(), plan.size, setup_.order), plan.size));
    case FieldKind::Text:
      return slot.text(aTHX_ up_to_nul(bytes));
    case FieldKind::Bytes:
      return slot.text(aTHX_ text_of(bytes));
    case FieldKind::List:
      break;
  }
  const std::size_t count = bytes.size() / plan.element;
  if (plan.element == sizeof(u64) && setup_.order == kHostOrder)
    return slot.list(aTHX_ count, plan.is_signed, [&](std::size_t i) { return load<u64>(bytes.data() + 8 * i); });
  return slot.list(aTHX_ count, plan.is_signed, [&](std::size_t i) {
    const u64 value = load_number(bytes.data() + i * plan.element, plan.element, setup_.order);
    return plan.is_signed ? static_cast<u64>(sign_extended(value, plan.element)) : value;
  });
}

std::string_view PerlScript::comm(const ReplaySample& replayed) {
  const CommId id = replayed.context.thread.comm;
  if (id.unnamed()) return unnamed_ = setup_.answers.comm();
  if (id.value >= comms_.size()) comms_.resize(id.value + 64);
  if (!comms_[id.value]) comms_[id.value] = setup_.answers.comm();
  return *comms_[id.value];
}

bool PerlScript::call_fields(const ReplaySample& replayed, Event& event, CV* sub) {
  const abi::Sample& sample = replayed.sample;
  const u64 time = (sample.fields & abi::sample_bit::Time) != 0 ? sample.time : ~u64{0};
  const bool has_cpu = (sample.fields & abi::sample_bit::Cpu) != 0;
  event.slots.resize(kOwnArguments + event.plan->fields.size());
  Slot* slot = event.slots.data();
  dSP;
  PUSHMARK(SP);
  EXTEND(SP, static_cast<SSize_t>(event.slots.size() + 1));
  PUSHs((slot++)->text(aTHX_ event.name));
  PUSHs((slot++)->signed_number(aTHX_ context_number(this)));
  PUSHs((slot++)->signed_number(aTHX_ has_cpu ? static_cast<i32>(sample.cpu) : -1));
  PUSHs((slot++)->number(aTHX_ time / kSecond));
  PUSHs((slot++)->number(aTHX_ time % kSecond));
  PUSHs((slot++)->number(aTHX_ shared_number(event.plan->shared.pid, sample.raw, setup_.order)));
  PUSHs((slot++)->text(aTHX_ comm(replayed)));
  SV* const chain = chains_.list(aTHX);
  PUSHs(chain);
  for (const FieldPlan& plan : event.plan->fields) PUSHs(field(*slot++, plan, sample.raw));
  PUTBACK;
  const bool good = call(sub);
  SvREFCNT_dec(chain);
  return good;
}

// Passes the record, the attr and the raw data unchanged, and the sample as the first words of linux-perf's own
// structure, which scripts unpack with "QLLQQQQQQQQQLLQQ". Added fields follow them.
bool PerlScript::call_general(const ReplaySample& replayed, const Event& event) {
  const abi::Sample& sample = replayed.sample;
  const Bytes words = packed_.pack(sample);
  dSP;
  ENTER;
  SAVETMPS;
  PUSHMARK(SP);
  EXTEND(SP, 4);
  mPUSHs(bytes_of(aTHX_ replayed.record()));
  mPUSHs(bytes_of(aTHX_ event.plan->attr_bytes));
  mPUSHs(bytes_of(aTHX_ words));
  mPUSHs(bytes_of(aTHX_ sample.raw));
  PUTBACK;
  const bool good = call(general_);
  FREETMPS;
  LEAVE;
  return good;
}

// exit() and die() leave a sub with longjmp, which must end here.
bool PerlScript::call(CV* sub) {
  dJMPENV;
  int jumped = 0;
  JMPENV_PUSH(jumped);
  if (jumped == 0) {
    call_sv(reinterpret_cast<SV*>(sub), G_SCALAR | G_DISCARD);
  } else {
    ended_ = {.code = static_cast<int>(STATUS_EXIT & 0xff)};
  }
  JMPENV_POP;
  return jumped == 0;
}

bool PerlScript::call_plain(const char* name) {
  CV* const sub = find(name);
  if (sub == nullptr) return true;
  dSP;
  ENTER;
  SAVETMPS;
  PUSHMARK(SP);
  PUTBACK;
  const bool good = call(sub);
  FREETMPS;
  LEAVE;
  return good;
}

bool PerlScript::finish() { return call_plain("trace_end"); }

}  // namespace peregrine::script

extern "C" __attribute__((visibility("default"))) peregrine::script::Interpreter* peregrine_open_interpreter(
    peregrine::u32 number, const peregrine::script::Setup& setup) {
  if (number != peregrine::script::kInterpreterNumber) return nullptr;
  return new peregrine::script::PerlScript(setup);
}
