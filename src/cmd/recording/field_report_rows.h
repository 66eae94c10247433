// Rows of `script` and `trace` for lines and tables of expressions (session/field_report.h): each a template over the
// path to the FieldReportRequest.
#pragma once
#include <optional>
#include <string_view>

#include "base/number/duration.h"
#include "base/number/real_number.h"
#include "base/result.h"
#include "base/types.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "session/field_report.h"

namespace peregrine::cmd {

// A number of seconds, or a whole number with a unit, in ns.
inline Result<u64> parse_interval(std::string_view value) {
  auto ns = nanoseconds_of(value);
  if (const auto seconds = ns ? std::nullopt : parse_real(value); seconds && *seconds <= 1e9)
    ns = static_cast<u64>(*seconds * 1e9);
  if (ns && *ns >= 1'000'000) return *ns;
  return fail(ErrorKind::Usage, "invalid --interval '{}': must be a number of seconds, at least 0.001", value);
}

// set<> of a text that must not be empty: an unset shell variable would silently select everything.
template <auto First, auto... Rest>
inline constexpr Store set_nonempty{[](void* options, const Use& use) -> Result<> {
                                      if (!use.negated && use.value.empty())
                                        return fail(ErrorKind::Usage, "--{} must not be empty", use.option->name);
                                      return store_detail::set<First, Rest...>(options, use);
                                    },
                                    kOwner<typename store_detail::MemberOf<decltype(First)>::Owner>};

template <auto... Path>
inline constexpr Option kAggregateRow{
    .name = "agg",
    .value = Value::Required,
    .metavar = "aggregates [by keys]",
    .help =
        "print a table of count, sum(X), min(X), max(X), avg(X), hist(X), rate(X), first(X) and last(X) for each "
        "combination of keys: 'count, max(ret) by comm, cpu top 10' (docs/one-liners.md)",
    .store = set_nonempty<Path..., &FieldReportRequest::aggregate>,
    .since = Since::Ours};
template <auto... Path>
inline constexpr Option kWhereRow{.name = "where",
                                  .value = Value::Required,
                                  .metavar = "condition",
                                  .help = "use only events that satisfy this condition: 'ret < 0 && comm == dd'",
                                  .store = set_nonempty<Path..., &FieldReportRequest::where>,
                                  .since = Since::Ours};
template <auto... Path>
inline constexpr Option kFromRow{.name = "from",
                                 .value = Value::Required,
                                 .metavar = "condition",
                                 .help = "start at the first event that satisfies this condition, and include it",
                                 .store = set_nonempty<Path..., &FieldReportRequest::from>,
                                 .since = Since::Ours};
template <auto... Path>
inline constexpr Option kUntilRow{.name = "until",
                                  .value = Value::Required,
                                  .metavar = "condition",
                                  .help = "end at the first event that satisfies this condition, and include it",
                                  .store = set_nonempty<Path..., &FieldReportRequest::until>,
                                  .since = Since::Ours};
template <auto... Path>
inline constexpr Option kTableIntervalRow{
    .name = "interval",
    .value = Value::Required,
    .metavar = "seconds",
    .help = "with --agg: print the table every n seconds, and start a new one",
    .store = set_parsed<&parse_interval, Path..., &FieldReportRequest::interval_ns>,
    .since = Since::Ours};

}  // namespace peregrine::cmd
