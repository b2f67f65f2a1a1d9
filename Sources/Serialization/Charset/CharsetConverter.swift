internal import CIconv

/// An iconv converter from one charset to UTF-8.
@safe struct CharsetConverter: ~Copyable {
    private let handle: OpaquePointer

    /// Returns `nil` if the library has no charset of this name, or cannot load its module.
    init?(_ charset: String) {
        // The name is valid for the duration of the call. The returned handle is owned by this value.
        guard let handle = unsafe ciconv_open(charset) else { return nil }
        unsafe self.handle = handle
    }

    deinit {
        // The handle cannot be used after this.
        unsafe ciconv_close(handle)
    }

    /// Returns the text that `bytes` encode on their own.
    func text(of bytes: UInt8...) -> CharsetText {
        let sequence = bytes.reduce(0) { $0 << 8 | UInt32($1) }
        // `handle` lives as long as `self`, and `self` is not shared.
        return CharsetText(utf8: unsafe ciconv_text(handle, sequence, bytes.count))
    }
}
