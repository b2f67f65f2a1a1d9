internal import CEvents
package import Glibc

/// A connected socket that was accepted, which does not block and is closed on exec.
package struct AcceptedSocket: Sendable {
    /// The socket, which whoever has this value closes.
    package let descriptor: Int32
    /// The address of the peer, of which ``addressBytes`` are set.
    package let address: sockaddr_storage
    package let addressBytes: UInt32

    package init(descriptor: Int32, address: sockaddr_storage, addressBytes: UInt32) {
        self.descriptor = descriptor
        self.address = address
        self.addressBytes = addressBytes
    }

    /// Accepts a connection that waits at `listener` (accept(2)).
    /// - Throws: the error of the call; `EAGAIN` if none waits.
    package init(acceptingFrom listener: Int32) throws(SystemError) {
        var address = sockaddr_storage()
        var addressBytes = socklen_t(MemoryLayout<sockaddr_storage>.size)
        // There is space for every address, and the call sets the length of this one.
        let descriptor = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe accept4(
                listener,
                UnsafeMutableRawPointer(address),
                &addressBytes,
                Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            )
        }
        guard descriptor >= 0 else { throw SystemError("accept a connection") }
        self.init(descriptor: descriptor, address: address, addressBytes: addressBytes)
    }
}
