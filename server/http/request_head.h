// The head of a request (request line and headers), checked before it is used.
#pragma once

#include <string_view>

namespace trellis {

// Whether all proxies and servers on the way read this head in the same way (RFC 9112). Forms that
// programs are known to read in different ways are refused, because a second request can hide in
// the difference: a bare CR or LF, blanks before a colon, header lines that are continued or have
// no colon, more than single blanks in the request line, several lengths or a length beside a
// transfer encoding, a name in the target that is not the Host. REQUIRES: `head` ends with its
// empty line. Cost: O(length).
bool is_sound_head(std::string_view head);

}  // namespace trellis
