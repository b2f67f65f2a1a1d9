import Fetching
import Serialization
import Testing

@testable import HTTP
@testable import Service

/// Which requests are permitted, and in which partition.
@Suite struct AccessControlTests {
    private static let now = 1_800_000_000

    private func grant(
        _ access: AccessControl,
        _ requirement: AccessRequirement,
        _ target: String = "/v1/fetch?url=x",
        authorization: String...
    ) throws -> AccessGrant {
        let head = RequestHead(
            method: "GET",
            target: try RequestTarget(parsing: target.utf8.span),
            fields: HeaderFields(authorization.map { HeaderFields.Field(name: "Authorization", value: $0) }),
            declaredContentBytes: nil,
            requestID: .given("a")
        )
        return try access.grant(for: head, requirement) { Self.now }
    }

    private static let tokens = [TokenFile.web, TokenFile.prometheus, TokenFile.admin]

    // MARK: Tokens

    @Test(arguments: Permission.allCases)
    func `without files every request is permitted, in any partition`(permission: Permission) throws {
        for authorization in ["", "Bearer x", "Bearer", "Basic YTpi"] {
            let grant = try grant(.unrestricted, .permission(permission), authorization: authorization)
            #expect(grant.has(permission) && grant.tokenName == nil && !grant.isAuthenticated && !grant.isSigned)
            #expect(try grant.partition(requested: nil) == .standard)
            let named = try #require(PartitionName(parsing: "tenant-7"))
            #expect(try grant.partition(requested: named) == named)
        }
    }

    @Test func `a token has its permissions and no others`() throws {
        let access = try AccessControl.testing(tokens: Self.tokens)
        for entry in Self.tokens {
            for permission in Permission.allCases {
                func check() throws -> AccessGrant {
                    try grant(access, .permission(permission), authorization: "Bearer \(entry.text)")
                }
                if entry.permissions.contains(permission) {
                    let grant = try check()
                    #expect(grant.tokenName == entry.name && grant.isAuthenticated && !grant.isSigned)
                    #expect(throws: Never.self) { try grant.require(permission) }
                } else {
                    #expect(throws: AccessError.missingPermission(permission, token: entry.name)) { try check() }
                }
            }
        }
    }

    @Test func `a request without a token is rejected, and one with another scheme is the same`() throws {
        let access = try AccessControl.testing(tokens: Self.tokens)
        let expected = AccessError.missingToken(.normalize, acceptsSignature: false)
        #expect(throws: expected) { try grant(access, .permission(.normalize)) }
        #expect(throws: expected) { try grant(access, .permission(.normalize), authorization: "Basic YTpi") }
        #expect(throws: expected) { try grant(access, .permission(.normalize), authorization: "web-secret") }
    }

    @Test(arguments: ["Bearer x", "Bearer", "Bearer web-secret,", "Bearer web-secre", "Bearer web-secrett"])
    func `an unknown or malformed token is rejected`(authorization: String) throws {
        let access = try AccessControl.testing(tokens: Self.tokens)
        #expect(throws: AccessError.invalidToken) {
            try grant(access, .permission(.normalize), authorization: authorization)
        }
        // The endpoint does not need one, and does not look at it.
        #expect(try !grant(access, .nothing, authorization: authorization).isAuthenticated)
    }

    @Test func `several fields are rejected, even if they are equal or the first is valid`() throws {
        let access = try AccessControl.testing(tokens: Self.tokens, signingKeys: TokenFile.signingKeys)
        for second in ["Bearer web-secret", "Basic YTpi", ""] {
            for requirement in [
                AccessRequirement.permission(.fetch), .permissionOrSignature(.fetch), .optional(.fetch),
            ] {
                #expect(throws: AccessError.repeatedAuthorization) {
                    try grant(access, requirement, authorization: "Bearer web-secret", second)
                }
            }
        }
    }

    @Test func `a token in the query is not accepted`() throws {
        let access = try AccessControl.testing(tokens: Self.tokens)
        #expect(throws: AccessError.missingToken(.fetch, acceptsSignature: false)) {
            try grant(access, .permission(.fetch), "/v1/fetch?access_token=web-secret&url=x")
        }
    }

    @Test func `an empty file permits nothing that needs a token`() throws {
        let access = try AccessControl.testing(tokens: [])
        #expect(throws: AccessError.invalidToken) {
            try grant(access, .permission(.normalize), authorization: "Bearer x")
        }
        #expect(throws: Never.self) { try grant(access, .nothing) }
    }

    // MARK: Partitions

    @Test func `a token's requests are in its partition, and another one needs a permission`() throws {
        let access = try AccessControl.testing(tokens: Self.tokens)
        let (web, other) = (try #require(PartitionName(parsing: "web")), try #require(PartitionName(parsing: "other")))
        let ofWeb = try grant(access, .permission(.fetch), authorization: "Bearer web-secret")
        #expect(try ofWeb.partition(requested: nil) == web)
        #expect(try ofWeb.partition(requested: web) == web)
        #expect(throws: AccessError.missingPermission(.fetchAnyPartition, token: "web")) {
            try ofWeb.partition(requested: other)
        }
        let ofAdmin = try grant(access, .permission(.fetch), authorization: "Bearer admin-secret")
        #expect(try ofAdmin.partition(requested: nil).text == "admin")
        #expect(try ofAdmin.partition(requested: other) == other)
        let ofNothing = try grant(access, .nothing)
        #expect(try ofNothing.partition(requested: nil) == .standard)
        #expect(throws: AccessError.missingPermission(.fetchAnyPartition, token: nil)) {
            try ofNothing.partition(requested: other)
        }
    }

    @Test(arguments: [
        ("", false), ("a", true), ("A-Z_09", true), ("a b", false), ("a/b", false), ("é", false), ("a\u{0}", false),
        (String(repeating: "a", count: 128), true), (String(repeating: "a", count: 129), false),
    ])
    func `a request names a partition of 1 to 128 characters`(name: String, isValid: Bool) {
        #expect((PartitionName(parsing: name) != nil) == isValid)
    }

    // MARK: Signatures

    private static let keys = TokenFile.signingKeys

    private func signed(_ target: String, keys: String = Self.keys) throws -> String {
        try SigningKeys(parsing: keys).sign(target)
    }

    @Test(arguments: [nil, tokens])
    func `a form of GET is permitted by its signature, in the default partition`(tokens: [TokenFile.Entry]?) throws {
        let access = try AccessControl.testing(tokens: tokens, signingKeys: Self.keys)
        let target = try signed("/v1/fetch?url=x&expires=\(Self.now + 1)")
        let grant = try grant(access, .permissionOrSignature(.fetch), target)
        #expect(grant.isSigned && grant.isAuthenticated && grant.tokenName == nil)
        #expect(grant.has(.fetch) && !grant.has(.purge) && !grant.has(.normalize))
        #expect(try grant.partition(requested: nil) == .standard)
        #expect(throws: AccessError.missingPermission(.fetchAnyPartition, token: nil)) {
            try grant.partition(requested: PartitionName(parsing: "web"))
        }
    }

    @Test func `every key of the file verifies, and keys of another file do not`() throws {
        let access = try AccessControl.testing(tokens: nil, signingKeys: Self.keys)
        let second = String(Self.keys.split(separator: "\n")[1])
        #expect(try grant(access, .permissionOrSignature(.fetch), try signed("/v1/fetch?url=x", keys: second)).isSigned)
        let other = try signed("/v1/fetch?url=x", keys: String(repeating: "00", count: 32))
        #expect(throws: AccessError.invalidSignature) { try grant(access, .permissionOrSignature(.fetch), other) }
    }

    @Test(arguments: [
        ("url=x", "url=y"), ("url=x", "url=x&slot=a"), ("/v1/fetch", "/v1/image"), ("url=x", "url=%78"),
        ("&signature=", "&a=b&signature="),
    ])
    func `a changed target is rejected`(part: String, replacement: String) throws {
        let access = try AccessControl.testing(tokens: nil, signingKeys: Self.keys)
        let target = try signed("/v1/fetch?url=x").replacing(part, with: replacement)
        #expect(throws: AccessError.invalidSignature) { try grant(access, .permissionOrSignature(.fetch), target) }
    }

    @Test(arguments: [(-1, true), (0, true), (1, false)])
    func `a signature expires at its time`(offset: Int, isExpired: Bool) throws {
        let access = try AccessControl.testing(tokens: Self.tokens, signingKeys: Self.keys)
        let target = try signed("/v1/fetch?url=x&expires=\(Self.now + offset)")
        if isExpired {
            #expect(throws: AccessError.expiredSignature(at: Self.now + offset)) {
                try grant(access, .permissionOrSignature(.fetch), target)
            }
        } else {
            #expect(try grant(access, .permissionOrSignature(.fetch), target).isSigned)
        }
        // A token is sufficient.
        let withToken = try grant(access, .permissionOrSignature(.fetch), target, authorization: "Bearer web-secret")
        #expect(withToken.tokenName == "web" && withToken.isSigned == !isExpired)
    }

    @Test func `a valid signature is sufficient beside a token that is not`() throws {
        let access = try AccessControl.testing(tokens: Self.tokens, signingKeys: Self.keys)
        let target = try signed("/v1/fetch?url=x")
        for authorization in ["Bearer x", "Bearer prometheus-secret", "Basic YTpi"] {
            let grant = try grant(access, .permissionOrSignature(.fetch), target, authorization: authorization)
            #expect(grant.isSigned && grant.tokenName == nil)
        }
    }

    @Test func `with keys and without tokens, requests that fetch are restricted, and others are not`() throws {
        let access = try AccessControl.testing(tokens: nil, signingKeys: Self.keys)
        for permission in [Permission.fetch, .fetchAnyPartition, .purge] {
            #expect(throws: AccessError.missingToken(permission, acceptsSignature: false)) {
                try grant(access, .permission(permission))
            }
            #expect(throws: AccessError.invalidToken) {
                try grant(access, .permission(permission), authorization: "Bearer x")
            }
        }
        #expect(throws: AccessError.missingToken(.fetch, acceptsSignature: true)) {
            try grant(access, .permissionOrSignature(.fetch))
        }
        for permission in [Permission.normalize, .metrics] {
            #expect(try grant(access, .permission(permission)).has(permission))
        }
        // A signature does not permit what is not a form of GET.
        #expect(throws: AccessError.missingToken(.fetch, acceptsSignature: false)) {
            try grant(access, .permission(.fetch), signed("/v1/fetch?url=x"))
        }
    }

    @Test func `without keys a signature has no effect`() throws {
        let target = try signed("/v1/fetch?url=x")
        #expect(try !grant(.unrestricted, .permissionOrSignature(.fetch), target).isSigned)
        let access = try AccessControl.testing(tokens: Self.tokens)
        #expect(throws: AccessError.missingToken(.fetch, acceptsSignature: false)) {
            try grant(access, .permissionOrSignature(.fetch), target)
        }
    }

    // MARK: Endpoints that decide themselves

    @Test func `an endpoint that decides itself receives requests without a token`() throws {
        #expect(try grant(.unrestricted, .optional(.fetch)).has(.fetch))
        let access = try AccessControl.testing(tokens: Self.tokens)
        let nothing = try grant(access, .optional(.fetch))
        #expect(throws: AccessError.missingToken(.fetch, acceptsSignature: false)) { try nothing.require(.fetch) }
        let other = try grant(access, .optional(.fetch), authorization: "Bearer prometheus-secret")
        #expect(other.tokenName == "prometheus")
        #expect(throws: AccessError.missingPermission(.fetch, token: "prometheus")) { try other.require(.fetch) }
        #expect(try grant(access, .optional(.fetch), authorization: "Bearer web-secret").has(.fetch))
        #expect(throws: AccessError.invalidToken) { try grant(access, .optional(.fetch), authorization: "Bearer x") }
    }
}
