// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalESIA
import KanalKit
import Terminal
import Translation

/// The program's registration at the identity service.
struct ESIAOptions: ParsableArguments {
    @Option(help: .saying("The program's mnemonic at the service.", valueName: "mnemonic"))
    var clientID: String

    @Option(help: .saying("The data that the program asks for: names with spaces between.", valueName: "names"))
    var scope: [String]

    @Option(help: .saying("The service's address, without a path.", valueName: "url"))
    var host = "https://esia.gosuslugi.ru"

    @Option(help: .saying("v2 from version 2.90 of the service on, v1 for those before.", valueName: "api"))
    var api = Generation.v2

    @Option(
        name: [.short, .long],
        help: .saying(
            "The label or id of the certificate that the service knows, or of its key. (default: the only one)",
            valueName: "key"))
    var key: String?

    enum Generation: String, CaseIterable, ExpressibleByArgument {
        case v1, v2
    }

    /// The service, with the paths that are not its own.
    func service(
        _ redirectURI: String, authorization: String? = nil, token: String? = nil
    ) -> ESIAService {
        var service = ESIAService(
            clientID: clientID, scope: scope.flatMap { $0.split(separator: " ").map(String.init) },
            redirectURI: redirectURI, host: host, generation: api == .v1 ? .first : .second)
        if let authorization { service.authorizationPath = authorization }
        if let token { service.tokenPath = token }
        return service
    }
}
