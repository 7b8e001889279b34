# SPDX-License-Identifier: Apache-2.0
# Polynomials with whole factors in any number of variables: {monomial: factor}, where a monomial is one number that has the
# exponent of each variable in bits of its own, so that a product of monomials is their sum.

BITS = 12
names = []


def variable(name):
    if name not in names:
        names.append(name)
    return Polynomial({1 << BITS * names.index(name): 1})


def exponent(monomial, name):
    return monomial >> BITS * names.index(name) & (1 << BITS) - 1


class Polynomial:
    def __init__(self, terms):
        self.terms = {key: value for key, value in terms.items() if value}

    @staticmethod
    def of(value):
        return value if isinstance(value, Polynomial) else Polynomial({0: value})

    def __add__(self, other):
        terms = dict(self.terms)
        for key, value in Polynomial.of(other).terms.items():
            terms[key] = terms.get(key, 0) + value
        return Polynomial(terms)

    def __neg__(self):
        return Polynomial({key: -value for key, value in self.terms.items()})

    def __sub__(self, other):
        return self + -Polynomial.of(other)

    def __rsub__(self, other):
        return Polynomial.of(other) - self

    def __mul__(self, other):
        terms = {}
        for a, x in self.terms.items():
            for b, y in Polynomial.of(other).terms.items():
                terms[a + b] = terms.get(a + b, 0) + x * y
        return Polynomial(terms)

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, count):
        result = Polynomial({0: 1})
        for _ in range(count):
            result = result * self
        return result

    def split(self, name):
        """The polynomials that the powers of a variable have as factors."""
        parts = {}
        shift = BITS * names.index(name)
        for key, value in self.terms.items():
            power = exponent(key, name)
            parts.setdefault(power, {})[key - (power << shift)] = value
        return {power: Polynomial(terms) for power, terms in parts.items()}

    def squares(self, name, above, below=1):
        """The polynomial, times a power of `below`, where the variable's square is above / below."""
        parts = self.split(name)
        most = max(parts, default=0) // 2
        result = Polynomial({})
        for power, part in parts.items():
            more = part * Polynomial.of(above) ** (power // 2) * Polynomial.of(below) ** (most - power // 2)
            result = result + (more * variable(name) if power % 2 else more)
        return result

    def __str__(self):
        parts = []
        for key, value in list(self.terms.items())[:6]:
            powers = [f"{name}^{exponent(key, name)}" for name in names if exponent(key, name)]
            parts.append("·".join([str(value)] + powers))
        return " + ".join(parts) or "0"
