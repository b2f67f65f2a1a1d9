internal import Serialization

extension Problem {
    init(_ error: AccessError) {
        switch error {
        case .missingToken(let permission, let acceptsSignature):
            self.init(
                .tokenMissing,
                acceptsSignature
                    ? "this request needs a signature, or a token with the permission '\(permission.rawValue)' in "
                        + "the field Authorization"
                    : "this request needs a token with the permission '\(permission.rawValue)' in the field "
                        + "Authorization",
                expected: ["Authorization: Bearer TOKEN"]
            )
            // RFC 6750 §3.1: without a token, the challenge has no error code.
            fields = [.challenge("")]
        case .invalidToken:
            self.init(
                .tokenInvalid,
                "the token in the field Authorization is malformed, unknown or revoked",
                expected: ["Authorization: Bearer TOKEN"]
            )
            fields = [.challenge(", error=\"invalid_token\"")]
        case .repeatedAuthorization:
            self.init(
                .invalidField,
                "the field Authorization is given more than once",
                expected: ["Authorization once"],
                found: "Authorization"
            )
            fields = [.challenge(", error=\"invalid_request\"")]
        case .missingPermission(let permission, let token):
            let holder = token == nil ? "the signature does not include" : "the token does not have"
            self.init(
                .permissionMissing,
                "\(holder) the permission '\(permission.rawValue)'",
                expected: [permission.rawValue]
            )
            fields = [.challenge(", error=\"insufficient_scope\", scope=\"\(permission.rawValue)\"")]
        case .invalidSignature:
            self.init(.signatureInvalid, "the target of the request does not have the signature that it should have")
        case .expiredSignature(let seconds):
            self.init(.signatureExpired, "the signature expired at \(seconds) (seconds since 1970)")
        }
    }
}

extension HeaderFields.Field {
    /// The challenge of RFC 6750 §3.
    fileprivate static func challenge(_ parameters: String) -> HeaderFields.Field {
        HeaderFields.Field(name: "WWW-Authenticate", value: "Bearer realm=\"decant\"\(parameters)")
    }
}
