# SPDX-License-Identifier: Apache-2.0
# Asks Z3 whether linear equations and inequalities have a solution in real numbers.
import subprocess


class Solver:
    """A Z3 that runs as long as the proof. Its answer "unsat" means no solution in real numbers, and so none in whole ones."""

    def __init__(self, program="z3"):
        self.process = subprocess.Popen([program, "-in", "-smt2"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.questions = 0

    def ask(self, lines):
        self.questions += 1
        self.process.stdin.write("(reset)\n(set-option :timeout 60000)\n(set-logic QF_LRA)\n" + "\n".join(lines) + "\n(check-sat)\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if answer not in ("sat", "unsat", "unknown"):
            raise SystemExit(f"z3 says: {answer}")
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def number(value):
    return str(value) if value >= 0 else f"(- {-value})"


def sum_of(terms):
    """A linear form, {0: constant, atom: factor}, in SMT-LIB."""
    parts = [number(factor) if atom == 0 else f"(* {number(factor)} x{atom})" for atom, factor in terms.items()]
    return "0" if not parts else parts[0] if len(parts) == 1 else "(+ " + " ".join(parts) + ")"


def impossible(solver, ranges, equations, inequalities, above=()):
    """Whether no numbers within their ranges satisfy equations (form = 0) and inequalities (form ≥ 0; `above`: form > 0)."""
    atoms = {atom for form in [*equations, *inequalities, *above] for atom in form if atom != 0}
    lines = []
    for atom in sorted(atoms):
        low, high = ranges[atom]
        lines.append(f"(declare-const x{atom} Real)(assert (<= {number(low)} x{atom} {number(high)}))")
    lines += [f"(assert (= {sum_of(form)} 0))" for form in equations]
    lines += [f"(assert (>= {sum_of(form)} 0))" for form in inequalities]
    lines += [f"(assert (> {sum_of(form)} 0))" for form in above]
    return solver.ask(lines) == "unsat"
