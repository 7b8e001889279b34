import GOST
import HostCrypto
import Secrets

/// How a message authentication code is computed.
enum CodeAlgorithm: Sendable {
    /// GOST 28147-89 with 32 bits, with the key meshing that its parameter set says; an IV of 8 octets or none.
    case gost28147
    /// OMAC of one block (GOST R 34.13-2015, 5.6).
    case magma, kuznyechik
    case hmac(DigestAlgorithm)

    /// The octets of a code.
    var size: Int {
        switch self {
        case .gost28147: 4
        case .magma: Magma.blockSize
        case .kuznyechik: Kuznyechik.blockSize
        case .hmac(let hash): hash.size
        }
    }

    /// The types of keys that the code is computed with.
    var keyTypes: [SecretKeyType] {
        switch self {
        case .gost28147: [.gost28147]
        case .magma: [.magma]
        case .kuznyechik: [.kuznyechik]
        case .hmac(let hash): [.hmac(hash), .generic, .gost28147, .magma, .kuznyechik]
        }
    }
}

/// A code, being computed.
final class RunningCode {
    private enum State: ~Copyable {
        case gost28147(GOST28147IMIT)
        case magma(OMAC<Magma>)
        case kuznyechik(OMAC<Kuznyechik>)
        case hmac(RunningHMAC)

        mutating func update(_ data: Span<UInt8>) {
            switch consume self {
            case .gost28147(var code):
                code.update(data)
                self = .gost28147(code)
            case .magma(var code):
                code.update(data)
                self = .magma(code)
            case .kuznyechik(var code):
                code.update(data)
                self = .kuznyechik(code)
            case .hmac(var code):
                code.update(data)
                self = .hmac(code)
            }
        }
    }

    let size: Int
    private var state: State?

    init(
        _ algorithm: CodeAlgorithm, key: borrowing Secret, sBox: SBox, parameter: [UInt8]
    ) throws(CKError) {
        size = algorithm.size
        do throws(GOSTError) {
            switch algorithm {
            case .gost28147:
                state = .gost28147(
                    try GOST28147IMIT(
                        key: key.bytes, iv: parameter.span, sBox: sBox, meshing: sBox != .gost28147Test))
                return
            case .magma: state = .magma(try OMAC<Magma>(key: key.bytes))
            case .kuznyechik: state = .kuznyechik(try OMAC<Kuznyechik>(key: key.bytes))
            case .hmac(let hash):
                do throws(HostCryptoError) {
                    let code = try RunningHMAC(hash, key: key.bytes)
                    state = .hmac(code)
                } catch {
                    throw GOSTError.libraryFailure
                }
            }
        } catch {
            throw CKError(error)
        }
        guard parameter.isEmpty else {
            throw .mechanismParameterInvalid("the parameter has \(parameter.count) octets, and must have none")
        }
    }

    func update(_ data: Span<UInt8>) { state?.update(data) }

    func finalize() throws(CKError) -> Secret {
        guard let state = state.take() else { throw .operationNotInitialised }
        switch consume state {
        case .gost28147(let code): return code.finalize()
        case .magma(let code): return code.finalize()
        case .kuznyechik(let code): return code.finalize()
        case .hmac(let code):
            do throws(HostCryptoError) { return try code.finalize() } catch { throw CKError(error) }
        }
    }
}
