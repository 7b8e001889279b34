// SPDX-License-Identifier: Apache-2.0

/// The points Q_1 of RFC 8133, A.1, whose discrete logarithms are unknown.
extension CurveParameters {
    /// X ‖ Y of Q_1, little-endian; nil for the curves of the standard's examples, which have no such point.
    var sespakePoint: [UInt8]? {
        guard let point = Self.sespakePoints.first(where: { $0.curve == self }) else { return nil }
        let (x, y) = (Self.octets(point.x, p.count), Self.octets(point.y, p.count))
        return Array(x.reversed()) + Array(y.reversed())
    }

    private static let sespakePoints: [(curve: CurveParameters, x: String, y: String)] = [
        (
            .cryptoProA,
            x: "a69d51caf1a309fa9e9b66187759b0174c274e080356f23cfcbfe84d396ad7bb",
            y: "5d26f29ecc2e9ac0404dcf7986fa55fe94986362170f54b9616426a659786dac"
        ),
        (
            .cryptoProB,
            x: "3d715a874a4b17cb3b517893a9794a2b36c89d2ffc693f01ee4cc27e7f49e399",
            y: "1c5a641fcf7ce7e87cdf8cea38f3db3096eace2fad158384b53953365f4fe7fe"
        ),
        (
            .cryptoProC,
            x: "1e36383e43bb6cfa2917167d71b7b5dd3d6d462b43d7c64282ae67dfbec2559d",
            y: "137478a9f721c73932ea06b45cf72e37eb78a63f29a542e563c614650c8b6399"
        ),
        (
            .tc26512A,
            x: "2a17f8833a32795327478871b5c5e88aefb91126c64b4b8327289bea62559425"
                + "d18198f133f400874328b220c74497cd240586cb249e158532cb8090776cd61c",
            y: "728f0c4a73b48da41ce928358fad26b47a6e094e9362bae82559f83cddc4ec3a"
                + "4676bd3707edeaf4cd85e99695c64c241edc622be87dc0cf87f51f4367f723c5"
        ),
        (
            .tc26512B,
            x: "7e1fae8285e035bec244bef2d0e5ebf436633cf50e55231dea9c9cf21d4c8c33"
                + "df85d4305de92971f0a4b4c07e00d87bdbc720eb66e49079285aaf12e0171149",
            y: "2cc89998b875d4463805ba0d858a196592db20ab161558ff2f4ef7a85725d209"
                + "53967ae621afdeae89bb77c83a2528ef6fce02f68bda4679d7f2704947dbc408"
        ),
        (
            .tc26256A,
            x: "b51adf93a40ab15792164fad3352f95b66369eb2a4ef5efae32829320363350e",
            y: "74a358cc08593612f5955d249c96afb7e8b0bb6d8bd2bbe491046650d822be18"
        ),
        (
            .tc26512C,
            x: "489c91784e02e98f19a803abca319917f37689e5a18965251ce2ff4e8d8b298f"
                + "5ba7470f9e0e713487f96f4a8397b3d09a270c9d367eb5e0e6561adeeb51581d",
            y: "684ea885aca64eaf1b3fee36c0852a3be3bd8011b0ef18e203ff87028d6eb5db"
                + "2c144a0dcc71276542bfd72ca2a43fa4f4939da66d9a60793c704a8c94e16f18"
        ),
    ]
}
