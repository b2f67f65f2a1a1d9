internal import Fetching
internal import Serialization

/// The reason why the text of a setting is not accepted. It repeats nothing of the text, which can contain a password.
protocol SettingReason: Error {
    /// The reason and its location, as the end of a sentence.
    var reason: String { get }
}

extension HostRulesError: SettingReason {
    var reason: String {
        switch self {
        case .emptyEntry(let offset): "the entry at offset \(offset) is empty"
        case .unsupportedScheme(let offset): "the scheme at offset \(offset) is neither http nor https"
        case .credentials(let offset): "there are credentials before the '@' at offset \(offset)"
        case .host(let error): error.reason
        case .misplacedWildcard(let offset): "the '*' at offset \(offset) is neither the host nor its first label"
        case .malformedPort(let offset): "the port at offset \(offset) is not in 1 to 65535"
        case .malformedPath(let error): "in the path, \(error.reason)"
        case .unmatchablePath(let offset): "no URL has the path at offset \(offset)"
        }
    }
}

extension FetchHostError: SettingReason {
    var reason: String {
        switch self {
        case .empty(let offset): "the host at offset \(offset) is empty"
        case .invalidByte(let byte, let offset):
            "a host cannot contain the byte \(byte.hexadecimalLiteral) at offset \(offset)"
        case .emptyLabel(let offset): "the label at offset \(offset) is empty"
        case .trailingDot(let offset): "the host ends with the dot at offset \(offset)"
        case .labelTooLong(let bytes, let max, let offset):
            "the label at offset \(offset) is \(bytes) bytes long; at most \(max) are allowed"
        case .nameTooLong(let bytes, let max, let offset):
            "the name at offset \(offset) is \(bytes) bytes long; at most \(max) are allowed"
        case .localhost(let offset): "the host at offset \(offset) is the machine of the service itself"
        case .notDottedQuad(let offset): "the address at offset \(offset) is not four decimal numbers with dots"
        case .malformedIPv6Address(let offset): "the IPv6 address at offset \(offset) is malformed"
        case .zone(let offset): "the IPv6 address has a zone at offset \(offset)"
        case .unterminatedIPv6Address(let offset): "the '[' at offset \(offset) has no ']'"
        }
    }
}

extension FetchURLError: SettingReason {
    var reason: String {
        switch self {
        case .tooLong(let bytes, let max): "the URL is \(bytes) bytes long; at most \(max) are allowed"
        case .invalidByte(let byte, let offset):
            "the byte \(byte.hexadecimalLiteral) at offset \(offset) must be percent-encoded"
        case .malformedEscape(let offset): "the '%' at offset \(offset) has no two hexadecimal digits"
        case .missingScheme: "the URL has no scheme"
        case .unsupportedScheme: "the scheme is neither http nor https"
        case .missingAuthority(let offset): "there is no '//' at offset \(offset)"
        case .credentials(let offset): "there are credentials before the '@' at offset \(offset)"
        case .host(let error): error.reason
        case .malformedPort(let offset): "the port at offset \(offset) is not a number"
        case .portOutOfRange(let offset): "the port at offset \(offset) is not in 1 to 65535"
        }
    }
}

extension AddressBlockError: SettingReason {
    var reason: String {
        switch self {
        case .emptyEntry(let offset): "the entry at offset \(offset) is empty"
        case .malformedAddress(let offset): "the address at offset \(offset) is malformed"
        case .malformedPrefixLength(let max, let offset): "the prefix length at offset \(offset) is not in 0 to \(max)"
        case .bitsAfterPrefix(let offset): "the address at offset \(offset) is not the first one of its block"
        }
    }
}

extension FetchMethodsError: SettingReason {
    var reason: String {
        switch self {
        case .emptyEntry(let offset): "the entry at offset \(offset) is empty"
        case .malformed(let offset): "the character at offset \(offset) cannot be in a method"
        case .tooLong(let bytes, let max, let offset):
            "the method at offset \(offset) is \(bytes) bytes long; at most \(max) are allowed"
        case .unsupported(let name, let offset): "the method \(name) at offset \(offset) is not one of a fetch"
        }
    }
}

extension ProxyExceptionsError: SettingReason {
    var reason: String {
        switch self {
        case .emptyEntry(let offset): "the entry at offset \(offset) is empty"
        case .malformedEntry(let offset): "the entry at offset \(offset) is neither a name nor a block of addresses"
        }
    }
}

extension FetchProxyError: SettingReason {
    var reason: String {
        switch self {
        case .unsupportedScheme: "it begins with neither http:// nor https://"
        case .host(let error): error.reason
        case .malformedPort: "its port is missing, or is not in 1 to 65535"
        case .malformedCredentials: "the user name or the password has an incomplete escape or a control character"
        case .trailing: "something follows the port"
        }
    }
}
