// P(|T| ≥ t) = I_{ν/(ν+t²)}(ν/2, 1/2), the regularised incomplete beta function (Abramowitz and Stegun, 26.7.1). It is
// computed as a continued fraction (DLMF 8.17.22) with Lentz's method.
#include "analysis/stat/student.h"

#include <cmath>

namespace peregrine {

namespace {

constexpr double kTiny = 1e-300, kEnough = 1e-15;
constexpr int kMaxTerms = 10'000;

double away_from_zero(double value) { return std::fabs(value) < kTiny ? kTiny : value; }

double continued_fraction(double a, double b, double x) {
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m < kMaxTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    result *= d * c;
    if (std::fabs(d * c - 1) < kEnough) break;
  }
  return result;
}

double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * continued_fraction(a, b, x) / a;
  return 1 - front * continued_fraction(b, a, 1 - x) / b;
}

}  // namespace

double student_two_sided(double t, double freedom) {
  if (std::isnan(t) || !(freedom > 0)) return 1;
  if (std::isinf(t)) return 0;
  return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double student_quantile(double confidence, double freedom) {
  const double tail = 1 - confidence;
  double low = 0, high = 1;
  while (student_two_sided(high, freedom) > tail && high < 1e12) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = (low + high) / 2;
    (student_two_sided(middle, freedom) > tail ? low : high) = middle;
  }
  return high;
}

}  // namespace peregrine
