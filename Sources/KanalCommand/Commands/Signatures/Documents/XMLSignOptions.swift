// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalXML
import Translation

/// Whether XML documents are signed, and how.
struct XMLSignOptions: ParsableArguments {
    @Flag(help: .saying("Sign XML documents, with the signature in them."))
    var xml = false

    @Option(
        help: .saying(
            "The standard of the signature in an XML document. (default: plain)",
            valueName: "profile"))
    var profile: ProfileName?

    @Option(
        help: .saying("The Id of an element to sign, and not the whole document.", valueName: "id"))
    var element: [String] = []

    @Option(
        help: .saying(
            "The element of an XML document that gets the signature: #ID, {namespace}name, or a path of such names from /.",
            valueName: "path"))
    var place: String?

    @Option(
        help: .saying(
            "The canonical form of an XML document. (default: exclusive)", valueName: "form"))
    var canonical: CanonicalName?

    @Option(
        help: .saying(
            "The names of GOST algorithms in an XML document. (default: cryptopro)", valueName: "kind"
        ))
    var names: NamesName?

    @Option(
        help: .saying(
            "The part of the certificate in an XML document. (default: certificate)",
            valueName: "part"))
    var keyInfo: KeyInformationName?

    /// The ending of a result's name.
    static let ending = ".signed.xml"

    func validate(with sign: Sign) throws {
        guard xml else {
            guard profile == nil, element.isEmpty, place == nil, canonical == nil, names == nil, keyInfo == nil else {
                throw ValidationError(
                    translated("--profile, --element, --place, --canonical, --names and --key-info go with --xml"))
            }
            return
        }
        if let place { try XMLVerifyOptions.requirePath(place) }
        guard !sign.message.cms, !sign.addition.isGiven, !sign.esia, sign.algorithm == nil, !sign.form.base64 else {
            throw ValidationError(
                translated("--xml does not go with --cms, --add, --countersign, --esia, --algorithm and --base64"))
        }
    }

    var form: XMLSignatureForm {
        var form = XMLSignatureForm()
        form.profile = profile?.profile ?? .plain
        (form.elements, form.place) = (element, place)
        form.canonical = canonical == .inclusive ? .inclusive : .exclusive
        form.names = names == .w3c ? .w3c : .cryptoPro
        form.keyInformation = keyInfo?.part ?? .certificate
        return form
    }
}

/// The standard that a signature follows, as it is typed.
enum ProfileName: String, CaseIterable, ExpressibleByArgument {
    case plain, smev, wss, xades

    var profile: XMLSignatureForm.Profile {
        switch self {
        case .plain: .plain
        case .smev: .smev
        case .wss: .webServices
        case .xades: .xades
        }
    }
}

/// The canonical form, as it is typed.
enum CanonicalName: String, CaseIterable, ExpressibleByArgument {
    case exclusive, inclusive
}

/// The kind of names of algorithms, as it is typed.
enum NamesName: String, CaseIterable, ExpressibleByArgument {
    case cryptopro, w3c
}

/// The part of a certificate that goes with a signature, as it is typed.
enum KeyInformationName: String, CaseIterable, ExpressibleByArgument {
    case certificate, issuer, none

    var part: XMLSignatureForm.KeyInformation {
        switch self {
        case .certificate: .certificate
        case .issuer: .issuerAndNumber
        case .none: .none
        }
    }
}
