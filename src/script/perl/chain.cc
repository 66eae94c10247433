#include "script/perl/chain.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/types.h"

namespace peregrine::script {
namespace {

constexpr std::size_t kMostKnown = std::size_t{1} << 18;  // about 300 MB
constexpr std::array<std::string_view, 7> kKeys = {"start", "end", "binding", "name", "ip", "sym", "dso"};

}  // namespace

SV* PerlChains::list(pTHX) {
  const std::span<const ChainFrame> frames = answers_.chain();
  if (frames.empty()) {
    SV* const none = none_.list(aTHX_ 0, false, [](std::size_t) { return u64{0}; });
    return SvREFCNT_inc_simple_NN(none);
  }
  AV* const list = newAV();
  av_extend(list, static_cast<SSize_t>(frames.size()) - 1);
  for (const ChainFrame& each : frames) av_push(list, newRV_inc(reinterpret_cast<SV*>(frame(aTHX_ each))));
  return newRV_noinc(reinterpret_cast<SV*>(list));
}

HV* PerlChains::frame(pTHX_ const ChainFrame& frame) {
  const std::size_t place = frame.frame.value;
  if (count_ >= kMostKnown) {
    for (Known& known : known_) drop(aTHX_ known);
    known_.clear();
    count_ = 0;
  }
  if (place >= known_.size()) known_.resize(std::max(place + 1, known_.size() * 2));
  Known& known = known_[place];
  if (known.frame != nullptr && known.ip == frame.ip && is_ours(aTHX_ known)) return known.frame;
  count_ += known.frame == nullptr;
  drop(aTHX_ known);
  make(aTHX_ known, frame);
  return known.frame;
}

// Whether nobody else has a reference to it or into it, and nothing was changed.
bool PerlChains::is_ours(pTHX_ const Known& known) {
  if (SvREFCNT(known.frame) != 1 || !is_unchanged(aTHX_ known, known.frame, Ip, Count)) return false;
  if (known.symbol == nullptr) return true;
  const SV* const reference = known.values[Sym];
  return SvROK(reference) && SvRV(reference) == reinterpret_cast<SV*>(known.symbol) && SvREFCNT(known.symbol) == 2 &&
         is_unchanged(aTHX_ known, known.symbol, Start, Ip);
}

bool PerlChains::is_unchanged(pTHX_ const Known& known, HV* hash, Key first, Key end) {
  if (SvOBJECT(hash) || SvMAGICAL(hash)) return false;
  std::size_t count = 0;
  for (std::size_t i = first; i < end; ++i) {
    SV* const value = known.values[i];
    if (value == nullptr) continue;
    ++count;
    if (SvREFCNT(value) != 2 || SvMAGICAL(value)) return false;
    if (i == Sym) continue;
    const bool is_text = i == Name || i == Dso;
    if (is_text ? !SvPOK(value) || std::string_view(SvPVX(value), SvCUR(value)) != known.texts[i]
                : !SvIOK(value) || SvUVX(value) != known.numbers[i])
      return false;
  }
  if (HvTOTALKEYS(hash) != count) return false;
  if (SvOOK(hash)) hv_iterinit(hash);  // resets an iteration that the script abandoned
  return true;
}

void PerlChains::make(pTHX_ Known& known, const ChainFrame& frame) {
  const PlaceAnswer place = answers_.frame(frame.frame);
  known.ip = frame.ip;
  known.frame = newHV();
  const auto store = [&](HV* hash, Key key, SV* value) {
    known.values[key] = value;
    (void)hv_store(hash, kKeys[key].data(), static_cast<I32>(kKeys[key].size()), SvREFCNT_inc_simple_NN(value), 0);
  };
  const auto number = [&](HV* hash, Key key, u64 value) {
    known.numbers[key] = value;
    store(hash, key, newSVuv(value));
  };
  const auto text = [&](HV* hash, Key key, std::string_view value) {
    known.texts[key] = value;
    store(hash, key, newSVpvn(value.data(), value.size()));
  };
  number(known.frame, Ip, frame.ip);
  if (place.symbol) {
    known.symbol = newHV();
    number(known.symbol, Start, place.symbol->start);
    number(known.symbol, End, place.symbol->end);
    number(known.symbol, Binding, place.symbol->binding);
    text(known.symbol, Name, place.symbol->name);
    store(known.frame, Sym, newRV_inc(reinterpret_cast<SV*>(known.symbol)));
  }
  if (!place.dso.empty()) text(known.frame, Dso, place.dso);
}

void PerlChains::drop(pTHX_ Known& known) {
  for (SV* const value : known.values) SvREFCNT_dec(value);
  SvREFCNT_dec(reinterpret_cast<SV*>(known.symbol));
  SvREFCNT_dec(reinterpret_cast<SV*>(known.frame));
  known = Known();
}

}  // namespace peregrine::script
