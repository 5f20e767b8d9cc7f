// The natural logarithm of a number above 2^-1022, to the last bit as tokviz/core/logarithm.py has it.
#pragma once

double logarithm(double x);
