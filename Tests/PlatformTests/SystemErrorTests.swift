import Glibc
import Platform
import Testing

@Suite struct SystemErrorTests {
    @Test func `describes what failed, and the reason`() {
        let error = SystemError("open data.json", code: ENOENT)
        #expect(error.description == "cannot open data.json: No such file or directory")
    }

    @Test func `uses the value of errno that the failed call set`() {
        #expect(close(-1) == -1)
        #expect(SystemError("close a file") == SystemError("close a file", code: EBADF))
    }

    @Test func `has a text for a number that is not an error`() {
        #expect(SystemError("wait", code: 4_095).description == "cannot wait: Unknown error 4095")
    }
}
