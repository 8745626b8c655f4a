package git

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/adler32"
	"math"
	"sync"
)

// writers holds idle zlib writers, since a new writer clears more than a megabyte.
var writers = sync.Pool{New: func() any {
	z, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed)
	return z
}}

// compress appends the parts to b as one zlib stream.
func compress(b *bytes.Buffer, parts ...[]byte) {
	z := writers.Get().(*zlib.Writer)
	defer writers.Put(z)
	z.Reset(b)
	for _, part := range parts {
		_, _ = z.Write(part)
	}
	_ = z.Close() // writing to a buffer does not fail
}

// store appends content to b as a zlib stream that is not compressed.
func store(b *bytes.Buffer, content []byte) {
	b.WriteString("\x78\x01")
	sum := adler32.Checksum(content)
	for last := false; !last; {
		n := min(len(content), math.MaxUint16)
		last = n == len(content)
		_ = binary.Write(b, binary.LittleEndian, struct {
			Last      bool
			Size, Not uint16
		}{last, uint16(n), ^uint16(n)}) //nolint:gosec // n is at most MaxUint16
		b.Write(content[:n])
		content = content[n:]
	}
	_ = binary.Write(b, binary.BigEndian, sum)
}
