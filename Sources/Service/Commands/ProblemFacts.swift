internal import Serialization

/// The members of a problem that a person needs, read from its JSON.
struct ProblemFacts: Sendable {
    struct Link: Equatable, Sendable {
        var code = ""
        var message = ""
        var byte: Int?
        var line: Int?
        var column: Int?
        var expected: [String] = []
        var excerpt: String?
    }

    var code = ""
    var detail = ""
    var hint: String?
    /// The options and their values, or `path`, that would accept the content.
    var accepts: [(name: String, value: String)] = []
    var links: [Link] = []

    /// The innermost error that has a location.
    var located: Link? { links.last { $0.byte != nil } }

    /// - Parameter problem: the content of a problem response of this program.
    init(_ problem: Span<UInt8>) {
        var json = JSONDocumentReader(checking: problem, limits: Limits())
        // Of a text that is not a problem, the facts before the first fault remain.
        try? read(&json, problem)
    }

    /// Reads some members. Others, such as the value, may be long.
    private mutating func read(_ json: inout JSONDocumentReader, _ text: Span<UInt8>) throws(JSONDocumentFault) {
        try json.enterObject(in: text)
        while let name = try json.nextName(in: text) {
            switch name {
            case "code": code = try json.string(in: text)
            case "detail": detail = try json.string(in: text)
            case "hint": hint = try json.string(in: text)
            case "accepts":
                try json.enterObject(in: text)
                while let option = try json.nextName(in: text) { accepts.append((option, try json.string(in: text))) }
            case "chain":
                try json.enterArray(in: text)
                while json.nextElement(in: text) { links.append(try Link(&json, text)) }
            default: _ = json.skip(in: text)
            }
        }
    }
}

extension ProblemFacts.Link {
    fileprivate init(_ json: inout JSONDocumentReader, _ text: Span<UInt8>) throws(JSONDocumentFault) {
        try json.enterObject(in: text)
        while let name = try json.nextName(in: text) {
            switch name {
            case "code": code = try json.string(in: text)
            case "message": message = try json.string(in: text)
            case "excerpt": excerpt = try json.string(in: text)
            case "expected":
                try json.enterArray(in: text)
                while json.nextElement(in: text) { expected.append(try json.string(in: text)) }
            case "at": try readLocation(&json, text)
            default: _ = json.skip(in: text)
            }
        }
    }

    private mutating func readLocation(
        _ json: inout JSONDocumentReader,
        _ text: Span<UInt8>
    ) throws(JSONDocumentFault) {
        try json.enterObject(in: text)
        while let name = try json.nextName(in: text) {
            switch name {
            case "byte": byte = try json.integer(0...(.max), in: text)
            // The file does not contain it.
            case "in": if try json.string(in: text) == "value" { byte = nil }
            case "line": line = try json.integer(0...(.max), in: text)
            case "column": column = try json.integer(0...(.max), in: text)
            default: _ = json.skip(in: text)
            }
        }
    }
}
