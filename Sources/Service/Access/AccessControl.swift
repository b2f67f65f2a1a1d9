internal import Fetching
internal import HTTP
internal import Serialization

/// What a request needs.
enum AccessRequirement: Equatable, Sendable {
    /// Nothing. A token is not looked at.
    case nothing

    case permission(Permission)

    /// A token with this permission, or the signature of the target. For the forms of `GET` that fetch.
    case permissionOrSignature(Permission)

    /// A token, if there is one, must be valid; the endpoint decides itself with ``AccessGrant/require(_:)``. For
    /// resources whose names are secret, such as generated receipts.
    case optional(Permission)

    var permission: Permission? {
        switch self {
        case .nothing: nil
        case .permission(let permission), .permissionOrSignature(let permission), .optional(let permission): permission
        }
    }
}

/// Decides from the head of a request whether it is permitted.
///
/// | `tokens-file` | `fetch-signing-keys-file` | effect |
/// |---|---|---|
/// | no | no | every request is permitted |
/// | yes | no | a request needs a token with the permission of its endpoint |
/// | yes | yes | the forms of `GET` that fetch need such a token or a signature |
/// | no | yes | these forms need a signature; other fetching, cancelling and purging is rejected; all else allowed |
///
/// Both files can be replaced while requests are served. A request uses what was in force when its head was complete.
///
/// **Invariant.** An endpoint that needs a permission is reached only with a grant for it, which the head of the
/// request and the files in force at that moment determine. Every request is permitted only if neither file exists. An
/// invalid file never replaces the one in force. A token is compared by its digest, and neither it nor a signature is
/// logged or reported. `AccessControlTests` and `AccessServerTests` check this.
final class AccessControl: Sendable {
    /// The tokens; `nil` if there is no file.
    let tokens: ReloadableFile<TokenSet>?

    /// The keys that sign the targets of `GET`; `nil` if there is no file.
    let signingKeys: ReloadableFile<SigningKeys>?

    /// Reads the files.
    /// - Parameters:
    ///   - tokensPath: the file of the setting `tokens-file`; empty if there is none.
    ///   - signingKeysPath: the file of the setting `fetch-signing-keys-file`; empty if there is none.
    init(tokensPath: String, signingKeysPath: String) throws(ConfigurationFileError) {
        tokens = tokensPath.isEmpty ? nil : try ReloadableFile(path: tokensPath, read: TokensReader.read)
        signingKeys =
            signingKeysPath.isEmpty ? nil : try ReloadableFile(path: signingKeysPath, read: SigningKeysReader.read)
    }

    /// Returns the grant of a request whose head is complete.
    /// - Parameter now: returns the current time, in seconds since 1970. It is called only for signatures.
    func grant(
        for head: borrowing RequestHead,
        _ requirement: AccessRequirement,
        now: () -> Int = { Int(WallClock.now / 1_000_000_000) }
    ) throws(AccessError) -> AccessGrant {
        switch requirement {
        case .nothing: return .nothing
        case .permission(let permission): return try grant(for: head.fields, permission, acceptsSignature: false)
        case .permissionOrSignature(let permission):
            guard let signature = signature(of: head.target, now: now) else {
                return try grant(for: head.fields, permission, acceptsSignature: signingKeys != nil)
            }
            return try grant(for: head.fields, permission, signature)
        case .optional(let permission):
            guard isRestricted(permission) else { return .unrestricted }
            guard let token = try token(in: head.fields) else { return .nothing }
            return .token(token)
        }
    }

    /// Whether requests that need this permission need a token or a signature.
    func isRestricted(_ permission: Permission) -> Bool {
        tokens != nil || permission.concernsFetching && signingKeys != nil
    }

    // MARK: Tokens

    private func grant(
        for fields: borrowing RequestFields,
        _ permission: Permission,
        acceptsSignature: Bool
    ) throws(AccessError) -> AccessGrant {
        guard isRestricted(permission) else { return .unrestricted }
        guard let token = try token(in: fields) else {
            throw .missingToken(permission, acceptsSignature: acceptsSignature)
        }
        guard token.permissions.contains(permission) else { throw .missingPermission(permission, token: token.name) }
        return .token(token)
    }

    /// Returns the token of a request, or `nil` if it has none.
    /// - Throws: ``AccessError/invalidToken`` or ``AccessError/repeatedAuthorization``.
    private func token(in fields: borrowing RequestFields) throws(AccessError) -> AccessToken? {
        let (entry, isRepeated) = fields.onlyEntry(of: .authorization)
        // RFC 6750 §3.1: a request that has more than one token is malformed.
        guard !isRepeated else { throw .repeatedAuthorization }
        guard let entry else { return nil }
        let value = fields.head.span.extracting(entry.valueRange)
        guard let range = try BearerToken.range(in: value) else { return nil }
        guard let token = tokens?.value.token(value.extracting(range)) else { throw .invalidToken }
        return token
    }

    // MARK: Signatures

    private enum Signature {
        case valid
        case rejected(AccessError)
    }

    /// Returns the grant of a request that has a signature, and perhaps a token. A valid token suffices, so that a
    /// target whose signature has expired can be used with a token.
    private func grant(
        for fields: borrowing RequestFields,
        _ permission: Permission,
        _ signature: Signature
    ) throws(AccessError) -> AccessGrant {
        let token: AccessToken?
        do throws(AccessError) {
            token = try self.token(in: fields)
        } catch {
            if error == .repeatedAuthorization { throw error }
            token = nil
        }
        switch signature {
        case .valid:
            guard let token, token.permissions.contains(permission) else { return .signature }
            return .token(token, isSigned: true)
        case .rejected(let error):
            guard let token else { throw error }
            guard token.permissions.contains(permission) else {
                throw .missingPermission(permission, token: token.name)
            }
            return .token(token)
        }
    }

    /// Verifies the signature of a target.
    /// - Returns: `nil` if there are no keys, or the target has no signature.
    private func signature(of target: RequestTarget, now: () -> Int) -> Signature? {
        guard let signingKeys, let query = target.query else { return nil }
        do {
            try signingKeys.value.verify("\(target.path)?\(query)", now: now())
            return .valid
        } catch {
            switch error {
            case .missing: return nil
            case .invalid: return .rejected(.invalidSignature)
            case .expired(let seconds): return .rejected(.expiredSignature(at: seconds))
            }
        }
    }
}
