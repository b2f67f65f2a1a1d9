import Foundation
import TestSupport
import Testing

/// The tests of the W3C's XML conformance suite (20130923), as listed in its documents.
struct XMLSuite {
    struct Test: CustomTestStringConvertible {
        /// `valid`, `invalid` (also well-formed), `not-wf` or `error` (optional for a parser).
        var type: String
        var identifier: String
        var url: URL
        /// The recommendation to which it belongs: `XML1.0`, `NS1.0`, `XML1.1`, `XML1.0-errata4e` …
        var recommendation: String
        /// The external entities that it needs: `none`, `general`, `parameter`, `both`.
        var entities: String
        /// Whether it applies to the fifth edition of XML 1.0, which libxml2 implements.
        var isOfFifthEdition: Bool
        var version: String

        var testDescription: String { identifier }
        var content: [UInt8] { (try? Data(contentsOf: url)).map(Array.init) ?? [] }

        /// Whether XML 1.0 decides about it without external entities.
        var isDecidable: Bool {
            entities == "none" && version == "1.0" && isOfFifthEdition && type != "error"
                && !recommendation.hasPrefix("XML1.1") && !recommendation.hasPrefix("NS1.1")
        }
    }

    static let folder = "xml/xmlconf"

    /// All tests, in the order of the suite.
    static let tests: [Test] = {
        let root = Suites.url(folder)
        guard let main = text(root.appending(path: "xmlconf.xml")) else { return [] }
        return main.matches(of: /<!ENTITY \S+\s+SYSTEM "([^"]+)">/).flatMap { list in
            tests(listedIn: root.appending(path: String(list.1)))
        }
    }()

    private static func tests(listedIn url: URL) -> [Test] {
        // Some lists contain tests in comments.
        let list = (text(url) ?? "").replacing(/(?s)<!--.*?-->/, with: "")
        return list.matches(of: /<TEST\s([^>]*)>/).compactMap { tag in
            let pairs = tag.1.matches(of: /([\w:]+)\s*=\s*["']([^"']*)["']/).map { (String($0.1), String($0.2)) }
            let fields = Dictionary(pairs) { first, _ in first }
            guard let type = fields["TYPE"], let path = fields["URI"] else { return nil }
            return Test(
                type: type,
                identifier: fields["ID"] ?? path,
                url: url.deletingLastPathComponent().appending(path: path),
                recommendation: fields["RECOMMENDATION"] ?? "XML1.0",
                entities: fields["ENTITIES"] ?? "none",
                isOfFifthEdition: (fields["EDITION"] ?? "5").contains("5"),
                version: fields["VERSION"] ?? "1.0"
            )
        }
    }

    private static func text(_ url: URL) -> String? {
        (try? Data(contentsOf: url)).map { String(decoding: $0, as: UTF8.self) }
    }
}
