# SPDX-License-Identifier: Apache-2.0
# The knowledge of words that machine code computes: each is a linear form over atoms, which are whole numbers of known
# ranges. An operation that can overflow adds an atom for its carry, and an equation without remainder:
# a + b + carry = sum + 2^64·overflow. So all equations hold in whole numbers, and none is modulo 2^64.
from bounds import impossible

WORD = 1 << 64


class Word:
    """A number from `low` to `high`, both below 2^64: {atom: factor}, where atom 0 is the constant 1."""
    __slots__ = ("form", "low", "high")

    def __init__(self, form, low, high):
        self.form, self.low, self.high = form, low, high

    @property
    def constant(self):
        """The number, if it is known."""
        return self.form.get(0, 0) if all(atom == 0 for atom in self.form) else None

    @property
    def atom(self):
        """The atom that this is, if it is one."""
        return next(iter(self.form)) if len(self.form) == 1 and 0 not in self.form and 1 in self.form.values() else None


def constant(value):
    value %= WORD
    return Word({0: value} if value else {}, value, value)


def combine(*terms):
    """The sum of forms, each with a factor."""
    result = {}
    for factor, form in terms:
        for atom, value in form.items():
            result[atom] = result.get(atom, 0) + factor * value
    return {atom: value for atom, value in result.items() if value}


class Unknown(Exception):
    """An instruction or a value for which there are no rules here: nothing is proven then."""


class Facts:
    """The atoms of one path through the code, with their equations. `choices` has the value of each bit that the code
    selects by, as far as it is given; others become 0, and the caller asks for the other paths."""

    def __init__(self, solver, choices=()):
        self.solver, self.choices = solver, list(choices)
        self.taken = 0
        self.ranges, self.names = {}, {}
        # The equations (form = 0) that an atom comes from, and what it is equal to, if it is not an atom of its own.
        self.equations, self.definitions = {}, {}
        # The factors of atoms that are products; the product of which an atom is the lower word.
        self.factors, self.lower = {}, {}
        # Of other atoms that are computed: a form, and by what it is divided, without remainder.
        self.quotients = {}
        self.bits, self.decided, self.assumptions = set(), {}, []
        # Inequalities of products and of arguments (form ≥ 0).
        self.bounds = []
        self.known = {}

    # Atoms.

    def fresh(self, low, high, name):
        atom = len(self.ranges) + 1
        self.ranges[atom], self.names[atom], self.equations[atom] = (low, high), name, []
        if (low, high) == (0, 1):
            self.bits.add(atom)
        return atom

    def word(self, name, high=WORD - 1):
        """A word of which nothing else is known."""
        return Word({self.fresh(0, high, name): 1}, 0, high)

    def define(self, form, low, high, name):
        """A word that is equal to a form."""
        if len(form) == 0 or (len(form) == 1 and (0 in form or 1 in form.values())):
            return Word(form, low, high)
        key = ("define", tuple(sorted(form.items())))
        if key not in self.known:
            atom = self.fresh(low, high, name)
            self.definitions[atom] = form
            self.equations[atom].append(combine((1, {atom: 1}), (-1, form)))
            self.known[key] = Word({atom: 1}, low, high)
        return self.known[key]

    def assume(self, form):
        """form ≥ 0, of the arguments."""
        self.bounds.append(form)

    def settled(self, word):
        """The word with the bits that this path has decided."""
        if not any(atom in self.decided for atom in word.form):
            return word
        form = {}
        for atom, factor in word.form.items():
            value = self.decided.get(atom)
            if value is None:
                form[atom] = form.get(atom, 0) + factor
            elif value:
                form[0] = form.get(0, 0) + factor
        form = {atom: factor for atom, factor in form.items() if factor}
        if all(atom == 0 for atom in form):
            return constant(form.get(0, 0))
        return Word(form, word.low, word.high)

    def decide(self, word):
        """The value of a bit on this path."""
        word = self.settled(word)
        while word.constant is None:
            atom = next(atom for atom in word.form if atom)
            if atom not in self.bits:
                raise Unknown(f"selects by {self.names[atom]}, which is no bit")
            if self.taken == len(self.choices):
                self.choices.append(0)
            self.decided[atom] = self.choices[self.taken]
            self.ranges[atom] = (self.decided[atom],) * 2
            self.taken += 1
            word = self.settled(word)
        return word.constant

    # Proofs.

    def cone(self, atoms, depth):
        """The equations that atoms come from, and those that their atoms come from, and so on."""
        found, seen, edge = [], set(), set(atoms)
        for _ in range(depth):
            following = set()
            for atom in edge - seen:
                seen.add(atom)
                for form in self.equations[atom]:
                    if form not in found:
                        found.append(form)
                    following |= {other for other in form if other}
            if not following - seen:
                break
            edge = following
        return found

    def never(self, form, depths=(2, 5, 12, 30)):
        """Whether form ≥ 0 is impossible, by equations that are so far away."""
        for depth in depths:
            key = ("never", tuple(sorted(form.items())), len(self.assumptions), len(self.decided), depth)
            if key not in self.known:
                # If the code selects by a bit, the bit's value restricts the words that it comes from.
                equations = self.cone([atom for atom in [*form, *self.decided] if atom], depth)
                atoms = {atom for f in equations + [form] for atom in f if atom}
                premises = [f for f in self.assumptions if not atoms.isdisjoint(f)]
                # Bounds of what the premises name.
                while True:
                    more = {atom for f in premises for atom in f if atom} - atoms
                    atoms |= more
                    following = [f for f in self.bounds if not atoms.isdisjoint(f) and f not in premises]
                    if not following:
                        break
                    premises += following
                self.known[key] = impossible(self.solver, self.ranges, equations, [form] + premises)
            if self.known[key]:
                return True
        return False

    def is_zero(self, form, depths=(2, 5, 12, 30)):
        """Whether a form of whole numbers can only be 0. If so, this is known from then on: whole numbers imply more
        than the equations alone."""
        low, high = self.range_of(form)
        result = (high < 1 or self.never(combine((1, form), (-1, {0: 1})), depths)) and (
            low > -1 or self.never(combine((-1, form), (-1, {0: 1})), depths))
        if result:
            self.learn(form)
        return result

    def learn(self, form):
        """form = 0, which is proven."""
        if len(form) == 1 and 0 not in form:
            self.ranges[next(iter(form))] = (0, 0)
        elif form:
            self.assumptions += [form, combine((-1, form))]

    def holds_for(self, values):
        """Whether inputs, {atom: number}, take this path. If they do, all that is known of it has to hold for them."""
        values = dict(values)

        def value(form):
            return sum(factor * (values[atom] if atom else 1) for atom, factor in form.items())

        for atom in self.ranges:
            if atom in self.definitions:
                values[atom] = value(self.definitions[atom])
            elif atom in self.factors:
                one, other = self.factors[atom]
                values[atom] = values[one] * values[other]
            elif atom in self.quotients:
                form, divisor = self.quotients[atom]
                values[atom] = value(form) // divisor if divisor > 0 else -(value(form) // -divisor)
            elif atom not in values:
                values[atom] = 0
        if any(values[atom] != bit for atom, bit in self.decided.items()):
            return False
        wrong = [self.names[atom] for atom, (low, high) in self.ranges.items() if not low <= values[atom] <= high]
        wrong += ["an equation" for forms in self.equations.values() for form in forms if value(form)]
        wrong += ["a bound" for form in self.assumptions + self.bounds if value(form) < 0]
        if wrong:
            raise Unknown(f"what is known does not hold for an input: {wrong[:3]}")
        return True

    def range_of(self, form):
        low = high = form.get(0, 0)
        for atom, factor in form.items():
            if atom:
                bounds = [factor * bound for bound in self.ranges[atom]]
                low, high = low + min(bounds), high + max(bounds)
        return low, high

    # Signs: a word that is 0 or all ones, and others near 0, modulo 2^64.

    def sign_of(self, word):
        """The bit that decides whether the word is all ones or 0, as a form; None if the word is no such."""
        if len(word.form) == 1:
            (atom, factor), = word.form.items()
            if factor == WORD - 1 and atom in self.bits:
                return {atom: 1}
        return None

    def small(self, word):
        """A form of bits and a small constant that is the word modulo 2^64; None if there is none."""
        value = word.constant
        if value is not None:
            return {0: value} if 0 < value < 1 << 20 else {0: value - WORD} if value > WORD - (1 << 20) else {} if value == 0 else None
        sign = self.sign_of(word)
        if sign is not None:
            return combine((-1, sign))
        return word.form if word.high < 4 and all(atom == 0 or atom in self.bits for atom in word.form) else None

    def of_small(self, form):
        """The word that is such a form modulo 2^64."""
        low, high = self.range_of(form)
        if low < -1 and self.never(combine((-1, form), (-1, {0: 2}))):
            low = -1
        if high > 1 and self.never(combine((1, form), (-1, {0: 2}))):
            high = 1
        if low < 0 < high:
            if self.never(combine((1, form), (-1, {0: 1}))):
                high = 0
            elif self.never(combine((-1, form), (-1, {0: 1}))):
                low = 0
        if low >= 0:
            return self.define(form, low, high, "bit") if high else constant(0)
        if low == -1 and high <= 0:
            bit = self.define(combine((-1, form)), 0, 1, "sign")
            return Word(combine((WORD - 1, bit.form)), 0, WORD - 1)
        total = form.get(0, 0)
        for atom, factor in form.items():
            if atom:
                total += factor * self.decide(Word({atom: 1}, 0, 1))
        return constant(total)

    # Operations on words.

    def add(self, a, b, carry):
        """a + b + carry: the word, and the carry."""
        parts = [self.small(word) for word in (a, b, carry)]
        if all(part is not None for part in parts) and any(self.sign_of(word) for word in (a, b)):
            form = combine(*((1, part) for part in parts))
            return self.of_small(form), None
        form = combine((1, a.form), (1, b.form), (1, carry.form))
        return self.within(form, a.low + b.low + carry.low, a.high + b.high + carry.high)

    def subtract(self, a, b, borrow):
        """a − b − borrow: the word, and the borrow."""
        if a.form == b.form:
            a = b = constant(0)
        parts = [self.small(word) for word in (a, b, borrow)]
        if all(part is not None for part in parts) and a.constant is None or a.constant == 0:
            form = None if None in parts else combine((1, parts[0]), (-1, parts[1]), (-1, parts[2]))
            if form is not None:
                word = self.of_small(form)
                sign = self.sign_of(word)
                is_plain = not self.sign_of(a) and not self.sign_of(b)
                if not is_plain:
                    return word, None
                if sign is not None:
                    return word, Word(sign, 0, 1)
                if word.constant is not None:
                    return word, constant(1 if word.constant > 1 << 32 else 0)
                return word, constant(0)
        form = combine((1, a.form), (-1, b.form), (-1, borrow.form))
        return self.within(form, a.low - b.high - borrow.high, a.high - b.low - borrow.low)

    def within(self, form, low, high):
        """A form from −2^64 to 2·2^64 − 1, modulo 2^64: the word, and whether it was outside."""
        if all(atom == 0 for atom in form):
            value = form.get(0, 0)
            return constant(value), constant(0 if 0 <= value < WORD else 1)
        if 0 <= low and high < WORD:
            return self.define(form, low, high, "sum"), constant(0)
        step = WORD if low < 0 else -WORD
        if low < 0 <= high and high >= WORD or low < -WORD or high >= 2 * WORD:
            raise Unknown("a sum that can leave its word on both sides")
        if high < 0 or low >= WORD:
            return self.define(combine((1, form), (step, {0: 1})), low + step, high + step, "sum"), constant(1)
        key = ("within", tuple(sorted(form.items())))
        if key not in self.known:
            carry = self.fresh(0, 1, "carry" if step < 0 else "borrow")
            self.quotients[carry] = form, -step
            word = self.define(combine((1, form), (step, {carry: 1})), 0, WORD - 1, "sum")
            self.equations[carry] += self.equations[word.atom]
            self.known[key] = word, Word({carry: 1}, 0, 1)
        return self.known[key]

    def product(self, a, b):
        """The form of a·b."""
        for one, other in ((a, b), (b, a)):
            if one.constant is not None:
                return combine((one.constant, other.form))
        atoms = tuple(sorted(self.define(word.form, word.low, word.high, "factor").atom for word in (a, b)))
        key = ("product", atoms)
        if key not in self.known:
            atom = self.fresh(a.low * b.low, a.high * b.high, "product")
            self.factors[atom] = atoms
            self.known[key] = {atom: 1}
        return self.known[key]

    def multiply(self, a, b):
        """The lower and the upper word of a·b."""
        form = self.product(a, b)
        low, high = a.low * b.low, a.high * b.high
        if high < WORD:
            return self.define(form, low, high, "product"), constant(0)
        key = ("multiply", tuple(sorted(form.items())))
        if key not in self.known:
            above = self.word("upper", high // WORD)
            self.quotients[above.atom] = form, WORD
            lower = self.define(combine((1, form), (-WORD, above.form)), 0, WORD - 1, "lower")
            self.equations[above.atom] += self.equations[lower.atom]
            self.lower[lower.atom] = (a, b)
            self.known[key] = lower, above
        return self.known[key]

    def top_bits(self, word, count):
        """The word's upper bits, and the others."""
        value = word.constant
        if value is not None:
            return constant(value >> (64 - count)), constant(value & ((1 << (64 - count)) - 1))
        if word.high < 1 << (64 - count):
            return constant(0), word
        key = ("top", count, tuple(sorted(word.form.items())))
        if key not in self.known:
            above = self.word("top", word.high >> (64 - count))
            self.quotients[above.atom] = word.form, 1 << (64 - count)
            rest = self.define(combine((1, word.form), (-(1 << (64 - count)), above.form)), 0, (1 << (64 - count)) - 1, "rest")
            self.equations[above.atom] += self.equations[rest.atom]
            self.known[key] = above, rest
        return self.known[key]
