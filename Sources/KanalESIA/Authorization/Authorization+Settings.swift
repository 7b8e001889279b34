// SPDX-License-Identifier: Apache-2.0
import KanalKit

extension Authorization {
    /// The application that authorises, and the way back of its answer.
    public struct Settings: Sendable, Equatable {
        /// The application that authorises.
        public var application: OtherApplication
        /// How the answer returns.
        public var answers: ReturnPath
        /// The other application's name for the asking application: 1 to 200 characters. Nil for none.
        public var title: String?
        /// The information system on whose behalf the application asks: its mnemonic, 1 to 200 characters.
        public var informationSystem: String
        /// The https address of a page from which the other application is installed. Nil for none.
        public var installationPage: String?
        /// The time limit of a request: five minutes by default.
        public var timeLimit: Duration

        /// Settings of one application.
        ///
        /// - Parameters:
        ///   - application: The application that authorises.
        ///   - answers: How the answer returns.
        ///   - title: The other application's name for the asking application: 1 to 200 characters. Nil for none.
        ///   - informationSystem: The mnemonic of the information system, 1 to 200 characters.
        ///   - installationPage: The https address of a page from which the other application is installed.
        ///   - timeLimit: The time limit of a request.
        public init(
            application: OtherApplication, answers: ReturnPath, title: String? = nil, informationSystem: String,
            installationPage: String? = nil, timeLimit: Duration = .seconds(300)
        ) {
            self.application = application
            self.answers = answers
            self.title = title
            self.informationSystem = informationSystem
            self.installationPage = installationPage
            self.timeLimit = timeLimit
        }
    }

    /// The application that authorises.
    public enum OtherApplication: Sendable, Equatable {
        /// The application that the desktop has for this scheme. It is opened with the request.
        case handler(scheme: String)
        /// The browser. It is opened with the location of a request, which names the callback.
        case browser

        var scheme: String {
            switch self {
            case .handler(let scheme): scheme
            case .browser: "https"
            }
        }
    }

    /// How the answer of the other application returns.
    public enum ReturnPath: Sendable, Equatable {
        /// By addresses of this scheme, which is the application's own: its desktop file runs `kanal callback %u`, or a
        /// program that calls ``Authorization/process(_:)``.
        case scheme(String)
        /// By HTTP at 127.0.0.1, at a port that the system chooses (RFC 8252, 7.3).
        case loopback
    }
}

extension Authorization.Settings {
    /// Throws if nothing can be asked by these settings.
    func check() throws(AuthorizationError) {
        if case .handler(let scheme) = application { try Self.check(scheme) }
        if case .scheme(let scheme) = answers { try Self.check(scheme) }
        for text in [title, informationSystem].compactMap(\.self) {
            let isPlain = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
            guard isPlain, (1...200).contains(text.count), text.utf8.count <= 1024 else {
                throw .notConfigured("the title and the information system have 1 to 200 characters")
            }
        }
        if let page = installationPage {
            guard page.hasPrefix("https://"), page.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw .notConfigured("the installation page has no https address")
            }
        }
        guard timeLimit > .zero else { throw .notConfigured("the time limit is not positive") }
    }

    private static func check(_ scheme: String) throws(AuthorizationError) {
        guard Authorization.isOwnScheme(scheme) else {
            throw .notConfigured("a scheme of an application has 1 to 64 letters, digits, \"+\", \"-\" and \".\"")
        }
    }
}

extension Authorization {
    /// Whether a scheme can be one application's, and is not a scheme of files or the web.
    package static func isOwnScheme(_ text: String) -> Bool {
        isScheme(text) && !["file", "http", "https"].contains(text)
    }

    /// Whether a text can be an application's scheme, in lower case (RFC 3986, 3.1).
    static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, (0x61...0x7A).contains(first), text.utf8.count <= 64 else { return false }
        return text.utf8.allSatisfy { character in
            switch character {
            case 0x30...0x39, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
            default: false
            }
        }
    }
}
