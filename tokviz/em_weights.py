"""Probabilities of tokens that survive being multiplied along a path."""

from math import exp, floor, log

import numpy as np

from tokviz.lattice import Floats, Ints

_LN2 = log(2)

#: Exponents that sums may have without leaving the range of a float.
_ROOM = 1000


class Weights:
    """The probabilities of the `live` tokens as mantissa × 2**exponent: a product of many is
    smaller than a float can be.

    `log_probs` and `lengths` are columns over all tokens; what they hold for others is not read.
    """

    def __init__(self, log_probs: Floats, lengths: Ints, live: Ints) -> None:
        mantissas, exponents = [], []
        for log_prob in log_probs[live].tolist():
            # No path is as improbable as 2**(−2**40) for want of anything better.
            exponent = max(floor(log_prob / _LN2), -(2**40))
            exponents.append(exponent)
            mantissas.append(exp(max(log_prob - exponent * _LN2, -_ROOM / 2)))
        self.log_prob, self.lengths = log_probs, lengths
        self.mantissa, self.exponent = np.zeros(len(lengths)), np.zeros(len(lengths), np.int64)
        self.mantissa[live], self.exponent[live] = mantissas, exponents
        per_character = self.exponent[live] / lengths[live]
        self._low = float(per_character.min(initial=0.0))
        self._high = float(per_character.max(initial=self._low)) + 1

    def scaled(self, longest: int) -> Floats | None:
        """The probabilities times 2**(k × length), where k is such that no path through a word of
        up to `longest` characters leaves the range of a float. None if there is no such k.

        All segmentations of a word gain the same factor, so posteriors stay as they are.
        """
        # A sum over all paths has up to one more bit for each character.
        if longest * (self._high - self._low + 1) / 2 > _ROOM:
            return None
        return np.asarray(np.ldexp(self.mantissa, self.exponent + self.shift(self.lengths)))

    @property
    def _shift(self) -> int:
        return -round((self._high + self._low) / 2)

    def shift(self, lengths: Ints) -> Ints:
        """The exponents that `scaled` added to words of these lengths."""
        return self._shift * lengths
