import TestSupport

/// Bodies of CREATE FILE as the vendor's library sends them (Card, 6.4).
enum KeyFiles {
    static func privateKey(_ number: String, type: String = "03", set: String = "20", size: String = "20") -> String {
        "6225800200\(size)82021000830200\(number)860F470202020000000200000000000000" + "8506\(type)\(set)00AA0000"
    }

    static func publicKey(_ number: String, type: String = "13", set: String = "20", size: String = "40") -> String {
        "6225800200\(size)82021000830200\(number)860F460002000000000200000000000000" + "8506\(type)\(set)00AA0000"
    }

    static func localPIN(_ number: String) -> String {
        "62258202100080020008830200\(number)85062106" + "00AA0000860F430104000000" + "00FF00\(number)00000000\(number)"
    }
}
