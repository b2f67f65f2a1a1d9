internal import CMicroHTTPD
internal import Primitives

/// The buffers of one response, which the library borrows until the response is sent.
final class SharedContent {
    private let buffers: [SharedBytes]

    private init(_ buffers: [SharedBytes]) {
        self.buffers = buffers
    }

    /// Returns the library's response, which retains `buffers`.
    static func create(_ buffers: [SharedBytes]) -> OpaquePointer? {
        // More buffers are sent as one copy.
        let buffers = buffers.count <= ResponseContent.maxSharedBuffers ? buffers : [joined(buffers)]
        let slices = unsafe buffers.filter { $0.count > 0 }
            .map { unsafe cmhd_slice(bytes: $0.unsafeBytes.baseAddress, count: $0.count) }
        // Released by `release`, which the library calls in any case.
        let context = unsafe Unmanaged.passRetained(SharedContent(buffers)).toOpaque()
        return unsafe slices.withUnsafeBufferPointer { slices in
            unsafe cmhd_response_create_shared(slices.baseAddress, UInt32(slices.count), context, release)
        }
    }

    private static func joined(_ buffers: [SharedBytes]) -> SharedBytes {
        var copy = OutputBuffer(capacity: buffers.reduce(0) { $0 + $1.count })
        for buffer in buffers { unsafe copy.append(contentsOf: buffer.unsafeBytes) }
        return SharedBytes(copy)
    }

    private static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
        // `create` passed a retained object.
        if let context = unsafe context { unsafe Unmanaged<SharedContent>.fromOpaque(context).release() }
    }
}
