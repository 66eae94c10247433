// Student's t distribution, for the confidence of means of few values. Pure.
#pragma once

namespace peregrine {

// The probability that |T| is at least |t|, with `freedom` degrees of freedom (> 0).
double student_two_sided(double t, double freedom);

// The value that |T| exceeds with probability 1 - `confidence` (0.95 → 2.26 for 9 degrees of freedom).
double student_quantile(double confidence, double freedom);

}  // namespace peregrine
