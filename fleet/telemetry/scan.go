package telemetry

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// Limits of one request. How much memory a request needs depends on the number of its parts, and not on its size.
const (
	mostBody  = 4 << 20 // bytes, uncompressed
	mostParts = 100_000 // objects, lists and strings
	mostDepth = 64      // levels of nesting
)

var (
	errLarge = fmt.Errorf("the request has more than %d bytes when decompressed; send smaller batches", mostBody)
	errParts = fmt.Errorf("the request has more than %d parts; send smaller batches", mostParts)
	errDepth = fmt.Errorf("values are nested more than %d deep", mostDepth)
)

// readBody reads a body, up to the limit.
func readBody(into *bytes.Buffer, from io.Reader) error {
	n, err := into.ReadFrom(io.LimitReader(from, mostBody+1))
	if err == nil && n > mostBody {
		err = errLarge
	}
	return err
}

// scanJSON returns an error for JSON that is nested too deeply or has too many parts. The JSON may be malformed.
func scanJSON(text []byte) error {
	depth, parts := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i += quotedLen(text[i+1:])
		case '{', '[':
			if depth++; depth > mostDepth {
				return errDepth
			}
			parts++
		case ',':
			parts++
		case '}', ']':
			depth--
		default:
			continue
		}
		if parts > mostParts {
			return errParts
		}
	}
	return nil
}

// quotedLen returns the length of a quoted string including its closing quote, or of the rest of the text if there is
// none.
func quotedLen(text []byte) int {
	for i := 0; ; i++ {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			return len(text)
		}
		i += n
		escapes := 0
		for escapes < i && text[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

// scanProto does the same for the wire format of protobuf. Strings and messages look alike there, so each counts as a message as
// far as it can be read as one, https://protobuf.dev/programming-guides/encoding/.
func scanProto(message []byte) error {
	parts := 0
	return scanMessage(message, 0, &parts)
}

func scanMessage(b []byte, depth int, parts *int) error {
	if depth > mostDepth {
		return errDepth
	}
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 {
			return nil // from here on it is no message
		}
		b = b[n:]
		*parts++
		if *parts > mostParts {
			return errParts
		}
		var size int
		switch tag & 7 {
		case 0:
			_, size = binary.Uvarint(b)
			if size <= 0 {
				return nil
			}
		case 1:
			size = 8
		case 2:
			length, n := binary.Uvarint(b)
			if n <= 0 || length > uint64(len(b)-n) {
				return nil
			}
			if err := scanMessage(b[n:n+int(length)], depth+1, parts); err != nil {
				return err
			}
			size = n + int(length)
		case 5:
			size = 4
		default: // groups, which OTLP does not use
			return nil
		}
		if size > len(b) {
			return nil
		}
		b = b[size:]
	}
	return nil
}
