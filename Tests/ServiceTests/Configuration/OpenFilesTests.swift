import Glibc
import Platform
import Testing

@testable import Service

@Suite struct OpenFilesTests {
    /// A fixed number of 64 was too small for more than about 13 cores, so that a worker could not be replaced.
    @Test(arguments: [(threads: 1, workers: 0), (32, 1), (64, 2)])
    func `reserves as many descriptors as the service opens`(threads: Int, workers: Int) throws {
        let (service, _) = try DecantProcess.serving(
            "--threads",
            "\(threads)",
            "--workers",
            "\(workers)",
            "--worker-memory-bytes",
            "134217728",
            "--max-buffered-bytes",
            "33554432"
        )
        var configuration = Configuration(resources: MachineResources(cores: 1, memoryBytes: 4 << 30))
        configuration.threads = threads
        configuration.workers = workers
        configuration.factWorkers = min(workers, 1)
        let open = try service.openFiles()
        let processes = workers + configuration.factWorkers
        #expect(open + processes <= configuration.reservedDescriptors)
        #expect(open >= 2 * threads + 3 * processes)
        service.signal(SIGTERM)
        #expect(try service.finish().status == 0)
    }

    @Test(arguments: [(1_000, 90), (90 + 38, 90), (100, 62), (39, 1), (10, 1), (Int.max, 90)])
    func `allows as many connections as the limit of open files permits`(limit: Int, connections: Int) {
        var configuration = Configuration(resources: MachineResources(cores: 1, memoryBytes: 4 << 30))
        configuration.workers = 0
        configuration.factWorkers = 0
        configuration.maxConnections = 90
        configuration.fitConnections(intoOpenFiles: limit)
        #expect(configuration.maxConnections == connections)
    }
}
