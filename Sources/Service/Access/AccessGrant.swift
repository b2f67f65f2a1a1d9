/// The identity and the rights of one request, which are determined from its head. They stay valid until the request
/// ends, even if the token is revoked in the meantime.
struct AccessGrant: Sendable {
    /// The reason why the request is permitted.
    private enum Basis: Sendable {
        /// Access is not restricted: there is no file that restricts it.
        case unrestricted
        case token(AccessToken)
        /// A form of `GET` with a valid signature.
        case signature
        /// Neither a token nor a signature: the endpoint needs none, or decides itself.
        case nothing
    }

    private let basis: Basis

    /// Whether the request has a valid signature, with or without a token.
    let isSigned: Bool

    /// Access without restrictions.
    static let unrestricted = AccessGrant(basis: .unrestricted, isSigned: false)

    /// The grant of a request whose endpoint needs no permission.
    static let nothing = AccessGrant(basis: .nothing, isSigned: false)

    static let signature = AccessGrant(basis: .signature, isSigned: true)

    static func token(_ token: AccessToken, isSigned: Bool = false) -> AccessGrant {
        AccessGrant(basis: .token(token), isSigned: isSigned)
    }

    /// The name of the token for the access log; `nil` if the request has none.
    var tokenName: String? { if case .token(let token) = basis { token.name } else { nil } }

    /// Whether the request has a token or a signature. Unrestricted access is not authenticated.
    var isAuthenticated: Bool {
        switch basis {
        case .token, .signature: true
        case .unrestricted, .nothing: false
        }
    }

    func has(_ permission: Permission) -> Bool {
        switch basis {
        case .unrestricted: true
        case .token(let token): token.permissions.contains(permission)
        case .signature: permission == .fetch
        case .nothing: false
        }
    }

    /// Checks a permission of a request whose endpoint decides itself (``AccessRequirement/optional(_:)``).
    /// - Throws: ``AccessError/missingToken(_:acceptsSignature:)`` or ``AccessError/missingPermission(_:token:)``.
    func require(_ permission: Permission) throws(AccessError) {
        guard !has(permission) else { return }
        switch basis {
        case .token, .signature: throw .missingPermission(permission, token: tokenName)
        case .nothing, .unrestricted: throw .missingToken(permission, acceptsSignature: false)
        }
    }

    /// The partition of a request that names none.
    var ownPartition: PartitionName {
        switch basis {
        case .token(let token): token.partition
        case .unrestricted, .signature, .nothing: .standard
        }
    }

    /// Returns the partition in which the request is executed.
    ///
    /// Without restrictions, it is the one that the request names. With a token, it is the token's own; naming another
    /// one requires the permission `fetch-any-partition`. Any other request is in the default partition.
    /// - Parameter requested: the partition that the request names; `nil` if it names none.
    /// - Throws: ``AccessError/missingPermission(_:token:)``
    func partition(requested: PartitionName?) throws(AccessError) -> PartitionName {
        let own = ownPartition
        guard let requested, requested != own else { return own }
        guard has(.fetchAnyPartition) else { throw .missingPermission(.fetchAnyPartition, token: tokenName) }
        return requested
    }
}
