// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Terminal
import Translation

/// The place of a result that has a name of its own if none is given.
struct ResultPlaceOption: ParsableArguments {
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: .saying("The file to write to.", valueName: "file"), completion: .file(),
        transform: FileName.argument)
    var destination: String?

    @OptionGroup var replacing: OverwriteOption
}
