// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Terminal
import Translation

/// Questions for a name, a field at a time, to a person at the terminal.
enum SubjectQuestions {
    /// The field that is needed; then those that qualified certificates have (FSB order 795, 18), nearest to the owner
    /// first.
    private static let types = [
        "CN", "SN", "GN", "title", "OU", "O", "emailAddress", "INN", "SNILS", "INNLE", "OGRN", "OGRNIP", "street", "L",
        "ST", "C",
    ]

    private static let prompts: [String: Phrase] = [
        "CN": "Common name (CN), a person's whole name or a company's: ", "SN": "Surname (SN): ",
        "GN": "Given name and patronymic (GN): ", "title": "Position (title): ", "OU": "Department (OU): ",
        "O": "Company (O): ", "emailAddress": "E-mail address (emailAddress): ", "INN": "INN of a person, 12 digits: ",
        "SNILS": "SNILS, 11 digits: ", "INNLE": "INN of a company (INNLE), 10 digits: ", "OGRN": "OGRN, 13 digits: ",
        "OGRNIP": "OGRNIP, 15 digits: ", "street": "Street and house (street): ", "L": "City (L): ",
        "ST": "Region (ST): ", "C": "Country (C), as in RU: ",
    ]

    /// The fields, what is nearest to the owner first.
    ///
    /// - Throws: ``Console/Failure``, as the terminal has it.
    static func fields() throws(Console.Failure) -> [RequestField] {
        let console = try ProgramContext.current.terminal()
        let introduction: Phrase =
            "The name of the certificate's subject. Only the first answer is needed: Enter leaves a field out."
        console.show((translated(introduction) + "\n").wrapped(to: console.style.width))
        var fields: [RequestField] = []
        for type in types { if let field = try field(type, console) { fields.append(field) } }
        return fields
    }

    /// The answer, once it is a field of this type; nil if it is left out. Each turn waits for a person.
    private static func field(_ type: String, _ console: any Conversation) throws(Console.Failure) -> RequestField? {
        while true {
            let answer = try console.line(translated(prompts[type] ?? Phrase(verbatim: "\(type): "))).trimmed
            if answer.isEmpty, type != "CN" { return nil }
            let field = RequestField(type, literal: answer)
            guard let fault = fault(of: field) else { return field }
            console.show((translated(fault.explanation(isAnswer: true)) + "\n").wrapped(to: console.style.width))
        }
    }

    private static func fault(of field: RequestField) -> SubjectFault? {
        let name = CertificateSummary.Name.phrase(ofType: field.type)
        if field.value.isEmpty { return .needed(name) }
        if let fault = SubjectAttribute(named: field.type)?.fault(of: field, as: name) { return fault }
        return field.isAccepted ? nil : .refused(name)
    }
}
