internal import Fetching
internal import Platform

/// The addresses of a hosts(5) file.
struct HostsFile: Equatable {
    /// The maximum length of a file that is read, in bytes. A longer one is an error.
    static let maxBytes = 4 << 20

    private var entries: [String: [IPAddress]] = [:]

    init() {}

    /// Reads all lines. Those that do not begin with an address are ignored.
    init(parsing content: [UInt8]) {
        for line in content.split(separator: UInt8(ascii: "\n")) {
            let words = ConfigurationLine.words(line, comment: [UInt8(ascii: "#")])
            guard let first = words.first, let address = IPAddress(parsing: first) else { continue }
            for name in words.dropFirst() {
                let name = name.lowercased()
                if entries[name]?.contains(address) != true { entries[name, default: []].append(address) }
            }
        }
    }

    /// Returns the addresses of a name in lower case, in the order of the file.
    func addresses(of name: String) -> [IPAddress] { entries[name] ?? [] }
}

/// The DNS servers of a resolv.conf(5) file.
///
/// Search lists and other options are ignored: names are absolute. Unlike the C library, an address can have a port:
/// `[10.0.0.1]:5353`.
struct ResolvConf: Equatable {
    /// The maximum length of a file that is read, in bytes. A longer one is an error.
    static let maxBytes = 64 << 10

    /// The maximum number of servers. The C library uses three (MAXNS in resolv.h).
    static let maxServers = 3

    /// The servers, as c-ares expects them.
    private(set) var servers: [String] = []

    init(parsing content: [UInt8]) {
        for line in content.split(separator: UInt8(ascii: "\n")) where servers.count < Self.maxServers {
            let words = ConfigurationLine.words(line, comment: [UInt8(ascii: "#"), UInt8(ascii: ";")])
            guard words.count >= 2, words[0] == "nameserver", let server = Self.server(words[1]) else { continue }
            servers.append(server)
        }
    }

    private static func server(_ text: String) -> String? {
        guard text.hasPrefix("[") else { return server(text, port: 53) }
        let parts = text.dropFirst().split(separator: "]:", maxSplits: 1)
        guard parts.count == 2, let port = UInt16(parts[1]), port > 0 else { return nil }
        return server(String(parts[0]), port: port)
    }

    private static func server(_ text: String, port: UInt16) -> String? {
        switch IPAddress(parsing: text) {
        case .v4(let address): "\(address):\(port)"
        case .v6(let address): "[\(address)]:\(port)"
        case nil: nil
        }
    }
}

/// The syntax of both files.
enum ConfigurationLine {
    /// Returns the words of a line, up to a comment.
    static func words(_ line: ArraySlice<UInt8>, comment: [UInt8]) -> [String] {
        line.prefix { !comment.contains($0) }
            .split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
