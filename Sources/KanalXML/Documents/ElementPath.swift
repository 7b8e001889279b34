// SPDX-License-Identifier: Apache-2.0
import KanalKit

/// A way to elements, from a user or for one: `#ID`, `{namespace}name` at any depth, or from the root
/// `/{namespace}name/{namespace}name[2]`.
///
/// It has no prefixes: a document chooses those.
package struct ElementPath: Equatable {
    private enum Start: Equatable {
        case identifier(String)
        /// From the root.
        case root
        /// Of one step, at any depth.
        case anywhere
    }

    private struct Step: Equatable, CustomStringConvertible {
        let namespace: String
        let name: String
        /// The place among elements of this name, from 1; nil for all.
        let place: Int?

        var description: String {
            (namespace.isEmpty ? "" : "{\(namespace)}") + name + (place.map { "[\($0)]" } ?? "")
        }
    }

    private let start: Start
    private let steps: [Step]

    /// - Throws: ``XMLFault/malformedPath(_:)``.
    package init(_ text: String) throws(XMLFault) {
        if text.hasPrefix("#"), text.utf8.count > 1 {
            (start, steps) = (.identifier(String(text.dropFirst())), [])
            return
        }
        var rest = text[...]
        var steps: [Step] = []
        start = text.hasPrefix("/") ? .root : .anywhere
        repeat {
            if start == .root, rest.popFirst() != "/" { throw .malformedPath(text) }
            guard let step = Self.step(&rest) else { throw .malformedPath(text) }
            steps.append(step)
        } while start == .root && !rest.isEmpty
        guard rest.isEmpty, start == .root || steps.allSatisfy({ $0.place == nil }) else { throw .malformedPath(text) }
        self.steps = steps
    }

    private static func step(_ text: inout Substring) -> Step? {
        var namespace = ""
        if text.hasPrefix("{") {
            guard let end = text.firstIndex(of: "}") else { return nil }
            namespace = String(text[text.index(after: text.startIndex)..<end])
            text = text[text.index(after: end)...]
        }
        let name = text.prefix { $0 != "/" && $0 != "[" && $0 != "{" && $0 != "#" }
        text = text[name.endIndex...]
        var place: Int?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]"),
                let number = Int(text[text.index(after: text.startIndex)..<end]), number > 0
            else { return nil }
            place = number
            text = text[text.index(after: end)...]
        }
        return name.isEmpty ? nil : Step(namespace: namespace, name: String(name), place: place)
    }

    /// The elements that it leads to.
    func elements(in document: XMLDocument, _ identifiers: Identifiers) throws(XMLFault) -> [XMLElement] {
        switch start {
        case .identifier(let identifier): return [try identifiers.element(identifier)].compactMap(\.self)
        case .anywhere:
            var found: [XMLElement] = []
            try document.root.forEach { element in
                if let step = steps.last, element.isNamed(step.name, step.namespace) { found.append(element) }
                return true
            }
            return found
        case .root:
            var found = [try document.root].filter { root in steps.first.map { Self.matches(root, $0) } ?? false }
            for step in steps.dropFirst() {
                found = found.flatMap { element in
                    let named = element.children(step.name, step.namespace)
                    guard let place = step.place else { return named }
                    return place <= named.count ? [named[place - 1]] : []
                }
            }
            return found
        }
    }

    private static func matches(_ root: XMLElement, _ step: Step) -> Bool {
        root.isNamed(step.name, step.namespace) && step.place ?? 1 == 1
    }

    /// The way from the root to an element and to no other one.
    static func text(to element: XMLElement) -> String {
        var text = ""
        var next: XMLElement? = element
        while let current = next {
            next = current.parent
            let (name, namespace) = (current.name, current.namespace)
            let same = next?.children(name, namespace) ?? []
            let place = same.count > 1 ? same.firstIndex(of: current).map { $0 + 1 } : nil
            text = "/\(Step(namespace: namespace, name: name, place: place))" + text
        }
        return text
    }
}
