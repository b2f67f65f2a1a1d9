internal import CMicroHTTPD
internal import Serialization

/// Reads a stream for the library, which requests the next bytes whenever it can send some.
///
/// While there is nothing to send, the library would repeat its request continuously. Therefore the connection is suspended, and is
/// resumed when the producer appends something.
final class StreamReader {
    private let receiver: ResponseStream.Receiver
    private let connection: Connection
    private let isHead: Bool

    /// - Parameters:
    ///   - connection: the connection that sends the stream. It is used only on the thread of its loop.
    ///   - isHead: whether the request is HEAD, and the stream is not sent.
    init(_ receiver: consuming ResponseStream.Receiver, for connection: Connection, isHead: Bool) {
        self.receiver = receiver
        self.connection = connection
        self.isHead = isHead
    }

    /// Returns the library's response, which retains this object until it is sent.
    func create() -> OpaquePointer? {
        // Released by `release`, which the library calls in any case.
        unsafe cmhd_response_create_stream(
            Unmanaged.passRetained(self).toOpaque(),
            isHead ? 1 : 0,
            Self.read,
            Self.release
        )
    }

    private static let read: @convention(c) (UnsafeMutableRawPointer, UnsafeMutablePointer<UInt8>, Int) -> Int = {
        context,
        memory,
        capacity in
        // `create` passed a retained object. `capacity` bytes can be written for the duration of the call.
        unsafe Unmanaged<StreamReader>.fromOpaque(context)._withUnsafeGuaranteedRef { reader in
            unsafe reader.connection.readStream(
                reader.receiver.stream,
                into: UnsafeMutableRawBufferPointer(start: memory, count: capacity)
            )
        }
    }

    private static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
        guard let context = unsafe context else { return }
        // `create` passed a retained object.
        unsafe Unmanaged<StreamReader>.fromOpaque(context).release()
    }
}
