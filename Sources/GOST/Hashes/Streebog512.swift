public import Secrets

/// The hash function GOST R 34.11-2012 with a hash code of 512 bits (RFC 6986).
public struct Streebog512: HashFunction, ~Copyable {
    public static var digestSize: Int { 64 }
    public static var blockSize: Int { 64 }

    private var state: Wiped<StreebogState>

    public init() {
        state = Wiped(StreebogState(initial: 0))
    }

    private init(_ state: StreebogState) {
        self.state = Wiped(state)
    }

    public mutating func update(_ data: Span<UInt8>) {
        state.value.update(data)
    }

    public consuming func finalize() -> Secret {
        state.value.finish()
        return Secret(littleEndian: state.value.hash, 0..<8)
    }

    public borrowing func copy() -> Streebog512 {
        Streebog512(state.value)
    }
}
