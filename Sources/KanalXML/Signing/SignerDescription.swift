// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import KanalKit
import Translation

/// The texts by which a signature names its signer's certificate.
struct SignerDescription {
    let certificate: [UInt8]
    let summary: CertificateSummary

    init(_ certificate: [UInt8]) throws(KanalError) {
        self.certificate = certificate
        summary = try CertificateSummary(of: certificate)
    }

    /// KeyInfo.
    func keyInformation(_ form: XMLSignatureForm.KeyInformation) throws(KanalError) -> String {
        let data: String
        switch form {
        case .none: return ""
        case .certificate: data = "<ds:X509Certificate>\(XMLText.base64(certificate))</ds:X509Certificate>"
        case .issuerAndNumber: data = "<ds:X509IssuerSerial>\(try issuerAndNumber)</ds:X509IssuerSerial>"
        }
        return "<ds:KeyInfo><ds:X509Data>\(data)</ds:X509Data></ds:KeyInfo>"
    }

    private var issuerAndNumber: String {
        get throws(KanalError) {
            """
            <ds:X509IssuerName>\(XMLText.escaped(summary.issuer.standardText))</ds:X509IssuerName>\
            <ds:X509SerialNumber>\(Self.decimal(summary.serialNumber))</ds:X509SerialNumber>
            """
        }
    }

    /// KeyInfo that names a token of Web Services Security.
    static func keyInformation(ofToken identifier: String) -> String {
        """
        <ds:KeyInfo><wsse:SecurityTokenReference xmlns:wsse="\(XMLName.security)">\
        <wsse:Reference URI="#\(identifier)" ValueType="\(XMLName.certificateToken)"/>\
        </wsse:SecurityTokenReference></ds:KeyInfo>
        """
    }

    /// The certificate in a token of Web Services Security.
    func token(_ identifier: String) -> String {
        """
        <wsse:BinarySecurityToken xmlns:wsse="\(XMLName.security)" xmlns:wsu="\(XMLName.utility)" \
        wsu:Id="\(identifier)" EncodingType="\(XMLName.base64Token)" ValueType="\(XMLName.certificateToken)">\
        \(XMLText.base64(certificate))</wsse:BinarySecurityToken>
        """
    }

    /// The object with the properties that XAdES-BES signs: the time, and the certificate's digest and name.
    func qualifyingProperties(
        of signature: String, _ identifier: String, _ digest: DigestAlgorithm, _ method: String, at time: Int64
    ) throws -> String {
        let value = try DigestMethod.digest(by: digest) { write in write(certificate.span) }
        return """
            <ds:Object><xades:QualifyingProperties xmlns:xades="\(XMLName.xades)" Target="#\(signature)">\
            <xades:SignedProperties Id="\(identifier)"><xades:SignedSignatureProperties>\
            <xades:SigningTime>\(Timestamp(time).text)</xades:SigningTime><xades:SigningCertificate><xades:Cert>\
            <xades:CertDigest><ds:DigestMethod Algorithm="\(method)"/>\
            <ds:DigestValue>\(XMLText.base64(value))</ds:DigestValue></xades:CertDigest>\
            <xades:IssuerSerial>\(try issuerAndNumber)</xades:IssuerSerial></xades:Cert></xades:SigningCertificate>\
            </xades:SignedSignatureProperties></xades:SignedProperties></xades:QualifyingProperties></ds:Object>
            """
    }

    /// The digits of a number, of which `bytes` are the big-endian form.
    private static func decimal(_ bytes: [UInt8]) -> String {
        // Each number below 10, the last digit first.
        var digits: [Int] = [0]
        for byte in bytes {
            var carry = Int(byte)
            for place in digits.indices {
                carry += digits[place] << 8
                digits[place] = carry % 10
                carry /= 10
            }
            while carry > 0 {
                digits.append(carry % 10)
                carry /= 10
            }
        }
        return digits.reversed().map(String.init).joined()
    }
}
