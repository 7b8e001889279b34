// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets

/// A MAC in progress.
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
            throw .mechanismParameterInvalid("the parameter has \(parameter.count) bytes, and must have none")
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
