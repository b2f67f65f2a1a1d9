internal import ArgumentParser
internal import Platform

struct HealthcheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck",
        abstract: "Asks the service on this machine whether it is ready; exit code 0 where it is, 1 where it is not.",
        discussion: "Made for the HEALTHCHECK of a container: it asks where the same settings make the service listen."
    )

    @OptionGroup(title: "Settings")
    var settings: TableFlags<EndpointSettings>

    func run() throws {
        let configuration = try Configuration.reading(only: Setting.endpoint, flags: settings.values)
        guard configuration.port != 0 else {
            throw CommandFailure(usage: "the port must be the one that the service listens on; 0 is not one.")
        }
        let service = try configuration.socketAddress().reachable
        let answer: String
        do {
            let status = try HealthProbe.status(of: "/readyz", at: service, timeoutSeconds: 2)
            if status == 200 { return }
            answer = status.map(String.init) ?? "something else than HTTP"
        } catch {
            throw CommandFailure(error.description)
        }
        throw CommandFailure("\(service.url) is not ready: /readyz answered \(answer)")
    }
}
