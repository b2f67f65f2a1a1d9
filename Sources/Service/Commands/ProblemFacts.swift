internal import Serialization

/// The members of a problem that a person needs, read from its JSON.
struct ProblemFacts: Equatable, Sendable {
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
        var cursor = JSONCursor()
        // The open containers: whether each is an object, and the name or the index of its current member.
        var path: [(isObject: Bool, name: String, index: Int)] = []
        var expectsName = false
        func names() -> [String] { path.map { $0.isObject ? $0.name : String($0.index) } }
        while let token = cursor.token(in: problem) {
            switch token {
            case .opening(let bracket):
                path.append((isObject: bracket == UInt8(ascii: "{"), name: "", index: 0))
                expectsName = bracket == UInt8(ascii: "{")
                if names().first == "chain", path.count == 3, expectsName { links.append(Link()) }
            case .closing:
                _ = path.popLast()
                expectsName = false
            case .punctuation(UInt8(ascii: ",")):
                guard let last = path.indices.last else { break }
                expectsName = path[last].isObject
                path[last].index += 1
            case .punctuation: break
            case .string(let string):
                if expectsName, let last = path.indices.last {
                    path[last].name = string.text(in: problem)
                    expectsName = false
                } else if Self.members.contains(path.first?.name ?? "") {
                    set(string.text(in: problem), names())
                }
            case .scalar(let range):
                if Self.members.contains(path.first?.name ?? "") { set(problem.text(range), names()) }
            }
        }
    }

    /// The members of the problem that are read. Others, such as the value, may be long.
    private static let members: Set = ["code", "detail", "hint", "accepts", "chain"]

    private mutating func set(_ value: String, _ path: [String]) {
        switch path.count {
        case 1 where path[0] == "code": code = value
        case 1 where path[0] == "detail": detail = value
        case 1 where path[0] == "hint": hint = value
        case 2 where path[0] == "accepts": accepts.append((path[1], value))
        case 3... where path[0] == "chain":
            guard let last = links.indices.last else { return }
            switch path.dropFirst(2).first {
            case "code": links[last].code = value
            case "message": links[last].message = value
            case "excerpt": links[last].excerpt = value
            case "expected": links[last].expected.append(value)
            case "at":
                switch path.last {
                case "byte": links[last].byte = Int(value)
                // The file does not contain it.
                case "in" where value == "value": links[last].byte = nil
                case "line": links[last].line = Int(value)
                case "column": links[last].column = Int(value)
                default: break
                }
            default: break
            }
        default: break
        }
    }

    static func == (first: ProblemFacts, second: ProblemFacts) -> Bool {
        first.code == second.code && first.detail == second.detail && first.hint == second.hint
            && first.links == second.links && first.accepts.elementsEqual(second.accepts, by: ==)
    }
}
