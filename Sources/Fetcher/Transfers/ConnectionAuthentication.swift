internal import Fetching
internal import Primitives

/// The schemes with which an origin authenticates a connection, and not a request (RFC 4559 §6): whoever sends the next
/// request over the connection has the rights of the one who authenticated it.
enum ConnectionAuthentication {
    private static let schemes: Set<String> = ["ntlm", "negotiate", "nego2", "kerberos"]

    /// Whether a request may authenticate its connection.
    static func isUsed(by request: FetchRequest) -> Bool { names(in: request.fields, ["authorization"]) }

    /// Whether the connection over which a response was received may be authenticated, or may be about to be.
    static func isOffered(by head: FetchHead) -> Bool {
        names(in: head.fields, ["www-authenticate", "authentication-info"])
            || head.fields.contains { $0.name.equalsIgnoringASCIICase("persistent-auth") }
    }

    /// Whether a field names one of the schemes. A quoted text that looks like one is regarded as one.
    private static func names(in fields: [HeaderFields.Field], _ names: [String]) -> Bool {
        fields.contains { field in
            names.contains { field.name.equalsIgnoringASCIICase($0) }
                && field.value.lowercased().split(whereSeparator: { ", \t=\"".contains($0) })
                    .contains { schemes.contains(String($0)) }
        }
    }
}
