package journal

import (
	"bytes"
	"fmt"
	"hash/crc32"
)

// A sealed line ends in a checksum of everything before it, so that a flipped bit does not make
// another record.
const (
	sealStart = `,"sum":"`
	sealSize  = len(sealStart) + 8 + len(`"}`)
)

// sealed returns a JSON object with the checksum added.
func sealed(line []byte) []byte {
	body := line[:len(line)-1]
	return fmt.Appendf(body, `%s%08x"}`, sealStart, crc32.ChecksumIEEE(body))
}

// broken reports whether a line has a checksum that does not match.
func broken(line []byte) bool {
	line = bytes.TrimSuffix(line, []byte("\n"))
	at := len(line) - sealSize
	if at < 0 || !bytes.HasPrefix(line[at:], []byte(sealStart)) {
		return true
	}
	return string(line[at+len(sealStart):len(line)-2]) != fmt.Sprintf("%08x", crc32.ChecksumIEEE(line[:at]))
}
