internal import CEvents
package import Glibc

/// An accepted connection: a non-blocking socket, which is closed on exec.
package struct AcceptedSocket: Sendable {
    /// The socket. The owner of this value closes it.
    package let descriptor: Int32
    /// The address of the peer. Only its first ``addressBytes`` bytes are set.
    package let address: sockaddr_storage
    package let addressBytes: UInt32

    package init(descriptor: Int32, address: sockaddr_storage, addressBytes: UInt32) {
        self.descriptor = descriptor
        self.address = address
        self.addressBytes = addressBytes
    }

    /// Accepts the next pending connection of `listener` (accept4(2)).
    /// - Throws: the error of the call; `EAGAIN` if no connection is pending.
    package init(acceptingFrom listener: Int32) throws(SystemError) {
        var address = sockaddr_storage()
        var addressBytes = socklen_t(MemoryLayout<sockaddr_storage>.size)
        // A `sockaddr_storage` can contain every address. The call sets the length of this one.
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
