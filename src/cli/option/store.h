// Stores for option rows: templates that make a Store from pointers to members of a command's options struct.
//
// set<&O::member>        bool: true / --no-: false. Numbers, strings, optional<…>: the value / --no-: as initialised.
//                        vector<string>: appends / --no-: clears. A path of members may be given: set<&O::target,
//                        &Target::cpus>. optional<bool>: true / --no-: false, so that a command can tell "not said"
//                        from "no".
// set_at_most<limit, &O::member>
//                        set<> of a number that determines a size: Usage if it exceeds the limit
// set_readable<&O::member>
//                        set<> of a file name: NotFound, with linux-perf's text, if the file cannot be read
// set_parsed<parse, &O::member>
//                        the value of parse, a Result<T>(std::string_view) / --no-: as initialised. A value that parse
//                        refuses leaves the member as initialised.
// count<&O::member>      +1 for each use / --no-: 0
// assign<&O::m, value>   m = value / --no-: as initialised
// call<&function>        function is Result<>(O&, const Use&)
#pragma once
#include <fmt/format.h>
#include <unistd.h>

#include <expected>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/number/parse_number.h"
#include "base/number/real_number.h"
#include "base/result.h"
#include "cli/option/option.h"

namespace peregrine {

namespace store_detail {
template <class T>
inline constexpr char kTypeTag = 0;

template <class T>
struct MemberOf;
template <class O, class M>
struct MemberOf<M O::*> {
  using Owner = O;
  using Type = M;
};

template <class T>
struct FirstParameter;
template <class O>
struct FirstParameter<Result<> (*)(O&, const Use&)> {
  using Type = O;
};

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class T>
Result<T> number(const Use& use) {
  std::optional<T> value;
  if constexpr (std::is_floating_point_v<T>) {
    if (const auto parsed = parse_real(use.value)) value = static_cast<T>(*parsed);
  } else {
    value = parse_prefixed_number<T>(use.value);
  }
  if (!value)
    return fail(ErrorKind::Usage, "{} expects a numerical value",
                use.option->letter != 0 && use.spelled.size() == 2 ? fmt::format("switch `{}'", use.option->letter)
                                                                   : fmt::format("option `{}'", use.option->name));
  return *value;
}

template <class T>
Result<> put(T& field, const Use& use, const T& initial) {
  if constexpr (std::is_same_v<T, bool>) {
    field = !use.negated;
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    if (use.negated)
      field.clear();
    else
      field.emplace_back(use.value);
  } else if constexpr (std::is_same_v<T, std::optional<bool>>) {
    field = !use.negated;  // unset, yes and no are distinct
  } else if (use.negated) {
    field = initial;
  } else if constexpr (std::is_same_v<T, std::string>) {
    field = use.value;
  } else if constexpr (std::is_arithmetic_v<T>) {
    auto value = number<T>(use);
    if (!value) return std::unexpected(std::move(value.error()));
    field = *value;
  } else {
    static_assert(kIsOptional<T>, "no set<> for this type: use call<>");
    typename T::value_type inner{};
    PEREGRINE_TRY(put(inner, use, inner));
    field = std::move(inner);
  }
  return {};
}

template <auto First, auto... Rest>
Result<> set(void* options, const Use& use) {
  using O = typename MemberOf<decltype(First)>::Owner;
  const O initial{};
  return put(((static_cast<O*>(options)->*First).*....*Rest), use, ((initial.*First).*....*Rest));
}
}  // namespace store_detail

template <class O>
inline constexpr TypeTag kOwner = &store_detail::kTypeTag<O>;

template <auto First, auto... Rest>
inline constexpr Store set{&store_detail::set<First, Rest...>,
                           kOwner<typename store_detail::MemberOf<decltype(First)>::Owner>};

template <auto Most, auto First, auto... Rest>
inline constexpr Store set_at_most{[](void* options, const Use& use) -> Result<> {
                                     PEREGRINE_TRY((store_detail::set<First, Rest...>(options, use)));
                                     using O = typename store_detail::MemberOf<decltype(First)>::Owner;
                                     const auto value = ((static_cast<O*>(options)->*First).*....*Rest);
                                     if (std::cmp_less_equal(value, Most)) return {};
                                     return fail(ErrorKind::Usage, "{}: {} is too large: at most {}", use.spelled,
                                                 use.value, Most);
                                   },
                                   kOwner<typename store_detail::MemberOf<decltype(First)>::Owner>};

template <auto First, auto... Rest>
inline constexpr Store set_readable{[](void* options, const Use& use) -> Result<> {
                                      const std::string file(use.value);
                                      if (!use.negated && ::access(file.c_str(), R_OK) != 0)
                                        return fail(ErrorKind::NotFound, "Invalid file: {}", file);
                                      return store_detail::set<First, Rest...>(options, use);
                                    },
                                    kOwner<typename store_detail::MemberOf<decltype(First)>::Owner>};

template <auto Parse, auto First, auto... Rest>
inline constexpr Store set_parsed{[](void* options, const Use& use) -> Result<> {
                                    using O = typename store_detail::MemberOf<decltype(First)>::Owner;
                                    auto& field = ((static_cast<O*>(options)->*First).*....*Rest);
                                    O initial{};
                                    field = std::move(((initial.*First).*....*Rest));
                                    if (use.negated) return {};
                                    auto parsed = Parse(use.value);
                                    if (!parsed) return std::unexpected(std::move(parsed.error()));
                                    field = std::move(*parsed);
                                    return {};
                                  },
                                  kOwner<typename store_detail::MemberOf<decltype(First)>::Owner>};

template <auto First, auto... Rest>
inline constexpr Store count{[](void* options, const Use& use) -> Result<> {
                               using O = typename store_detail::MemberOf<decltype(First)>::Owner;
                               auto& field = ((static_cast<O*>(options)->*First).*....*Rest);
                               field = use.negated ? 0 : field + 1;
                               return {};
                             },
                             kOwner<typename store_detail::MemberOf<decltype(First)>::Owner>};

template <auto Member, auto Constant>
inline constexpr Store assign{[](void* options, const Use& use) -> Result<> {
                                using O = typename store_detail::MemberOf<decltype(Member)>::Owner;
                                auto& field = static_cast<O*>(options)->*Member;
                                if (use.negated)
                                  field = O{}.*Member;
                                else
                                  field = Constant;
                                return {};
                              },
                              kOwner<typename store_detail::MemberOf<decltype(Member)>::Owner>};

template <auto Function>
inline constexpr Store call{[](void* options, const Use& use) -> Result<> {
                              using O = typename store_detail::FirstParameter<decltype(Function)>::Type;
                              return Function(*static_cast<O*>(options), use);
                            },
                            kOwner<typename store_detail::FirstParameter<decltype(Function)>::Type>};

}  // namespace peregrine
