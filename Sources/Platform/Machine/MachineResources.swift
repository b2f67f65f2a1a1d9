internal import Glibc

/// The resources that this process can use: those of the machine, or those that its control group (cgroup) allows.
package struct MachineResources: Equatable, Sendable {
    /// The number of processor cores, at least 1.
    package var cores: Int

    package var memoryBytes: Int

    package init(cores: Int, memoryBytes: Int) {
        self.cores = cores
        self.memoryBytes = memoryBytes
    }

    package static func current() -> MachineResources {
        let group = ControlGroup.current()
        let memory = sysconf(Int32(_SC_PHYS_PAGES)).multipliedReportingOverflow(by: sysconf(Int32(_SC_PAGESIZE)))
        return MachineResources(
            cores: min(ProcessorCount.available, group.cores ?? .max),
            memoryBytes: min(memory.overflow ? .max : memory.partialValue, group.memoryBytes ?? .max)
        )
    }
}
