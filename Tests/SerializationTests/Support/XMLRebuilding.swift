import Foundation

/// Rebuilds XML from only the document form, as any receiver could.
struct XMLRebuilding {
    private(set) var xml = ""

    /// - Parameter value: The JSON of `serializer=xml-document`, `view=value`.
    init(_ value: String) throws {
        let document = try JSONSerialization.jsonObject(with: Data(value.utf8)) as? [String: Any] ?? [:]
        // The declared encoding was that of the content; a rebuilt document is UTF-8.
        if document["version"] != nil { xml += "<?xml version=\"1.0\"?>" }
        for child in document["prolog"] as? [Any] ?? [] { write(child) }
        write(document["root"] ?? "")
        for child in document["epilog"] as? [Any] ?? [] { write(child) }
    }

    private mutating func write(_ child: Any) {
        switch child {
        case let text as String: xml += Self.escaped(text)
        case let object as [String: Any]: write(object)
        default: xml += "<!-- neither a text nor an object -->"
        }
    }

    private mutating func write(_ object: [String: Any]) {
        if let section = object["cdata"] as? String {
            xml += "<![CDATA[\(section)]]>"
        } else if let comment = object["comment"] as? String {
            xml += "<!--\(comment)-->"
        } else if let instruction = object["pi"] as? [String] {
            xml += "<?\(instruction[0]) \(instruction[1])?>"
        } else {
            writeElement(object)
        }
    }

    private mutating func writeElement(_ element: [String: Any]) {
        let name = element["name"] as? String ?? ""
        xml += "<\(name)"
        for declaration in element["namespaces"] as? [[String]] ?? [] {
            let prefix = declaration[0].isEmpty ? "" : ":" + declaration[0]
            xml += " xmlns\(prefix)=\"\(Self.escaped(declaration[1]))\""
        }
        for attribute in element["attributes"] as? [[String: String]] ?? [] {
            xml += " \(attribute["name"] ?? "")=\"\(Self.escaped(attribute["value"] ?? ""))\""
        }
        xml += ">"
        for child in element["children"] as? [Any] ?? [] { write(child) }
        xml += "</\(name)>"
    }

    /// White space other than spaces would be normalized in attributes, carriage returns everywhere.
    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&", "<", ">", "\"", "\t", "\n", "\r": escaped.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
