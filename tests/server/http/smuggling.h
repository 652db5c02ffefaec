// Heads that proxies and servers are known to read in different ways.
#pragma once

#include <string>
#include <vector>

namespace trellis::test {

inline std::vector<std::string> smuggling_heads() {
  const std::string line = "GET / HTTP/1.1\r\n";
  const std::string host = "Host: localhost\r\n";
  std::vector<std::string> heads;
  for (const char* header : {"Content-Length : 5\r\n",
                             "Content-Length\t: 5\r\n",
                             "Content-Length: 5\r\nContent-Length: 5\r\n",
                             "Content-Length: 5\r\nContent-Length: 6\r\n",
                             "Content-Length: 5, 5\r\n",
                             "Content-Length: +5\r\n",
                             "Content-Length: 0x5\r\n",
                             "Content-Length: -1\r\n",
                             "Content-Length:\r\n",
                             "X: a\r\n b\r\n",
                             "X: a\r\n\tb\r\n",
                             " X: first\r\n",
                             "X: a\rY: b\r\n",
                             "X: a\nY: b\r\n",
                             "\rX: a\r\n",
                             "without a colon\r\n",
                             ": without a name\r\n",
                             "X Y: a\r\n",
                             "X\x01: a\r\n",
                             "X: a\x01\r\n",
                             "X: \x7f\r\n",
                             "X(: a\r\n",
                             "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                             "Content-Length: 5\r\ntransfer-encoding: chunked\r\n",
                             "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                             "Transfer-Encoding: xchunked\r\n",
                             "Transfer-Encoding: chunked, identity\r\n",
                             "Transfer-Encoding: \x0b chunked\r\n",
                             "Transfer-Encoding : chunked\r\n"}) {
    heads.push_back(line + host + header + "\r\n");
  }
  heads.push_back(line + host + std::string("X: \0\r\n\r\n", 8));
  for (const char* first :
       {"GET  / HTTP/1.1", "GET /  HTTP/1.1", " GET / HTTP/1.1", "GET / HTTP/1.1 ",
        "GET\t/ HTTP/1.1", "GET /\tHTTP/1.1", "GET / a HTTP/1.1", "GET /a\rb HTTP/1.1",
        "GET / HTTP/1.2", "GET / HTTP/2.0", "GET / http/1.1", "GET /", "GET", "G(T / HTTP/1.1",
        "GET http://elsewhere/ HTTP/1.1", "GET http:///x HTTP/1.1",
        "GET http://localhost?x HTTP/1.1", "GET http://a@localhost/ HTTP/1.1"}) {
    heads.push_back(std::string(first) + "\r\n" + host + "\r\n");
  }
  heads.push_back("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n");
  return heads;
}

}  // namespace trellis::test
