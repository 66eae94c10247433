// Slot: one argument of a sub. The same scalar is reused for each call, unless the script took a reference to it; then
// the next call gets a new one.
#pragma once
#include <cstddef>
#include <string_view>

#include "base/types.h"

// perl.h comes last: it has macros for many plain words.
#define PERL_NO_GET_CONTEXT
#include <EXTERN.h>
#include <perl.h>

namespace peregrine::script {

class Slot {
 public:
  // The return values go onto Perl's stack but remain ours.
  SV* number(pTHX_ u64 value) {
    put(aTHX_ value_, value, false);
    return value_;
  }
  SV* signed_number(pTHX_ i64 value) {
    put(aTHX_ value_, static_cast<u64>(value), true);
    return value_;
  }
  SV* text(pTHX_ std::string_view words) {
    value_ = own(aTHX_ value_);
    const bool same = SvPOK(value_) && !SvUTF8(value_) && std::string_view(SvPVX(value_), SvCUR(value_)) == words;
    if (!same) {
      SvUTF8_off(value_);
      sv_setpvn(value_, words.data(), words.size());
    }
    return value_;
  }
  // A reference to a list of numbers: `value(index)`.
  template <class F>
  SV* list(pTHX_ std::size_t count, bool is_signed, F value) {
    AV* const list = own_list(aTHX_ count);
    SV** const elements = AvARRAY(list);
    for (std::size_t i = 0; i < count; ++i) put(aTHX_ elements[i], value(i), is_signed);
    return value_;
  }

 private:
  // If it is a plain integer owned only by us, just sets the new value.
  static void put(pTHX_ SV*& scalar, u64 value, bool is_signed) {
    const bool fits = is_signed || value <= static_cast<u64>(IV_MAX);
    if (fits && scalar != nullptr && SvREFCNT(scalar) == 1 && SvFLAGS(scalar) == (SVt_IV | SVf_IOK | SVp_IOK)) {
      SvIV_set(scalar, static_cast<IV>(value));
      return;
    }
    scalar = own(aTHX_ scalar);
    if (fits)
      sv_setiv(scalar, static_cast<IV>(value));
    else
      sv_setuv(scalar, value);
  }
  // A scalar without other owners or magic.
  static SV* own(pTHX_ SV* scalar) {
    if (scalar != nullptr && SvREFCNT(scalar) == 1 && SvTYPE(scalar) < SVt_PVMG && !SvREADONLY(scalar)) return scalar;
    SvREFCNT_dec(scalar);
    return newSV(0);
  }
  AV* own_list(pTHX_ std::size_t count) {
    if (list_ != nullptr && SvREFCNT(value_) == 1 && SvROK(value_) && SvRV(value_) == reinterpret_cast<SV*>(list_) &&
        SvREFCNT(list_) == 1 && !SvOBJECT(list_) && !SvMAGICAL(list_) && AvREAL(list_) &&
        AvFILLp(list_) + 1 == static_cast<SSize_t>(count))
      return list_;
    SvREFCNT_dec(value_);
    list_ = newAV();
    for (std::size_t i = 0; i < count; ++i) av_push(list_, newSV(0));
    value_ = newRV_noinc(reinterpret_cast<SV*>(list_));
    return list_;
  }

  SV* value_ = nullptr;
  AV* list_ = nullptr;  // its referent; only used while it is
};

}  // namespace peregrine::script
