// The head of a request (request line and headers), checked before it is used.
#pragma once

#include <string_view>

namespace trellis {

// Whether every program on the way reads this head alike (RFC 9112). What proxies and servers are
// known to read in different ways is refused, for a second request hides in the difference: a bare
// CR or LF, blanks before a colon, lines that go on or have no colon, more than single blanks in
// the request line, several lengths or a length beside a transfer encoding, a name in the target
// that is not the Host. REQUIRES: `head` ends with its empty line. Cost: O(length).
bool is_sound_head(std::string_view head);

}  // namespace trellis
