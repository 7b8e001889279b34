// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

/// The treatment of signatures that are there already.
struct PlaceOptions: ParsableArguments {
    @OptionGroup var replacing: OverwriteOption

    @Flag(help: .saying("Skip files that have a signature already."))
    var skipSigned = false
}

/// The places of the signatures of files.
struct SignaturePlaces: Sendable {
    let destination: String?
    let ending: String
    private let encoding: SignatureEncoding
    private let replaces, skipsSigned: Bool

    init(destination: String?, ending: String, encoding: SignatureEncoding, options: PlaceOptions) {
        (self.destination, self.ending, self.encoding) = (destination, ending, encoding)
        (replaces, skipsSigned) = (options.replacing.overwrite, options.skipSigned)
    }

    /// The destination of the result for a file.
    func place(for file: String) -> String {
        if let destination { return destination }
        return file == "-" ? "-" : file + ending
    }

    func open(for file: String) throws -> SignatureFile {
        let destination = try Destination(place(for: file), replaces: replaces, isText: encoding.isText)
        return SignatureFile(destination, encoding)
    }

    /// The files that are signed. Those that cannot be read, or whose signature is there already or cannot have its place,
    /// are skipped or refused before the PIN is asked for.
    func pending(_ files: [String], _ batch: inout Batch<SignedFile>) -> [String] {
        files.filter { file in
            let place = place(for: file)
            if skipsSigned, place != "-", place != file, InputFile.isRegular(place) {
                batch.skip(file, SignedFile(file, signature: place, isSkipped: true))
                return false
            }
            return batch.admits(file) {
                try InputFile.check(file)
                try Destination.check(place, replaces: replaces, isText: encoding.isText)
            } failed: {
                SignedFile(file, error: $1)
            }
        }
    }
}
