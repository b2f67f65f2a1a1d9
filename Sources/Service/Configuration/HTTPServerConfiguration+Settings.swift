internal import HTTP

extension HTTPServerConfiguration {
    init(_ configuration: Configuration) {
        self.init(
            address: configuration.address,
            port: UInt16(clamping: configuration.port),
            threads: configuration.threads,
            connections: Connections(
                max: configuration.maxConnections,
                maxPerAddress: configuration.maxConnectionsPerAddress,
                backlog: configuration.listenBacklog
            ),
            content: Content(
                maxBufferedBytes: configuration.maxBufferedBytes,
                gzipAboveBytes: configuration.gzipResponsesAboveBytes
            ),
            timeouts: Timeouts(
                head: .seconds(configuration.headTimeoutSeconds),
                content: .seconds(configuration.contentTimeoutSeconds),
                response: .seconds(configuration.responseTimeoutSeconds),
                queue: .seconds(configuration.queueTimeoutSeconds),
                idle: .seconds(configuration.idleTimeoutSeconds),
                halfCloseGrace: .seconds(configuration.halfCloseGraceSeconds)
            )
        )
        maxIterationTime = .milliseconds(50)
    }
}
