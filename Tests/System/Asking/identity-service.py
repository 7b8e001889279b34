#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# A stand-in for the state's identity service: it verifies client_secret of both generations by OpenSSL and answers with
# tokens that OpenSSL has signed. identity-service.py OPENSSL_CONF: port and mode are files of the current directory,
# beside client.pem, root.pem, service.key, rsa.key, tls.pem and tls.key.
import base64, datetime, http.server, json, os, ssl, subprocess, sys, time, urllib.parse, uuid

environment = {**os.environ, "OPENSSL_CONF": sys.argv[1]}
codes = {}


def openssl(*words, **more):
    return subprocess.run(["openssl", *words], env=environment, capture_output=True, **more)


def encoded(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def mode():
    return open("mode").read().strip()


def fault(parameters, is_first, code):
    """What is wrong with the signature of a request; None for nothing."""
    names = ["scope", "timestamp", "client_id", "state"]
    if not is_first:
        names = ["client_id", "scope", "timestamp", "state", "redirect_uri"] + ["code"] * code
    open("text", "w").write("".join(parameters[name] for name in names))
    open("secret", "wb").write(decoded(parameters["client_secret"]))
    moment = datetime.datetime.strptime(parameters["timestamp"], "%Y.%m.%d %H:%M:%S %z")
    if abs(moment.timestamp() - time.time()) > 60:
        return "timestamp"
    uuid.UUID(parameters["state"])
    if is_first:
        result = openssl("cms", "-verify", "-cades", "-binary", "-inform", "DER", "-in", "secret", "-content", "text",
                         "-CAfile", "root.pem", "-purpose", "any", "-certsout", "signer", "-out", "/dev/null")
    else:
        der = openssl("x509", "-in", "client.pem", "-outform", "DER").stdout
        digest = openssl("dgst", "-md_gost12_256", "-binary", input=der).stdout.hex()
        if parameters["client_certificate_hash"].lower() != digest:
            return "client_certificate_hash"
        open("client.pub", "wb").write(openssl("x509", "-in", "client.pem", "-noout", "-pubkey").stdout)
        is_gost = b"rsaEncryption" not in openssl("x509", "-in", "client.pem", "-noout", "-text").stdout
        if is_gost and os.path.getsize("secret") != 64:
            return "length"
        digest = "-md_gost12_256" if is_gost else "-sha256"
        result = openssl("dgst", digest, "-verify", "client.pub", "-signature", "secret", "text")
    return None if result.returncode == 0 else (result.stdout + result.stderr).decode()


def token(changes, algorithm="GOST3410_2012_256"):
    """A token that OpenSSL signs, with one bit changed if the mode says in which part."""
    now = int(time.time())
    claims = {"iss": "http://esia.gosuslugi.ru/", "exp": now + 3600, "nbf": now, "iat": now, "client_id": "TESTSYS",
              "urn:esia:sbj_id": 1000299654, "scope": "openid fullname", **changes}
    header = {"ver": 0, "typ": "JWT", "sbt": "access", "alg": algorithm}
    message = ".".join(encoded(json.dumps(part).encode()) for part in (header, claims))
    key, digest = ("rsa.key", "-sha256") if algorithm == "RS256" else ("service.key", "-md_gost12_256")
    signature = openssl("dgst", digest, "-sign", key, input=message.encode()).stdout
    parts = message.split(".") + [encoded(signature) if algorithm != "none" else ""]
    if mode().startswith("flip"):
        number = int(mode()[4:])
        octets = bytearray(decoded(parts[number]))
        octets[len(octets) // 2] ^= 1
        parts[number] = encoded(octets)
    return ".".join(parts)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def answer(self, status, body, kind="application/json", location=None):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

    def do_GET(self):
        path, _, query = self.path.partition("?")
        values = dict(urllib.parse.parse_qsl(query, strict_parsing=True, keep_blank_values=True))
        assert values["response_type"] == "code" and values["access_type"] in ("online", "offline")
        wrong = fault(values, {"/aas/oauth2/ac": True, "/aas/oauth2/v2/ac": False}[path], code=False)
        result = {"state": values["state"]}
        if wrong or mode() == "denied":
            name = "ESIA-007053: clientSecretWrong" if wrong else "ESIA-007004: The owner has refused"
            result |= {"error": "access_denied", "error_description": name}
            open("fault", "w").write(str(wrong))
        else:
            result["code"] = uuid.uuid4().hex + "/+="
            codes[result["code"]] = values["redirect_uri"]
        mark = "&" if "?" in values["redirect_uri"] else "?"
        self.answer(302, b"", location=values["redirect_uri"] + mark + urllib.parse.urlencode(result))

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        values = dict(urllib.parse.parse_qsl(body, strict_parsing=True))
        assert self.headers["Content-Type"] == "application/x-www-form-urlencoded"
        assert values["grant_type"] == "authorization_code" and values["token_type"] == "Bearer"
        wrong = fault(values, {"/aas/oauth2/te": True, "/aas/oauth2/v3/te": False}[self.path], code=True)
        if wrong is None and codes.pop(values["code"], None) != values["redirect_uri"]:
            wrong = "code"
        if wrong:
            open("fault", "w").write(str(wrong))
            return self.answer(400, {"error": "invalid_request", "error_description": "ESIA-007003: " + wrong,
                                     "state": values["state"]})
        how = mode()
        now = int(time.time())
        if how == "slow":
            time.sleep(20)
        access = token({"none": {}, "expired": {"exp": now - 100}, "foreign": {"client_id": "OTHER"},
                        "future": {"nbf": now + 100}, "issuer": {"iss": "http://example.org/"}}.get(how, {}),
                       {"none": "none", "rsa": "RS256"}.get(how, "GOST3410_2012_256"))
        reply = {"access_token": access, "token_type": "Bearer", "expires_in": 3600, "state": values["state"],
                 "refresh_token": 'a"b\\c'}
        if how != "rsa":
            reply["id_token"] = token({"aud": "TESTSYS", "sub": "1000299654", "name": "Анна\x1b[31m"})
        if how == "state":
            reply["state"] = str(uuid.uuid4())
        text = json.dumps(reply)
        {
            "html": lambda: self.answer(200, b"<html>Wait</html>", "text/html"),
            "redirect": lambda: self.answer(302, b"", location="https://localhost/"),
            "long": lambda: self.answer(200, text.encode() + b" " * (1 << 21)),
            "twice": lambda: self.answer(200, text.replace("{", '{"access_token":"x",', 1).encode()),
            "cut": lambda: self.answer(200, text[:-1].encode()),
            "bearer": lambda: self.answer(200, {**reply, "token_type": "mac"}),
            "empty": lambda: self.answer(200, {}),
        }.get(how, lambda: self.answer(200, text.encode()))()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("tls.pem", "tls.key")
server.socket = context.wrap_socket(server.socket, server_side=True)
open("port", "w").write(str(server.server_port))
server.serve_forever()
