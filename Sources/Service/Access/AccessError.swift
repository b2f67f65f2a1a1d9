/// The reason why a request is rejected because of its token or signature. No case contains a part of either.
enum AccessError: Error, Equatable, Sendable {
    /// There is no field `Authorization`, or its scheme is not Bearer.
    /// - Parameter acceptsSignature: Whether the request could have a signature instead.
    case missingToken(Permission, acceptsSignature: Bool)

    /// The token is malformed, or not in the file.
    case invalidToken

    /// There are several fields `Authorization`.
    case repeatedAuthorization

    /// - Parameter token: The name of the token; `nil` if the request was authorized by its signature.
    case missingPermission(Permission, token: String?)

    case invalidSignature

    /// - Parameter seconds: The time at which the signature expired, in seconds since 1970.
    case expiredSignature(at: Int)

    /// The name of the token, if the request has a valid one.
    var tokenName: String? {
        switch self {
        case .missingPermission(_, let token): token
        case .missingToken, .invalidToken, .repeatedAuthorization, .invalidSignature, .expiredSignature: nil
        }
    }
}
