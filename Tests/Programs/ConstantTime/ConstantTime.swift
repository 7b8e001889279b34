// SPDX-License-Identifier: Apache-2.0
import CMemcheck
import GOST
import Glibc

/// Runs every function that is claimed to be constant time, or the named leaks, under valgrind; see `constant-time.bats`.
@main
enum ConstantTime {
    static func main() throws {
        if CommandLine.arguments.dropFirst() == ["traces"] { try compareTraces() }
        guard memcheck_is_running() else {
            print("constant-time: this program does its work under valgrind only")
            exit(2)
        }
        let names = CommandLine.arguments.dropFirst()
        let leaks = Claim.leaks.filter { names.contains($0.name) }
        let outcomes = names.isEmpty ? prove() : leaks.map { report($0) }
        let proven = outcomes.count { $0 == .constantTime }
        print("\(proven) of \(outcomes.count) functions are constant time")
        exit(proven == outcomes.count && proven > 0 ? 0 : 1)
    }

    /// Everything with the best instructions that valgrind knows, and functions with kernels with all others too.
    private static func prove() -> [Claim.Outcome] {
        let outcomes = Claim.all.map { report($0) }
        let others = Instructions.allCases.filter { $0.areAvailable && $0 != Instructions.current }
        return outcomes
            + others.flatMap { instructions in
                Instructions.choose(instructions)
                return Claim.symmetric.map { report($0, "\(instructions)") }
            }
    }

    /// Compares the remains of operations on curves, without valgrind.
    private static func compareTraces() throws -> Never {
        guard try !TracedOperation.leak.leavesNothing() else {
            print("a trace of the test goes unnoticed")
            exit(1)
        }
        let operations = TracedOperation.all
        let telling = try operations.filter { try !$0.leavesNothing() }
        for operation in telling { print("LEAVES TRACES", operation.name, separator: "\t") }
        print("\(operations.count - telling.count) of \(operations.count) operations leave no trace")
        exit(telling.isEmpty && !operations.isEmpty ? 0 : 1)
    }

    private static func report(_ claim: Claim, _ instructions: String = "best") -> Claim.Outcome {
        let outcome = claim.outcome()
        print(outcome, instructions, claim.name, separator: "\t")
        return outcome
    }
}

extension Claim {
    /// Every function of `GOST` and `Containers` that is documented as "constant time".
    static let all = symmetric + scalars + agreements + containers

    static let symmetric = ciphers + modes + hashes + derivations
}
