/// A request that the origin received.
public struct Request: Sendable {
    /// The number of its connection, from 1 in the order in which connections were accepted.
    public let connection: Int
    /// The position of the request on its connection, from 1.
    public let ordinal: Int
    /// The time at which the head was complete.
    public let arrival: Moment
    public let method: String
    /// The request target as it was received.
    public let target: String
    /// The request line and the field lines as they were received, up to and including the empty line.
    public let head: [UInt8]
    /// The content after the removal of chunks.
    public let content: [UInt8]

    /// The target without the query.
    public var path: String {
        String(target.prefix { $0 != "?" })
    }

    /// The fields in the order in which they were received. Names are as they were received.
    public var fields: [(name: String, value: String)] {
        String(decoding: head, as: UTF8.self).split(separator: "\r\n").dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? parts[1] : ""
            return (
                String(parts[0]),
                String(value.drop(while: Self.isBlank).reversed().drop(while: Self.isBlank).reversed())
            )
        }
    }

    /// Returns the values of the fields with a name, which is compared without regard to case.
    public func values(of name: String) -> [String] {
        let name = name.lowercased()
        return fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    private static func isBlank(_ character: Character) -> Bool {
        character == " " || character == "\t"
    }
}
