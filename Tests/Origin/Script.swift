/// The response to one request: its parts, its waits, and the stage at which it fails.
///
/// A script is made by a test, or from the path of a request (``Script/init(command:arguments:)``, `docs/testing.md`).
public struct Script: Sendable {
    public enum Content: Sendable, Equatable {
        case none
        /// The bytes of ``Script/pattern(_:)``; its type is `application/octet-stream`.
        case pattern(bytes: Int)
        /// A JSON text of exactly that many bytes (``Script/json(_:)``), at least 1.
        case json(bytes: Int)
        /// Bytes without a default type.
        case bytes([UInt8])
        /// The JSON text `{"count":N}`, where N is the number of requests for the target until now, including this one.
        case count
        /// The head and the content of the request; the type is `text/plain`.
        case echo
    }

    public enum Framing: Sendable, Equatable {
        /// `Content-Length`.
        case length
        /// Chunks of that many bytes; the last one may be smaller.
        case chunks(bytes: Int)
        /// The content ends when the connection is closed.
        case close
    }

    public enum Wait: Sendable, Equatable {
        case delay(milliseconds: Int)
        /// Until the test calls ``Origin/release(_:)`` with the name.
        case hold(String)
    }

    /// Pieces of so many bytes, with a wait of so many milliseconds between them.
    public struct Drip: Sendable, Equatable {
        public var bytes: Int
        public var milliseconds: Int

        public init(bytes: Int, milliseconds: Int) {
            self.bytes = max(1, bytes)
            self.milliseconds = milliseconds
        }
    }

    public enum Stage: String, Sendable, CaseIterable {
        /// The request was read, and nothing was sent.
        case beforeHead = "before-head"
        /// Half of the head was sent.
        case inHead = "in-head"
        /// The head and half of the content were sent.
        case inContent = "in-content"
        /// The response was sent.
        case afterContent = "after-content"
    }

    public enum Failure: Sendable, Equatable {
        /// The connection is reset (TCP RST).
        case reset(Stage)
        /// The connection is closed in an orderly way (TCP FIN).
        case end(Stage)

        var stage: Stage {
            switch self {
            case .reset(let stage), .end(let stage): stage
            }
        }
    }

    public var status = 200
    /// The protocol version in the status line.
    public var version = "HTTP/1.1"
    /// Field lines without their line ends.
    public var fieldLines: [String] = []
    /// The number of additional fields `x-0: 0`, `x-1: 1`, …, which are sent after the others.
    public var extraFields = 0
    /// The size of the value of an additional field `x-long`, in bytes.
    public var longFieldBytes = 0
    public var content: Content = .none
    public var framing: Framing = .length
    /// The value of `Content-Length`; `nil` if it is the size of the content.
    public var statedLength: String?
    /// Interim responses before the head: their status and number. 0 sends them until the peer closes the connection.
    public var interim: (status: Int, count: Int)?
    public var waitsBeforeHead: [Wait] = []
    public var waitsBeforeContent: [Wait] = []
    public var headDrip: Drip?
    public var contentDrip: Drip?
    public var failure: Failure?
    /// Whether the connection is closed after the response, which `Connection: close` announces.
    public var closes = false
    /// The scheme by which requests authenticate their connection: the credentials of one of them are those of all
    /// later requests on it. They are the content of the response, which is 401 without any. `nil` for no
    /// authentication.
    public var authentication: String?
    /// Bytes that are sent in place of a response. Then the connection is closed.
    public var raw: [UInt8]?
    /// Bytes that are sent in place of a response. The connection stays open.
    public var bytes: [UInt8]?
    /// The name of registered bytes (``Origin/register(raw:_:)``), which are sent like ``raw``.
    public var rawName: String?

    public init() {}

    public init(status: Int = 200, fields: [(String, String)] = [], content: Content = .none) {
        self.status = status
        self.fieldLines = fields.map { "\($0): \($1)" }
        self.content = content
    }

    /// Authenticates the connection of a request.
    /// - Parameter credentials: those of its connection.
    mutating func authenticate(_ request: Request, _ credentials: inout String?) {
        guard let authentication else { return }
        let own = request.values(of: "Authorization").first { $0.hasPrefix(authentication) }
        credentials = own ?? credentials
        if let credentials {
            content = .bytes(Array(credentials.utf8))
            fieldLines.append("Content-Type: text/plain")
        } else {
            status = 401
            fieldLines.append("WWW-Authenticate: \(authentication)")
        }
    }

    // MARK: Content

    /// The distance after which ``pattern(_:)`` repeats itself, in bytes. It is prime, so that no buffer size divides
    /// it.
    private static let period = 251
    private static let table: [UInt8] = (0..<(period * 262)).map { UInt8($0 % period) }

    /// Returns content of `count` bytes, which are the remainders of their offsets divided by 251.
    public static func pattern(_ count: Int) -> [UInt8] {
        var content: [UInt8] = []
        content.reserveCapacity(count)
        while content.count < count { content += patternPiece(from: content.count, atMost: count - content.count) }
        return content
    }

    /// Returns a piece of the content of ``pattern(_:)``, of at least 1 byte and about 64 KiB at most.
    static func patternPiece(from offset: Int, atMost count: Int) -> ArraySlice<UInt8> {
        table[(offset % period)...].prefix(count)
    }

    /// Returns a JSON text of `count` bytes: an object with a string, or a number if there is not enough space for
    /// that.
    public static func json(_ count: Int) -> [UInt8] {
        let (start, end) = (Array(#"{"data":""#.utf8), Array(#""}"#.utf8))
        guard count >= start.count + end.count else {
            return count < 1 ? [] : [UInt8(ascii: "1")] + [UInt8](repeating: UInt8(ascii: "0"), count: count - 1)
        }
        return start + [UInt8](repeating: UInt8(ascii: "a"), count: count - start.count - end.count) + end
    }
}
