import Testing

@testable import Origin

@Suite struct ControlChannelTests {
    @Test func `commands control the origin`() throws {
        let (origin, dns) = (try Origin(), try DNSServer())
        let channel = ControlChannel(origin: origin, dns: dns)
        let client = try OriginClient(origin)
        client.get("/hold/a")
        #expect(channel.reply(to: "await-requests 1 30 /hold/a") == "true")
        #expect(channel.reply(to: "await-holding 1 30 a") == "true")
        #expect(channel.reply(to: "requests") == "1")
        #expect(channel.reply(to: "requests /") == "0")
        #expect(channel.reply(to: "release a") == "ok")
        #expect(client.readResponse()?.status == 200)
        #expect(
            channel.reply(to: "head /hold/a") == "GET%20%2Fhold%2Fa%20HTTP%2F1.1%0D%0AHost%3A%20a.example%0D%0A%0D%0A"
        )
        #expect(channel.reply(to: "raw b x%0Ay") == "ok")
        #expect(channel.reply(to: "ends") == "1 open")
        client.get("/raw/b")
        #expect(client.readToEnd() == ("x\ny", .closed))
        #expect(channel.reply(to: "peer-closed") == "0")
        #expect(channel.reply(to: "await-peer-closed 1 0") == "false")
        #expect(channel.reply(to: "dns a.example 127.0.0.1,::1 nxdomain") == "ok")
        #expect(channel.reply(to: "dns-queries a.example") == "0")
        for command in ["", "release", "raw a %x", "stop"] { #expect(channel.reply(to: command).hasPrefix("error")) }
    }

    @Test func `answers of the DNS server have names`() {
        #expect(DNSServer.Answer(parsing: "nxdomain") == .nameError)
        #expect(DNSServer.Answer(parsing: "servfail") == .serverFailure)
        #expect(DNSServer.Answer(parsing: "silence") == .silence)
        #expect(DNSServer.Answer(parsing: "192.0.2.1,::1") == .addresses(["192.0.2.1", "::1"]))
    }
}
