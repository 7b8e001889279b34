// SPDX-License-Identifier: Apache-2.0
import Containers
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Passwords of containers")
struct PasswordTests {
    @Test("The storage key, and the code of a password, are those of the vectors")
    func derivation() throws {
        let vectors = try JSON(vectors: "containers.json").derivation.list
        #expect(vectors.count == 10)
        for vector in vectors {
            let isStreebog = vector.hash.text == "Streebog-256"
            let units = try #require(Self.units(.utf32, vector.password.text ?? ""))
            #expect(units == vector.units.bytes)
            let algorithm: PublicKeyAlgorithm = isStreebog ? .gostR34102012512 : .gostR34102001
            let key = StorageKey.derive(algorithm, password: units.span, salt: vector.salt.bytes.span)
            #expect([UInt8](copying: key) == vector.key.bytes)
            let code = try Self.code(key, algorithm)
            #expect(code == vector.imit_of_16_zeros.bytes)
        }
    }

    @Test("Another password is refused before a key's file is read, and none that is needed or not")
    func refused() throws {
        let locked = try ContainerFiles(#require(ContainerVectors.good["256-password"])).header()
        for password in ["1", "12345", "1234567", "123456 ", "пароль", "123456\0"] {
            let secret = Secret.of(password)
            #expect(throws: ContainerError.password) { _ = try locked.checkPassword(secret) }
        }
        let none = Secret(count: 0)
        #expect(throws: ContainerError.passwordNeeded) { _ = try locked.checkPassword(none) }
        let open = try ContainerFiles(#require(ContainerVectors.good["256-plain"])).header()
        let some = Secret.of("123456")
        #expect(throws: ContainerError.passwordNotNeeded) { _ = try open.checkPassword(some) }
        #expect(throws: Never.self) { _ = try open.checkPassword(none) }
    }

    @Test("A password that was checked opens the key without another check, and no other container")
    func checked() throws {
        let vector = try #require(ContainerVectors.good["256-password"])
        let files = ContainerFiles(vector)
        let header = try files.header()
        let password = Secret.of("123456")
        let checked = try header.checkPassword(password)
        let masks = Secret(copying: files[.masks])
        let primary = Secret(copying: files[.primary])
        let key = try header.open(.first, masks: masks, primary: primary, password: checked)
        #expect([UInt8](copying: key.scalar) == vector.keys[0].d.bytes.reversed())
        let none = ContainerPassword.none
        #expect(throws: ContainerError.passwordNeeded) {
            _ = try header.open(.first, masks: masks, primary: primary, password: none)
        }
        let other = try ContainerFiles(#require(ContainerVectors.good["256-plain"])).header()
        #expect(throws: ContainerError.passwordNotNeeded) {
            _ = try other.open(.first, masks: masks, primary: primary, password: checked)
        }
    }

    @Test(
        "Each form of a password in other letters opens: the code in the header decides",
        arguments: PasswordForm.allCases)
    func forms(_ form: PasswordForm) throws {
        let vector = try #require(ContainerVectors.good["cyrillic-password"])
        let files = try Self.locked(vector, "пароль", form)
        let key = try files.open(.first, password: "пароль")
        #expect([UInt8](copying: key.scalar) == vector.keys[0].d.bytes.reversed())
        for other in ["Пароль", "парол", "gfhjkm"] {
            #expect(throws: ContainerError.password) { _ = try files.open(.first, password: other) }
        }
    }

    @Test("A form that a password does not have is left out")
    func otherForms() {
        #expect(Self.units(.windows1251, "密码") == nil)
        #expect(Self.units(.utf32, "密码")?.count == 8)
        #expect(Self.units(.utf32, [0xD0]) == nil)
        #expect(Self.units(.windows1251, [0xD0]) == nil)
        #expect(Self.units(.utf8, [0xD0]) == [0xD0, 0, 0, 0])
        #expect(Self.units(.windows1251, "ёЁ№") == [0xB8, 0, 0, 0, 0xA8, 0, 0, 0, 0xB9, 0, 0, 0])
    }

    private static func units(_ form: PasswordForm, _ password: String) -> [UInt8]? {
        units(form, Array(password.utf8))
    }

    private static func units(_ form: PasswordForm, _ password: [UInt8]) -> [UInt8]? {
        guard let units = form.units(password.span) else { return nil }
        return [UInt8](copying: units)
    }

    /// The container with its password in another form than UTF-32.
    private static func locked(_ vector: JSON, _ text: String, _ form: PasswordForm) throws -> ContainerFiles {
        var files = ContainerFiles(vector)
        let key = try #require(files.header().keys.first)
        let before = try #require(units(.utf32, text))
        let after = try #require(units(form, text))
        func storageKey(_ units: [UInt8], _ salt: [UInt8]) -> Secret {
            StorageKey.derive(key.algorithm, password: units.span, salt: salt.span)
        }
        let old = try code(storageKey(before, key.fingerprint), key.algorithm)
        let new = try code(storageKey(after, key.fingerprint), key.algorithm)
        try files.replaceInHeader([0x82, 4] + old, with: [0x82, 4] + new)

        let salt = Array(files[.masks][38..<50])
        let enciphered = Array(files[.primary][4..<36])
        let oldKey = storageKey(before, salt)
        let newKey = storageKey(after, salt)
        let masked = try CipherMessage.decrypt(enciphered.span, .gost28147(.tc26Z), .ecb, key: oldKey.bytes)
        let again = try CipherMessage.encrypt(masked.bytes, .gost28147(.tc26Z), .ecb, key: newKey.bytes)
        files[.primary] = [0x30, 0x22, 4, 0x20] + [UInt8](copying: again)
        return files
    }

    private static func code(_ key: borrowing Secret, _ algorithm: PublicKeyAlgorithm) throws -> [UInt8] {
        let sBox: SBox = algorithm == .gostR34102001 ? .cryptoProA : .tc26Z
        let zeros = [UInt8](repeating: 0, count: 16)
        return [UInt8](
            copying: try GOST28147IMIT.authenticate(zeros.span, key: key.bytes, sBox: sBox, meshing: false))
    }
}
