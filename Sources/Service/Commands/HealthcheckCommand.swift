internal import ArgumentParser
internal import Glibc
internal import HTTP
internal import Platform

struct HealthcheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck",
        abstract: "Checks whether the service on this machine is ready; the exit code is 0 if it is, and 1 otherwise.",
        discussion:
            "Intended for the HEALTHCHECK of a container. The address is that of the same settings as for "
            + "serve: admin-address if it is set."
    )

    @OptionGroup(title: "Settings")
    var settings: TableFlags<AddressFlags>

    func run() throws {
        let configuration = try Configuration.reading(only: Settings.address.all, flags: settings.values)
        let service: SocketAddress
        if let administration = try configuration.adminSocketAddress() {
            guard administration.family == AF_UNIX || administration.port != 0 else {
                throw CommandFailure(usage: "--admin-address must have the port on which the service listens, not 0.")
            }
            service = administration.reachable
        } else {
            guard configuration.port != 0 else {
                throw CommandFailure(usage: "--port must be the port on which the service listens, not 0.")
            }
            service = try configuration.socketAddress().reachable
        }
        let found: String
        do {
            let status = try HealthProbe.status(of: "/readyz", at: service, timeoutSeconds: 2)
            if status == 200 { return }
            found = status.map(String.init) ?? "with something other than HTTP"
        } catch { throw CommandFailure(error.description) }
        throw CommandFailure("\(service.url) is not ready: /readyz responded \(found)")
    }
}
