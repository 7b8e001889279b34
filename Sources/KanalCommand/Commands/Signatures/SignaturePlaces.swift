// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

/// The treatment of signatures that are there already.
struct PlaceOptions: ParsableArguments {
    @Flag(help: .saying("Replace signatures that are there already."))
    var overwrite = false

    @Flag(help: .saying("Pass over files whose signature is there already."))
    var skipSigned = false
}

/// The places of the signatures of files.
struct SignaturePlaces: Sendable {
    let destination: String?
    let ending: String
    private let replaces, skipsSigned: Bool

    init(destination: String?, ending: String, options: PlaceOptions) {
        (self.destination, self.ending) = (destination, ending)
        (replaces, skipsSigned) = (options.overwrite, options.skipSigned)
    }

    /// The destination of the result for a file.
    func place(for file: String) -> String {
        if let destination { return destination }
        return file == "-" ? "-" : file + ending
    }

    func open(for file: String) throws -> Destination { try Destination(place(for: file), replaces: replaces) }

    /// The files that are signed. Those whose signature is there already are skipped or refused, before anybody is asked
    /// for a PIN.
    func pending(_ files: [String], _ batch: inout Batch<SignedFile>) -> [String] {
        guard !replaces else { return files }
        var pending: [String] = []
        for file in files {
            let place = place(for: file)
            if place == "-" || place == file || !InputFile.isRegular(place) {
                pending.append(file)
            } else if skipsSigned {
                batch.skip(SignedFile(file, signature: place, isSkipped: true))
            } else {
                batch.attempt(file) {
                    throw ResultRefusal.exists(place)
                } failed: {
                    SignedFile(file, error: $1)
                }
            }
        }
        return pending
    }
}

/// The result for a file to be signed.
struct SignedFile: Encodable, Sendable {
    let file: String
    let signature: String?
    /// Whether the signature was there already.
    let isSkipped: Bool?
    let error: String?

    init(_ file: String, signature: String? = nil, isSkipped: Bool? = nil, error: String? = nil) {
        self.file = file.shownName
        self.signature = signature?.shownName
        (self.isSkipped, self.error) = (isSkipped, error)
    }
}
