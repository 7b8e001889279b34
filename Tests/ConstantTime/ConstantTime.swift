import CMemcheck
import Glibc

/// Runs every function that is claimed to be constant time, or the named leaks, under valgrind; see `constant-time.sh`.
@main
enum ConstantTime {
    static func main() {
        guard memcheck_is_running() else {
            print("constant-time: this program does its work under valgrind only")
            exit(2)
        }
        let names = CommandLine.arguments.dropFirst()
        let claims = names.isEmpty ? Claim.all : Claim.leaks.filter { names.contains($0.name) }
        let proven = claims.count { claim in
            let outcome = claim.outcome()
            print(outcome, claim.name, separator: "\t")
            return outcome == .constantTime
        }
        print("\(proven) of \(claims.count) functions are constant time")
        exit(proven == claims.count && !claims.isEmpty ? 0 : 1)
    }
}

extension Claim {
    /// Every function of `GOST` whose documentation says "constant time".
    static let all = ciphers + modes + hashes + derivations + scalars + agreements
}
