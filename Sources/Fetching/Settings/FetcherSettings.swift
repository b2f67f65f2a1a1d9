internal import Primitives

// The settings of a fetcher, which the service passes when it starts the process: as arguments of the form
// `name=value`, and the URL of the proxy, which can contain a password, in the environment, which other users cannot
// read.
//
//     decant-fetcher parent=17 sandbox=127 allow-addresses=10.0.0.0/8 ca-file=/etc/ssl/certs/ca-certificates.crt …
//
// The two processes are one release: each name occurs exactly once, and an unknown one is an error.

/// The settings of a fetcher.
package struct FetcherSettings: Equatable, Sendable {
    /// The process ID of the service. The fetcher ends with the thread that started it.
    package var parent: Int32 = 0

    /// The requested parts of the sandbox, as a `SandboxParts`.
    package var sandbox: UInt32 = 0

    package var addresses: AddressRules

    /// The file of trusted certificates (`fetch-ca-file`), in PEM.
    package var caFile: String

    package var proxy: FetchProxy?
    package var noProxy: ProxyExceptions

    /// The `User-Agent` of requests that do not contain one (`fetch-user-agent`).
    package var userAgent: String

    /// The maximum length of the content of a request, in bytes.
    package var maxContentBytes: Int

    /// The file that names the DNS servers (resolv.conf(5)).
    package var resolvConf = "/etc/resolv.conf"

    /// The file of static addresses (hosts(5)).
    package var hosts = "/etc/hosts"

    /// The maximum size of the address space, in bytes.
    package var memoryBytes = 256 << 20

    /// The settings of the service have no defaults here, so that none can be forgotten.
    package init(
        addresses: AddressRules,
        caFile: String,
        proxy: FetchProxy?,
        noProxy: ProxyExceptions,
        userAgent: String,
        maxContentBytes: Int
    ) {
        self.addresses = addresses
        self.caFile = caFile
        self.proxy = proxy
        self.noProxy = noProxy
        self.userAgent = userAgent
        self.maxContentBytes = maxContentBytes
    }

    /// The file of certificates that the system trusts (Debian).
    package static let systemCAFile = "/etc/ssl/certs/ca-certificates.crt"

    /// The name of the environment variable that contains the URL of the proxy.
    private static let proxyVariable = "DECANT_FETCHER_PROXY"

    private enum Name: String, CaseIterable {
        case parent
        case sandbox
        case allowAddresses = "allow-addresses"
        case denyAddresses = "deny-addresses"
        case listenerAddresses = "listener-addresses"
        case listenerPorts = "listener-ports"
        case caFile = "ca-file"
        case noProxy = "no-proxy"
        case userAgent = "user-agent"
        case resolvConf = "resolv-conf"
        case hosts
        case maxContentBytes = "max-content-bytes"
        case memoryBytes = "memory-bytes"
    }

    package var arguments: [String] { Name.allCases.map { "\($0.rawValue)=\(value($0))" } }

    /// The variables of the environment, each as `NAME=value`.
    package var environment: [String] { proxy.map { ["\(Self.proxyVariable)=\($0.text)"] } ?? [] }

    private func value(_ name: Name) -> String {
        switch name {
        case .parent: "\(parent)"
        case .sandbox: "\(sandbox)"
        case .allowAddresses: Self.list(addresses.allowed)
        case .denyAddresses: Self.list(addresses.denied)
        case .listenerAddresses: Self.list(addresses.listeners.addresses)
        case .listenerPorts: Self.list(addresses.listeners.ports.sorted())
        case .caFile: caFile
        case .noProxy: noProxy.text
        case .userAgent: userAgent
        case .resolvConf: resolvConf
        case .hosts: hosts
        case .maxContentBytes: "\(maxContentBytes)"
        case .memoryBytes: "\(memoryBytes)"
        }
    }

    private static func list(_ values: some Collection<some CustomStringConvertible>) -> String {
        values.map(\.description).joined(separator: ",")
    }

    /// Returns `nil` unless the arguments and the environment are those of some settings.
    /// - Parameters:
    ///   - arguments: The arguments after the name of the program.
    ///   - environment: Returns the value of a variable of the environment.
    package init?(parsing arguments: [String], environment: (String) -> String?) {
        var values: [Name: String] = [:]
        for argument in arguments {
            let bytes = argument.utf8
            guard let sign = bytes.firstIndex(of: UInt8(ascii: "=")),
                let name = Name(rawValue: String(argument[..<sign])), values[name] == nil
            else { return nil }
            values[name] = String(argument[bytes.index(after: sign)...])
        }
        // The loop replaces every value but that of the proxy.
        self.init(
            addresses: AddressRules(allowed: [], denied: [], listeners: .none),
            caFile: "",
            proxy: nil,
            noProxy: ProxyExceptions(),
            userAgent: "",
            maxContentBytes: 0
        )
        for name in Name.allCases { guard let value = values[name], set(name, value) else { return nil } }
        if let text = environment(Self.proxyVariable) {
            guard let proxy = try? FetchProxy(parsing: text) else { return nil }
            self.proxy = proxy
        }
    }

    /// Sets a value. Returns whether it is valid.
    private mutating func set(_ name: Name, _ text: String) -> Bool {
        switch name {
        case .parent: Self.assign(Int32(text), to: &parent)
        case .sandbox: Self.assign(UInt32(text), to: &sandbox)
        case .allowAddresses: Self.assign(try? AddressBlock.list(parsing: text), to: &addresses.allowed)
        case .denyAddresses: Self.assign(try? AddressBlock.list(parsing: text), to: &addresses.denied)
        case .listenerAddresses: Self.assign(Self.addresses(text), to: &addresses.listeners.addresses)
        case .listenerPorts: Self.assign(Self.ports(text), to: &addresses.listeners.ports)
        case .caFile: Self.assign(text, to: &caFile)
        case .noProxy: Self.assign(try? ProxyExceptions(parsing: text), to: &noProxy)
        case .userAgent: Self.assign(text.utf8.span.firstForbiddenInField() == nil ? text : nil, to: &userAgent)
        case .resolvConf: Self.assign(text, to: &resolvConf)
        case .hosts: Self.assign(text, to: &hosts)
        case .maxContentBytes: Self.assign(Int(text), to: &maxContentBytes)
        case .memoryBytes: Self.assign(Int(text), to: &memoryBytes)
        }
    }

    private static func assign<Value>(_ value: Value?, to target: inout Value) -> Bool {
        guard let value else { return false }
        target = value
        return true
    }

    private static func addresses(_ text: String) -> Set<IPAddress>? {
        guard let blocks = try? AddressBlock.list(parsing: text), blocks.allSatisfy(\.isSingleAddress) else {
            return nil
        }
        return Set(blocks.map(\.base))
    }

    private static func ports(_ text: String) -> Set<UInt16>? {
        let texts = text.split(separator: ",")
        let ports = texts.compactMap { UInt16($0) }
        return ports.count == texts.count ? Set(ports) : nil
    }
}
