// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("SESPAKE")
struct SESPAKETests {
    @Test("Every value of the examples comes out, on both sides and all seven curves (RFC 8133, A.2)")
    func examples() throws {
        let vectors = try JSON(vectors: "sespake.json").vectors.list
        #expect(vectors.count == 7)
        for vector in vectors { try run(vector) }
    }

    private func run(_ vector: JSON) throws {
        let curve = try vector.namedCurve
        let (password, salt) = (vector.pw.bytes, vector.salt.bytes)
        let f = try SESPAKE.f(password: password.span, salt: salt.span, curve: curve)
        #expect(f.array == vector.F.bytes, "\(vector.name)")
        let verifier = try SESPAKE.Verifier(curve: curve, f: f.bytes)
        #expect(try verifier.point.array == vector.point("Q_PW", curve), "\(vector.name)")

        let (alpha, beta) = (vector.number("alpha", curve.coordinateSize), vector.number("beta", curve.coordinateSize))
        #expect(try multiple(curve, alpha) == vector.point("alphaP", curve), "\(vector.name)")
        #expect(try multiple(curve, beta) == vector.point("betaP", curve), "\(vector.name)")
        let a = try SESPAKE.Exchange(as: .a, verifier: verifier, random: FixedRandom(alpha))
        let b = try SESPAKE.Exchange(as: .b, verifier: verifier, random: FixedRandom(beta))
        let (u1, u2) = (a.share, b.share)
        #expect(try u1 == vector.point("u1", curve), "\(vector.name)")
        #expect(try u2 == vector.point("u2", curve), "\(vector.name)")

        let keyA = try a.key(with: u2)
        let keyB = try b.key(with: u1)
        #expect(keyA.bytes.array == vector.K_A.bytes && keyB.bytes.array == vector.K_B.bytes, "\(vector.name)")
        #expect(keyA.bytes.array == Streebog256.hash(vector.src.bytes), "\(vector.name)")

        let transcript = SESPAKE.Transcript(
            identifierA: vector.id_a.bytes, identifierB: vector.id_b.bytes, salt: salt, u1: u1, u2: u2)
        let (macA, macB) = (vector.mac_a.bytes, vector.mac_b.bytes)
        #expect(keyA.code(for: transcript.messageA()).array == macA, "\(vector.name)")
        #expect(keyB.code(for: transcript.messageB()).array == macB, "\(vector.name)")
        #expect(accepts(keyB, macA, transcript.messageA()) == true)
        #expect(accepts(keyA, macB, transcript.messageB()) == true)
        #expect(accepts(keyA, macA, transcript.messageB()) == false)
        #expect(accepts(keyA, Array(macB.prefix(31)), transcript.messageB()) == false)
    }

    private func multiple(_ curve: Curve, _ scalar: [UInt8]) throws -> [UInt8] {
        let key = try PrivateKey(curve: curve, scalar: Secret(copying: scalar))
        return try key.publicKey().bytes
    }

    @Test("Q_1 is the published point (RFC 8133, A.1)")
    func points() throws {
        let points = try JSON(vectors: "sespake.json").points.list
        #expect(points.count == 7)
        for point in points {
            let curve = try point.namedCurve
            var one = [UInt8](repeating: 0, count: curve.coordinateSize)
            one[0] = 1
            let verifier = try SESPAKE.Verifier(curve: curve, f: one.span)
            #expect(try verifier.point.array == point.point("x", "y"), "\(point.name)")
        }
    }

    @Test("The secure channel's pairing comes out byte for byte")
    func pairing() throws {
        let set = try JSON(vectors: "gsc1.json").sets.A
        let (modern, pairing) = (set.profiles.modern, set.profiles.modern.pairing)
        let verifier = try verifier(set)
        #expect(verifier.point.array == pairing.Q_PW.bytes)
        let kept = try SESPAKE.Verifier(curve: .tc26256B, point: verifier.point.copy())

        let host = try SESPAKE.Exchange(as: .a, verifier: verifier, random: FixedRandom(pairing.alpha.bytes))
        let token = try SESPAKE.Exchange(as: .b, verifier: kept, random: FixedRandom(pairing.beta.bytes))
        let (u1, u2) = (host.share, token.share)
        #expect(u1 == pairing.u1.bytes && u2 == pairing.u2.bytes)
        let hostKey = try host.key(with: u2)
        let tokenKey = try token.key(with: u1)
        #expect(hostKey.bytes.array == pairing.K.bytes && tokenKey.bytes.array == pairing.K.bytes)

        let identifierT = set.SER.bytes
        let transcript = SESPAKE.Transcript(
            identifierA: modern.ID_H.bytes, identifierB: identifierT, salt: set.salt.bytes, u1: u1, u2: u2,
            algorithm: Curve.tc26256B.oid)
        let (dataA, dataB) = (pairing.DATA_A.bytes, pairing.DATA_B.bytes)
        let (macA, macB) = (pairing.MAC_A.bytes, pairing.MAC_B.bytes)
        #expect(accepts(tokenKey, macA, transcript.messageA(data: dataA)) == true)
        #expect(accepts(hostKey, macB, transcript.messageB(dataA: dataA, dataB: dataB)) == true)
    }

    private func verifier(_ set: JSON) throws -> SESPAKE.Verifier {
        let (password, salt) = (Array((set.password.text ?? "").utf8), set.salt.bytes)
        let f = try SESPAKE.f(password: password.span, salt: salt.span, curve: .tc26256B)
        #expect(f.array == set.profiles.modern.pairing.F.bytes)
        return try SESPAKE.Verifier(curve: .tc26256B, f: f.bytes)
    }

    @Test("With u_1 = -Q_PW the run goes on with βP, and no code is valid (RFC 8133, 4.3, step 12)")
    func oppositeOfVerifier() throws {
        let vectors = try JSON(vectors: "gsc1.json")
        let set = vectors.sets.A
        let corner = vectors.pairing_corner_cases[0]
        let u1 = Array(corner.pair1_command.bytes.dropLast().suffix(64))
        let verifier = try verifier(set)
        let token = try SESPAKE.Exchange(as: .b, verifier: verifier, random: FixedRandom(corner.beta.bytes))
        #expect(token.share == set.profiles.modern.pairing.u2.bytes)
        let key = try token.key(with: u1)
        #expect(key.bytes.array == corner.K_B.bytes)
        let code = key.code(for: [1, 2, 3])
        #expect(accepts(key, code.array, [1, 2, 3]) == false)
    }

    @Test("With u_2 = Q_PW the run goes on with αP, and no code is valid (RFC 8133, 4.3, step 17)")
    func verifierItself() throws {
        for curve in [Curve.cryptoProA, .tc26256A, .tc26512C] {
            let f = [UInt8](repeating: 5, count: curve.coordinateSize)
            let verifier = try SESPAKE.Verifier(curve: curve, f: f.span)
            let a = try SESPAKE.Exchange(as: .a, verifier: verifier, random: SystemRandom())
            let key = try a.key(with: verifier.point.array)
            let code = key.code(for: [1])
            #expect(accepts(key, code.array, [1]) == false)
        }
    }

    @Test("A code is not valid if the passwords differ")
    func differentPasswords() throws {
        let (one, two) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        let verifierA = try SESPAKE.Verifier(curve: .cryptoProC, f: one.span)
        let verifierB = try SESPAKE.Verifier(curve: .cryptoProC, f: two.span)
        let a = try SESPAKE.Exchange(as: .a, verifier: verifierA, random: SystemRandom())
        let b = try SESPAKE.Exchange(as: .b, verifier: verifierB, random: SystemRandom())
        let (u1, u2) = (a.share, b.share)
        let keyA = try a.key(with: u2)
        let keyB = try b.key(with: u1)
        let code = keyA.code(for: [1])
        #expect(accepts(keyA, code.array, [1]) == true)
        #expect(accepts(keyB, code.array, [1]) == false)
    }

    @Test("F is taken modulo q")
    func reducedF() throws {
        let curve = Curve.tc26256A
        let numbers = try #require(try JSON(vectors: "curves.json").vectors.list.first { $0.name == curve.name })
        var q = numbers.number("q", 32)
        #expect(refusal(curve, f: q) == .invalidPoint)
        // Neither q nor q + 3 carries beyond its first byte.
        q[0] += 3
        let three = [3] + [UInt8](repeating: 0, count: 31)
        let large = try SESPAKE.Verifier(curve: curve, f: q.span)
        let small = try SESPAKE.Verifier(curve: curve, f: three.span)
        #expect(large.point.array == small.point.array)
    }

    @Test("A public value is refused unless reduced, on the curve and of order q, and so is a kept verifier")
    func refusedPoints() throws {
        for vector in try JSON(vectors: "negative.json").vectors.list where vector.kind.text != "verify" {
            let curve = try vector.namedCurve
            let bytes = try vector.point("x", "y")
            let kept = refusal(curve, point: bytes)
            guard try hasPoint(curve) else {
                #expect(kept == .invalidParameter)
                continue
            }
            #expect(kept == .invalidPoint, "\(vector.name)")
            let f = [UInt8](repeating: 5, count: curve.coordinateSize)
            let verifier = try SESPAKE.Verifier(curve: curve, f: f.span)
            let b = try SESPAKE.Exchange(as: .b, verifier: verifier, random: SystemRandom())
            let refused = refusal(b, bytes)
            #expect(refused == .invalidPoint, "\(vector.name)")
        }
    }

    private func hasPoint(_ curve: Curve) throws -> Bool {
        try JSON(vectors: "sespake.json").points.list.contains { $0.curve.text == curve.name }
    }

    private func refusal(_ exchange: consuming SESPAKE.Exchange, _ share: [UInt8]) -> GOSTError? {
        do throws(GOSTError) { _ = try exchange.key(with: share) } catch { return error }
        return nil
    }

    private func refusal(_ curve: Curve, f: [UInt8]) -> GOSTError? {
        do throws(GOSTError) { _ = try SESPAKE.Verifier(curve: curve, f: f.span) } catch { return error }
        return nil
    }

    private func refusal(_ curve: Curve, point: [UInt8]) -> GOSTError? {
        do throws(GOSTError) {
            _ = try SESPAKE.Verifier(curve: curve, point: Secret(copying: point))
        } catch { return error }
        return nil
    }

    private func accepts(_ key: borrowing SESPAKE.Key, _ code: [UInt8], _ message: [UInt8]) -> Bool {
        key.isValid(code.span, for: message)
    }

    @Test("The curves of the standard's examples have no Q_1; F, password and salt have their lengths")
    func refusedInput() {
        let f = [UInt8](repeating: 5, count: 64)
        for curve in [Curve.test2001, .tc26512Test] {
            #expect(refusal(curve, f: Array(f.prefix(curve.coordinateSize))) == .invalidParameter)
        }
        #expect(refusal(.cryptoProA, f: f) == .invalidLength)
        let salt = [UInt8](repeating: 1, count: 129)
        for (password, salt) in [(Array(f.prefix(0)), salt.prefix(16)), (f, salt.prefix(0)), (f, salt[...])] {
            let salt = Array(salt)
            let result = outcome { () throws(GOSTError) in
                try SESPAKE.f(password: password.span, salt: salt.span, curve: .cryptoProA)
            }
            #expect(result == .failure(.invalidLength))
        }
    }

    @Test("Nothing is sent without random bytes")
    func noRandom() throws {
        let f = [UInt8](repeating: 5, count: 32)
        let verifier = try SESPAKE.Verifier(curve: .cryptoProA, f: f.span)
        var thrown: GOSTError?
        do throws(GOSTError) {
            _ = try SESPAKE.Exchange(as: .a, verifier: verifier, random: NoRandom())
        } catch {
            thrown = error
        }
        #expect(thrown == .randomUnavailable)
    }
}

extension JSON {
    /// X ‖ Y, little-endian, of the point with this name.
    fileprivate func point(_ name: String, _ curve: Curve) throws -> [UInt8] {
        let size = curve.coordinateSize
        return self[name].number("x", size) + self[name].number("y", size)
    }
}
