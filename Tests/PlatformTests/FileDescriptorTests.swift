import Glibc
import Platform
import Testing

@Suite struct FileDescriptorTests {
    /// Returns two connected sockets.
    private static func pair() throws -> (near: Int32, far: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    /// Returns whether the other end of `descriptor` is closed: in this case a read returns 0 immediately.
    private static func isPeerClosed(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 0
    }

    @Test func `closes its descriptor at the end of its lifetime`() throws {
        let (near, far) = try Self.pair()
        let other = FileDescriptor(owning: near, name: "near")
        do {
            let owned = FileDescriptor(owning: far, name: "far")
            #expect(!Self.isPeerClosed(other.number))
            #expect(owned.number == far)
        }
        #expect(Self.isPeerClosed(other.number))
    }

    @Test func `does not close a descriptor that it has transferred`() throws {
        let (near, far) = try Self.pair()
        let other = FileDescriptor(owning: near, name: "near")
        let taken = FileDescriptor(owning: far, name: "far").take()
        #expect(taken == far)
        #expect(!Self.isPeerClosed(other.number))
        close(taken)
        #expect(Self.isPeerClosed(other.number))
    }

    @Test func `reads what was written`() throws {
        let (near, far) = try Self.pair()
        let reader = FileDescriptor(owning: near, name: "near")
        do {
            let writer = FileDescriptor(owning: far, name: "far")
            try writer.writeAll(Array("one ".utf8).span)
            try writer.writeLine("line")
        }
        #expect(try reader.readAll(maxBytes: 9) == Array("one line\n".utf8))
    }

    @Test func `reads no more than the limit, which is inclusive`() throws {
        do {
            let zero = try FileDescriptor(opening: "/dev/zero")
            _ = try zero.readAll(maxBytes: 100)
            Issue.record("an endless file was read to its end")
        } catch {
            #expect(error as? ReadError == .tooLong(name: "/dev/zero", maxBytes: 100))
        }
        let null = try FileDescriptor(opening: "/dev/null")
        #expect(try null.readAll(maxBytes: 0) == [])
    }

    @Test func `a read appends what there is, and at most the maximum`() throws {
        let (near, far) = try Self.nonblockingPipe()
        let reader = FileDescriptor(owning: near, name: "near")
        var bytes = Array("old ".utf8)
        var counts: [Int] = []
        do {
            let writer = FileDescriptor(owning: far, name: "far")
            try writer.writeAll(Array("new bytes".utf8).span)
            counts.append(try reader.read(3, into: &bytes))
            counts.append(try reader.read(64 << 10, into: &bytes))
        }
        counts.append(try reader.read(64 << 10, into: &bytes))
        #expect(counts == [3, 6, 0])
        #expect(bytes == Array("old new bytes".utf8))
    }

    @Test func `a failed read adds nothing`() throws {
        let folder = try FileDescriptor(opening: "/")
        var bytes = Array("old".utf8)
        do {
            _ = try folder.read(64 << 10, into: &bytes)
            Issue.record("a folder was read as a file")
        } catch {
            #expect(error == SystemError("read /", code: EISDIR))
        }
        #expect(bytes == Array("old".utf8))
    }

    /// Returns a nonblocking pipe.
    private static func nonblockingPipe() throws -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends { try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
        return (ends[0], ends[1])
    }

    /// A pipe holds 64 KiB. Both ends wait: the writer for a reader, and the reader for a writer.
    @Test func `waits for the other end of a nonblocking pipe`() throws {
        let (near, far) = try Self.nonblockingPipe()
        let reader = FileDescriptor(owning: near, name: "near")
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let thread = try Thread {
            let writer = FileDescriptor(owning: far, name: "far")
            do {
                try writer.writeAll(bytes.span)
            } catch {
                Issue.record(error)
            }
        }
        #expect(try reader.readAll(maxBytes: bytes.count) == bytes)
        thread.join()
    }

    @Test func `a write to a nonblocking pipe without a reader fails`() throws {
        signal(SIGPIPE, SIG_IGN)
        let (near, far) = try Self.nonblockingPipe()
        let writer = FileDescriptor(owning: far, name: "far")
        var states = [writer.isWritable]
        while write(far, [0], 1) > 0 {}
        states.append(writer.isWritable)
        close(near)
        states.append(writer.isWritable)
        #expect(states == [true, false, true])
        do {
            try writer.writeAll([1].span)
            Issue.record("a pipe without a reader was written")
        } catch {
            #expect(error == SystemError("write to far", code: EPIPE))
        }
    }

    @Test func `a write to a full disk fails`() throws {
        let full = FileDescriptor(owning: open("/dev/full", O_WRONLY | O_CLOEXEC), name: "full")
        do {
            try full.writeAll([1].span)
            Issue.record("a full disk was written")
        } catch {
            #expect(error == SystemError("write to full", code: ENOSPC))
        }
    }

    @Test func `names the file that cannot be opened, read or written`() throws {
        do {
            _ = try FileDescriptor(opening: "/nonexistent/file").number
            Issue.record("a file was opened that does not exist")
        } catch {
            #expect(error == SystemError("open /nonexistent/file", code: ENOENT))
        }
        let folder = try FileDescriptor(opening: "/")
        do {
            _ = try folder.readAll(maxBytes: 1)
            Issue.record("a folder was read as a file")
        } catch {
            #expect(error == .system(SystemError("read /", code: EISDIR)))
        }
        do {
            try folder.writeAll([1].span)
            Issue.record("a folder was written")
        } catch {
            #expect(error == SystemError("write to /", code: EBADF))
        }
    }

    @Test func `a duplicate of a standard stream is not a standard stream`() throws {
        #expect(try FileDescriptor.standardError().number > STDERR_FILENO)
        #expect(fcntl(STDERR_FILENO, F_GETFD) >= 0)
    }
}
