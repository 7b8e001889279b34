# SPDX-License-Identifier: Apache-2.0
# Points of a curve by the affine formulas: a second way to compute what the library computes.


class Group:
    """Points of y² = x³ + ax + b; None is O."""

    def __init__(self, p, a):
        self.p, self.a = p, a

    def add(self, left, right):
        if left is None or right is None:
            return left or right
        (x1, y1), (x2, y2) = left, right
        if x1 == x2 and (y1 + y2) % self.p == 0:
            return None
        above, below = (3 * x1 * x1 + self.a, 2 * y1) if left == right else (y2 - y1, x2 - x1)
        slope = above * pow(below, -1, self.p) % self.p
        x = (slope * slope - x1 - x2) % self.p
        return x, (slope * (x1 - x) - y1) % self.p

    def multiply(self, k, point):
        result = None
        for bit in bin(k)[2:]:
            result = self.add(result, result)
            if bit == "1":
                result = self.add(result, point)
        return result
