/// The reason why text is not a URL that can be fetched. Offsets are in bytes, starting from 0.
///
/// No case contains a part of the text except its scheme, because URLs can contain secrets.
package enum FetchURLError: Error, Equatable, Sendable {
    /// The text, or its canonical form, is longer than `max`.
    case tooLong(bytes: Int, max: Int)
    /// The byte is not in the alphabet of RFC 3986 §2, or it is a `#` inside the fragment.
    case invalidByte(UInt8, at: Int)
    /// A `%` without two hexadecimal digits.
    case malformedEscape(at: Int)
    /// The text does not begin with a scheme and a colon.
    case missingScheme
    /// The scheme, in lower case, is neither `http` nor `https`.
    case unsupportedScheme(String)
    /// There is no `//` after the scheme.
    case missingAuthority(at: Int)
    /// The authority contains an `@`: there is user information, even if it is empty.
    case credentials(at: Int)
    case host(FetchHostError)
    /// The port is not a decimal number without leading zeros, or something else follows the host.
    case malformedPort(at: Int)
    /// The port is 0 or greater than 65535.
    case portOutOfRange(at: Int)
}
