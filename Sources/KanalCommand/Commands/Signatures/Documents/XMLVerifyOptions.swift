// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalXML
import Translation

/// Whether the signatures of XML documents are verified.
struct XMLVerifyOptions: ParsableArguments {
    @Flag(help: .saying("The files are XML documents with signatures in them."))
    var xml = false

    @Option(
        help: .saying(
            "An element of an XML document that must be signed: #ID, {namespace}name, or a path of such names from /.",
            valueName: "path"))
    var element: [String] = []

    /// Refuses a text that leads to no elements, whatever the document.
    static func requirePath(_ text: String) throws {
        do throws(XMLFault) { _ = try ElementPath(text) } catch {
            throw ValidationError(translated(error.explanation))
        }
    }

    /// - Parameter isOfOther: Whether an option is given that XML documents have no use for.
    func validate(isOfOther: Bool) throws {
        try element.forEach(Self.requirePath)
        guard xml || element.isEmpty else { throw ValidationError(translated("--element goes with --xml")) }
        guard !xml || !isOfOther else {
            throw ValidationError(translated("--cms, --pdf, --content, --lenient and --output do not go with --xml"))
        }
    }
}
