#include "script/perl/context.h"

#include <XSUB.h>

#include <string_view>

#include "base/types.h"

extern "C" void boot_DynaLoader(pTHX_ CV* cv);  // NOLINT(readability-identifier-naming)

namespace peregrine::script {
namespace {

// The context argument of each function holds the script. Functions without that argument find the script here.
constexpr const char* kOwner = "Perf::Trace::Context::owner";

PerlScript* owner_of(pTHX_ SV* context) {
  SV* const found = context != nullptr && SvIOK(context) ? context : get_sv(kOwner, 0);
  return found == nullptr || !SvIOK(found) ? nullptr : INT2PTR(PerlScript*, SvIV(found));
}

void answer(pTHX_ CV* cv, PerlScript::Shared which) {
  dXSARGS;
  if (items != 1) croak_xs_usage(cv, "context");
  const PerlScript* const script = owner_of(aTHX_ nullptr);
  XSRETURN_UV(script == nullptr ? 0 : script->shared(which));
}

void preempt_count(pTHX_ CV* cv) { answer(aTHX_ cv, PerlScript::Shared::PreemptCount); }
void event_flags(pTHX_ CV* cv) { answer(aTHX_ cv, PerlScript::Shared::Flags); }
void lock_depth(pTHX_ CV* cv) { answer(aTHX_ cv, PerlScript::Shared::LockDepth); }

// Not in linux-perf's module; called by our own Util.
void syscall_name(pTHX_ CV* cv) {
  dXSARGS;
  if (items != 1) croak_xs_usage(cv, "number");
  const PerlScript* const script = owner_of(aTHX_ nullptr);
  const std::string_view name =
      script == nullptr ? std::string_view() : script->syscall_name(static_cast<u32>(SvIV(ST(0))));
  if (name.empty()) XSRETURN_UNDEF;
  ST(0) = sv_2mortal(newSVpvn(name.data(), name.size()));
  XSRETURN(1);
}

// linux-perf's Context.pm calls this to load the functions, which are already defined.
void bootstrap(pTHX_ CV*) {
  dXSARGS;
  PERL_UNUSED_VAR(items);
  XSRETURN_EMPTY;
}

}  // namespace

void start_extensions(pTHX) {
  newXS("DynaLoader::boot_DynaLoader", boot_DynaLoader, __FILE__);
  newXS("Perf::Trace::Context::bootstrap", bootstrap, __FILE__);
  newXS("Perf::Trace::Context::common_pc", preempt_count, __FILE__);
  newXS("Perf::Trace::Context::common_flags", event_flags, __FILE__);
  newXS("Perf::Trace::Context::common_lock_depth", lock_depth, __FILE__);
  newXS("Perf::Trace::Context::syscall_name", syscall_name, __FILE__);
}

void give_context(pTHX_ PerlScript* script) { sv_setiv(get_sv(kOwner, GV_ADD), PTR2IV(script)); }

i64 context_number(const PerlScript* script) { return PTR2IV(script); }

}  // namespace peregrine::script
