internal import CIconv

/// A converter of iconv's, from one charset to UTF-8.
@safe struct CharsetConverter: ~Copyable {
    private let handle: OpaquePointer

    /// Nil where the library has none by this name, or cannot load its module.
    init?(_ charset: String) {
        // The name is lent for the call; what comes back is owned from here on.
        guard let handle = unsafe ciconv_open(charset) else { return nil }
        unsafe self.handle = handle
    }

    deinit {
        // Nothing can use the handle after this.
        unsafe ciconv_close(handle)
    }

    /// What `bytes` spell on their own.
    func text(of bytes: UInt8...) -> CharsetText {
        let sequence = bytes.reduce(0) { $0 << 8 | UInt32($1) }
        // `handle` lives as long as self, and self is not shared.
        return CharsetText(utf8: unsafe ciconv_text(handle, sequence, bytes.count))
    }
}
