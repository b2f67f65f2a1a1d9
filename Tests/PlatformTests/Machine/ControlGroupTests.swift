import Platform
import Testing

@Suite struct ControlGroupTests {
    @Test(arguments: [
        ("max 100000\n", nil),
        ("100000 100000\n", 1),
        ("150000 100000\n", 1),
        ("200000 100000\n", 2),
        ("399999 100000\n", 3),
        ("5000 100000\n", 1),
        ("0 100000\n", nil),
        // The two files of version 1.
        ("-1\n 100000\n", nil),
        ("250000\n 100000\n", 2),
        ("100000 0\n", nil),
        ("99999999999999999999 100000\n", nil),
        ("100000\n", nil),
        ("1 2 3\n", nil),
        ("garbage", nil),
        ("", nil),
    ])
    func `rounds a share of CPU time down to cores, but not to zero`(text: String, cores: Int?) {
        #expect(ControlGroup.cores(fromCPUMax: text) == cores)
    }

    @Test(arguments: [
        ("max\n", nil),
        ("536870912\n", 512 << 20),
        // The defaults of version 1 with pages of 4 KiB and of 64 KiB.
        ("9223372036854771712\n", nil),
        ("9223372036854710272\n", nil),
        ("18446744073709551615\n", nil),
        ("-1\n", nil),
        ("0\n", nil),
        ("", nil),
    ])
    func `reads a memory limit`(text: String, bytes: Int?) {
        #expect(ControlGroup.bytes(text) == bytes)
    }

    @Test(arguments: ControlGroupExample.all)
    func `finds the limits of every group that applies`(example: ControlGroupExample) {
        let limits = ControlGroup.limits(memberships: example.memberships, mounts: example.mounts) { example.files[$0] }
        #expect(limits == example.limits)
    }

    /// The files are truncated at each byte. The result is one of the limits in the files, or none.
    @Test(arguments: ControlGroupExample.all)
    func `finds no other limit in truncated files`(example: ControlGroupExample) {
        let known =
            example.files.values.compactMap(ControlGroup.bytes)
            + example.files.values.compactMap(ControlGroup.hierarchicalLimit).compactMap(ControlGroup.bytes)
        for count in 0..<example.mounts.utf8.count {
            let mounts = String(decoding: example.mounts.utf8.prefix(count), as: UTF8.self)
            let limits = ControlGroup.limits(memberships: example.memberships, mounts: mounts) { example.files[$0] }
            #expect(limits.memoryBytes.map(known.contains) ?? true)
        }
        for count in 0..<example.memberships.utf8.count {
            let memberships = String(decoding: example.memberships.utf8.prefix(count), as: UTF8.self)
            let limits = ControlGroup.limits(memberships: memberships, mounts: example.mounts) { example.files[$0] }
            #expect(limits.memoryBytes.map(known.contains) ?? true)
        }
    }
}

/// The files of a system, and the limits that result from them.
struct ControlGroupExample: Sendable, CustomTestStringConvertible {
    var name: String
    var memberships: String
    var mounts: String
    /// The existing files, by path.
    var files: [String: String]
    var limits: ControlGroup

    var testDescription: String { name }

    private static let unifiedMount = "31 24 0:28 / /sys/fs/cgroup rw,nosuid,nodev - cgroup2 cgroup2 rw,nsdelegate\n"
    private static let otherMounts = """
        22 27 0:21 / /proc rw,relatime - proc proc rw
        27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw,discard

        """

    static let all: [ControlGroupExample] = docker + systems + odd

    private static let docker = [
        ControlGroupExample(
            name: "Docker with version 2: its own namespace",
            memberships: "0::/\n",
            mounts: otherMounts + "31 24 0:28 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw,nsdelegate\n",
            files: [
                "/sys/fs/cgroup/cpu.max": "200000 100000\n", "/sys/fs/cgroup/memory.max": "536870912\n",
                "/sys/fs/cgroup/memory.high": "1048576\n",
            ],
            limits: ControlGroup(cores: 2, memoryBytes: 512 << 20)
        ),
        ControlGroupExample(
            name: "Docker with version 1: the mount has the path of the container as its root",
            memberships:
                "12:pids:/docker/c1\n5:memory:/docker/c1\n4:cpu,cpuacct:/docker/c1\n1:name=systemd:/docker/c1\n0::/\n",
            mounts: otherMounts + """
                741 740 0:26 /docker/c1 /sys/fs/cgroup/systemd ro - cgroup cgroup rw,xattr,name=systemd
                743 740 0:30 /docker/c1 /sys/fs/cgroup/cpu,cpuacct ro master:15 - cgroup cgroup rw,cpu,cpuacct
                744 740 0:31 /docker/c1 /sys/fs/cgroup/memory ro master:16 - cgroup cgroup rw,memory
                """,
            files: [
                "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "150000\n",
                "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes": "268435456\n",
            ],
            limits: ControlGroup(cores: 1, memoryBytes: 256 << 20)
        ),
        ControlGroupExample(
            name: "Docker with version 1, whose process is in a nested group of the container",
            memberships: "5:memory:/docker/c1/inner\n",
            mounts: "744 740 0:31 /docker/c1 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
            files: [
                "/sys/fs/cgroup/memory/memory.limit_in_bytes": "268435456\n",
                "/sys/fs/cgroup/memory/inner/memory.limit_in_bytes": "1048576\n",
            ],
            limits: ControlGroup(memoryBytes: 1 << 20)
        ),
        ControlGroupExample(
            name: "Docker without limits",
            memberships: "5:memory:/docker/c1\n4:cpu,cpuacct:/docker/c1\n0::/system.slice\n",
            mounts: """
                743 740 0:30 /docker/c1 /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct
                744 740 0:31 /docker/c1 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory
                """,
            files: [
                "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1\n",
                "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
                "/sys/fs/cgroup/memory/memory.stat": "cache 0\nhierarchical_memory_limit 9223372036854771712\n",
            ],
            limits: ControlGroup()
        ),
    ]

    private static let systems = [
        ControlGroupExample(
            name: "Kubernetes with version 2, seen from the host: the limits of the pod and of the container",
            memberships: "0::/kubepods.slice/kubepods-burstable.slice/pod1.slice/cri-c1.scope\n",
            mounts: otherMounts + unifiedMount,
            files: [
                "/sys/fs/cgroup/kubepods.slice/memory.max": "8589934592\n",
                "/sys/fs/cgroup/kubepods.slice/cpu.max": "max 100000\n",
                "/sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/memory.max": "max\n",
                "/sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/pod1.slice/memory.max": "1073741824\n",
                "/sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/pod1.slice/cpu.max": "400000 100000\n",
                "/sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/pod1.slice/cri-c1.scope/memory.max":
                    "2147483648\n",
                "/sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/pod1.slice/cri-c1.scope/cpu.max":
                    "max 100000\n",
            ],
            limits: ControlGroup(cores: 4, memoryBytes: 1 << 30)
        ),
        ControlGroupExample(
            name: "Kubernetes with version 1: only the pod has a limit, which the container does not see",
            memberships: "5:memory:/kubepods/pod1/c1\n4:cpu,cpuacct:/kubepods/pod1/c1\n",
            mounts: """
                743 740 0:30 /kubepods/pod1/c1 /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct
                744 740 0:31 /kubepods/pod1/c1 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory
                """,
            files: [
                "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
                "/sys/fs/cgroup/memory/memory.stat":
                    "cache 0\nhierarchical_memory_limit 134217728\nhierarchical_memsw_limit 134217728\n",
            ],
            limits: ControlGroup(memoryBytes: 128 << 20)
        ),
        ControlGroupExample(
            name: "a service of systemd with version 2: the slice has less than the service",
            memberships: "0::/system.slice/decant.service\n",
            mounts: otherMounts + unifiedMount,
            files: [
                "/sys/fs/cgroup/system.slice/memory.max": "536870912\n",
                "/sys/fs/cgroup/system.slice/cpu.max": "max 100000\n",
                "/sys/fs/cgroup/system.slice/decant.service/memory.max": "1073741824\n",
                "/sys/fs/cgroup/system.slice/decant.service/cpu.max": "300000 100000\n",
            ],
            limits: ControlGroup(cores: 3, memoryBytes: 512 << 20)
        ),
        ControlGroupExample(
            name: "systemd with hybrid hierarchies: controllers of version 1, and an empty hierarchy of version 2",
            memberships:
                "5:memory:/user.slice\n4:cpu,cpuacct:/user.slice\n1:name=systemd:/user.slice/a\n0::/user.slice/a\n",
            mounts: """
                30 24 0:25 / /sys/fs/cgroup ro shared:9 - tmpfs tmpfs ro,mode=755
                31 30 0:26 / /sys/fs/cgroup/unified rw shared:10 - cgroup2 cgroup2 rw,nsdelegate
                35 30 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:15 - cgroup cgroup rw,cpu,cpuacct
                36 30 0:31 / /sys/fs/cgroup/memory rw shared:16 - cgroup cgroup rw,memory
                """,
            files: [
                "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
                "/sys/fs/cgroup/memory/user.slice/memory.limit_in_bytes": "4294967296\n",
                "/sys/fs/cgroup/cpu,cpuacct/user.slice/cpu.cfs_quota_us": "200000\n",
                "/sys/fs/cgroup/cpu,cpuacct/user.slice/cpu.cfs_period_us": "50000\n",
            ],
            limits: ControlGroup(cores: 4, memoryBytes: 4 << 30)
        ),
        ControlGroupExample(
            name: "hybrid hierarchies: memory has version 2, processors have version 1",
            memberships: "4:cpu:/a\n0::/b\n",
            mounts: """
                31 30 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
                35 30 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu
                """,
            files: [
                "/sys/fs/cgroup/unified/b/memory.max": "1048576\n",
                "/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us": "200000\n",
                "/sys/fs/cgroup/cpu/a/cpu.cfs_period_us": "100000\n",
            ],
            limits: ControlGroup(cores: 2, memoryBytes: 1 << 20)
        ),
    ]

    private static let odd = [
        ControlGroupExample(
            name: "a namespace that the process was moved out of: the root of the mount is read",
            memberships: "0::/../other\n",
            mounts: unifiedMount,
            files: ["/sys/fs/cgroup/memory.max": "1048576\n", "/sys/fs/cgroup/../other/memory.max": "4096\n"],
            limits: ControlGroup(memoryBytes: 1 << 20)
        ),
        ControlGroupExample(
            name: "a mount of another group, which does not contain the process",
            memberships: "0::/a\n",
            mounts: "31 24 0:28 /b /var/lib/b/cgroup rw - cgroup2 cgroup2 rw\n" + unifiedMount,
            files: ["/var/lib/b/cgroup/memory.max": "4096\n", "/sys/fs/cgroup/a/memory.max": "1048576\n"],
            limits: ControlGroup(memoryBytes: 1 << 20)
        ),
        ControlGroupExample(
            name: "a name that begins with the root of the mount",
            memberships: "5:memory:/docker/c10\n",
            mounts:
                "744 740 0:31 /docker/c1 /mnt rw - cgroup cgroup rw,memory\n"
                + "744 740 0:31 / /all rw - cgroup cgroup rw,memory\n",
            files: ["/mnt/memory.limit_in_bytes": "4096\n", "/all/docker/c10/memory.limit_in_bytes": "1048576\n"],
            limits: ControlGroup(memoryBytes: 1 << 20)
        ),
        ControlGroupExample(
            name: "blanks and backslashes in paths, and colons in a group",
            memberships: "0::/a b:c\\d\n",
            mounts: "31 24 0:28 / /mnt/control\\040groups\\134x rw - cgroup2 cgroup2 rw\n",
            files: ["/mnt/control groups\\x/a b:c\\d/memory.max": "1048576\n"],
            limits: ControlGroup(memoryBytes: 1 << 20)
        ),
        ControlGroupExample(
            name: "a group that was deleted: its ancestors still count",
            memberships: "0::/a/b (deleted)\n",
            mounts: unifiedMount,
            files: ["/sys/fs/cgroup/a/memory.max": "1048576\n"],
            limits: ControlGroup(memoryBytes: 1 << 20)
        ),
        ControlGroupExample(
            name: "control groups that are not mounted",
            memberships: "0::/a\n",
            mounts: otherMounts,
            files: ["/sys/fs/cgroup/a/memory.max": "1048576\n"],
            limits: ControlGroup()
        ),
        ControlGroupExample(name: "missing files", memberships: "", mounts: "", files: [:], limits: ControlGroup()),
        ControlGroupExample(
            name: "malformed files",
            memberships: "0\n0::\n0::a\n::\n:::/\n",
            mounts:
                "31\n31 24 0:28 / / - cgroup2\n\\\n- - - - - - -\n31 24 0:28 / /sys/fs/cgroup rw cgroup2 cgroup2 rw\n",
            files: [:],
            limits: ControlGroup()
        ),
    ]
}
