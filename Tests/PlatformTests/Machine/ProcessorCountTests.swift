import Glibc
import Platform
import Testing

@Suite struct ProcessorCountTests {
    @Test func `is at least one, and at most that of the machine`() {
        #expect(1...sysconf(Int32(_SC_NPROCESSORS_CONF)) ~= ProcessorCount.available)
    }

    @Test func `bounds the cores of the machine`() {
        let resources = MachineResources.current()
        #expect(1...ProcessorCount.available ~= resources.cores)
        #expect(resources.memoryBytes > 0)
    }
}
