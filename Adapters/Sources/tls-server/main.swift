// SPDX-License-Identifier: Apache-2.0
// tls-server PIN LABEL CHAIN PORT: greets by HTTPS on loopback. The private key is the one of this label on the token; CHAIN
// is a file with its certificate, and those above it, in PEM.
import KanalKit
import KanalNIOSSL
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

final class Greeting: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let body = ByteBuffer(string: "hello from the token\n")
        let headers: HTTPHeaders = ["Content-Length": "\(body.readableBytes)"]
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 4, let port = Int(arguments[3]) else {
    fatalError("usage: tls-server PIN LABEL CHAIN PORT")
}
let (label, chain) = (arguments[1], arguments[2])

let token = try await TokenManager().find()
let pair = try await token.perform(pin: PIN(arguments[0])) { session in
    try session.keyPairs().first { $0.label == label }
}
guard let pair else { fatalError("no key has this label") }
let key = try await TokenTLSKey(pair, on: token, waitingFor: .seconds(10))
var configuration = TLSConfiguration.makeServerConfiguration(
    certificateChain: try NIOSSLCertificate.fromPEMFile(chain).map { .certificate($0) },
    privateKey: .privateKey(NIOSSLPrivateKey(customPrivateKey: key)))
configuration.minimumTLSVersion = .tlsv12
let context = try NIOSSLContext(configuration: configuration)

let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
            try channel.pipeline.syncOperations.configureHTTPServerPipeline()
            try channel.pipeline.syncOperations.addHandler(Greeting())
        }
    }
    .bind(host: "127.0.0.1", port: port).get()
print("listening on port \(server.localAddress?.port ?? 0)")
try await server.closeFuture.get()
