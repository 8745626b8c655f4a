package git

import (
	"bytes"
	"compress/zlib"
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
