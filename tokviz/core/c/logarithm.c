// The natural logarithm, made of + - * / alone, which every machine rounds alike: the same lines in the same order as
// in tokviz/core/logarithm.py, which says how it works. A number `a` with more bits than a float has is a + a_low.
#include "logarithm.h"
#include <stdint.h>
#include "logarithms.h"

// Two numbers of half as many bits, whose sum is the one that was cut: products of such are exact. 134217728 is 2^27.
typedef struct { double left, right; } Halves;

static Halves halves(double a) {
  double scaled = (134217728.0 + 1) * a, left = scaled - (scaled - a);
  return (Halves){left, a - left};
}

// What rounding took from the product of two numbers, given by their halves.
static double rounded_off(double product, Halves a, Halves b) {
  return a.left * b.left - product + a.left * b.right + a.right * b.left + a.right * b.right;
}

// The sum; what rounding took from it is added to `low`.
static double sum(double a, double b, double *low) {
  double total = a + b, other = total - a;
  *low += (a - (total - other)) + (b - other);
  return total;
}

__attribute__((export_name("logarithm"))) double logarithm(double x) {
  // x = m * 2^e, and c is the number of the grid nearest to m. The lowest 52 bits of a float are those of m, and before
  // them stands e, 1022 greater; with 1022 in its place m is from 1/2 to 1.
  union { double number; uint64_t bits; } m = {x};
  double e = (int32_t)(m.bits >> 52) - 1022;
  m.bits = (m.bits & 0xfffffffffffff) | 1022ull << 52;
  if (m.number < LEAST) m.number *= 2, e -= 1;
  int32_t i = m.number * GRID + 0.5;
  double c = (double)i / GRID;
  // ln x = e ln 2 + ln c + ln (m / c), and ln (m / c) = 2 (s + s^3/3 + s^5/5 + ...)
  // where s = (m - c) / (m + c), which is less than 1/360.
  double difference = m.number - c, total = 2 * c + difference, total_low = difference - (total - 2 * c);
  double s = difference / total;
  Halves s_halves = halves(s);
  double rest = difference - s * total - rounded_off(s * total, s_halves, halves(total));
  double s_low = (rest - s * total_low) / total;
  double square = s * s, square_low = rounded_off(square, s_halves, s_halves) + 2 * s * s_low;
  double third = square / 3, third_low = (square - 2 * third - third + square_low) / 3;
  double more = square * square * (1.0 / 5 + square * (1.0 / 7 + square * (1.0 / 9 + square / 11)));
  // The terms after s.
  double terms = s * third, terms_low = rounded_off(terms, s_halves, halves(third));
  terms_low = terms_low + s * (third_low + more) + s_low * third;
  double low = 0;
  double high = sum(sum(sum(e * LN_2, LOGARITHMS[i - FIRST][0], &low), 2 * s, &low), 2 * terms, &low);
  return high + (low + (LOGARITHMS[i - FIRST][1] + e * LN_2_LOW + 2 * s_low + 2 * terms_low));
}
