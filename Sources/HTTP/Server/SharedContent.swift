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
        // Released by `release`, which the library calls in any case.
        let context = unsafe Unmanaged.passRetained(SharedContent(buffers)).toOpaque()
        // Every element is initialized before the call, and the object retains the buffers.
        return unsafe withUnsafeTemporaryAllocation(of: cmhd_slice.self, capacity: buffers.count) { slices in
            for (index, buffer) in buffers.enumerated() {
                let slice = unsafe cmhd_slice(bytes: buffer.unsafeBytes.baseAddress, count: buffer.count)
                unsafe slices.initializeElement(at: index, to: slice)
            }
            return unsafe cmhd_response_create_shared(slices.baseAddress, UInt32(slices.count), context, release)
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
