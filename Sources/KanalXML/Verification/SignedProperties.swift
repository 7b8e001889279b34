// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostCrypto
import KanalKit

/// The properties that XAdES signs (ETSI TS 101 903, 7.2).
struct SignedProperties: Sendable {
    /// In seconds since 1970.
    private(set) var signingTime: Int64?
    /// The digest of the signer's certificate; nil if it is not named.
    private var certificate: (algorithm: DigestAlgorithm, value: [UInt8])?

    /// - Throws: ``XMLFault/malformedSignature(_:)``, ``XMLFault/unknownAlgorithm(_:)``.
    init(_ element: XMLElement) throws(XMLFault) {
        guard let properties = element.children("SignedSignatureProperties", XMLName.xades).first else { return }
        if let time = properties.children("SigningTime", XMLName.xades).first {
            signingTime = Self.seconds(of: time.text ?? "")
        }
        for name in ["SigningCertificate", "SigningCertificateV2"] {
            guard let list = properties.children(name, XMLName.xades).first else { continue }
            let digest = list.children("Cert", XMLName.xades).first?.children("CertDigest", XMLName.xades).first
            guard let digest, certificate == nil,
                let text = digest.children("DigestValue", XMLName.signature).first?.text,
                let value = XMLText.bytes(ofBase64: text)
            else { throw .malformedSignature("its signing certificate has no digest, or several") }
            certificate = (try DigestMethod.digest(digest.children("DigestMethod", XMLName.signature).first), value)
        }
    }

    /// - Throws: ``XMLFault/wrongCertificate`` if they name another certificate.
    func require(_ signer: [UInt8]) throws {
        guard let certificate else { return }
        let digest = try DigestMethod.digest(by: certificate.algorithm) { write in write(signer.span) }
        guard digest == certificate.value else { throw XMLFault.wrongCertificate }
    }

    /// A time of XML Schema; nil for another text, or without a time zone.
    private static func seconds(of text: String) -> Int64? {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int32? {
            guard range.upperBound <= bytes.count else { return nil }
            return bytes[range].reduce(Int32?(0)) { value, digit in
                guard let value, (0x30...0x39).contains(digit) else { return nil }
                return value * 10 + Int32(digit - 0x30)
            }
        }
        guard bytes.count > 19, let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            bytes[10] == 0x54,
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19)
        else { return nil }
        var time = unsafe tm()
        (unsafe time.tm_year, unsafe time.tm_mon, unsafe time.tm_mday) = (year - 1900, month - 1, day)
        (unsafe time.tm_hour, unsafe time.tm_min, unsafe time.tm_sec) = (hour, minute, second)
        let seconds = Int64(unsafe timegm(&time))
        let zone = bytes[19...].drop { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
        if zone.elementsEqual("Z".utf8) { return seconds }
        guard zone.count == 6, let hours = number(zone.startIndex + 1..<zone.startIndex + 3),
            let minutes = number(zone.startIndex + 4..<zone.startIndex + 6)
        else { return nil }
        let offset = Int64(hours) * 3600 + Int64(minutes) * 60
        return zone.first == UInt8(ascii: "-") ? seconds + offset : seconds - offset
    }
}
