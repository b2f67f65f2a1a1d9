internal import Fetching
internal import Glibc
internal import Platform

/// The socket to the service.
struct ControlSocket: ~Copyable {
    /// The descriptor that the process starts with, after those of a `ChildProcess`.
    static let number: Int32 = 3

    private let descriptor: FileDescriptor
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private(set) var isOpen = true

    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    var number: Int32 { descriptor.number }

    /// Receives the bytes that have arrived, at most 64 KiB. If the service has closed its end, `isOpen` becomes
    /// `false`.
    mutating func receive(into reader: inout FetchFrameReader) {
        // The call writes at most as many bytes as `buffer` has.
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe recv(descriptor.number, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT))
        }
        if count > 0 {
            reader.append(buffer.span.extracting(0..<count))
        } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
            isOpen = false
        }
    }

    /// Sends bytes. Returns the number of bytes that were accepted.
    mutating func send(_ bytes: Span<UInt8>) -> Int {
        while true {
            // The bytes are in the span, which outlives the call.
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.send(descriptor.number, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            }
            if count >= 0 { return count }
            if errno == EINTR { continue }
            if errno != EAGAIN { isOpen = false }
            return 0
        }
    }
}
