package link

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"
)

func TestMeterReadsAllOfAReader(t *testing.T) {
	for _, size := range []int{0, 1, 1 << 10, 1<<10 + 1, copySize, 3*copySize + 7} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(rand.Uint32())
		}
		readers := map[string]io.Reader{
			"all at once":      bytes.NewReader(data),
			"half":             iotest.HalfReader(bytes.NewReader(data)),
			"with end of file": iotest.DataErrReader(bytes.NewReader(data)),
			"byte by byte":     iotest.OneByteReader(bytes.NewReader(data)),
		}
		for name, r := range readers {
			var got bytes.Buffer
			moved := 0
			n, err := meter{&got, func() { moved++ }}.ReadFrom(r)
			if err != nil || n != int64(size) || !bytes.Equal(got.Bytes(), data) {
				t.Errorf("%d bytes %s: copied %d, %v", size, name, n, err)
			}
			if (moved > 0) != (size > 0) {
				t.Errorf("%d bytes %s: moved was called %d times", size, name, moved)
			}
		}
	}
}

func TestMeterEndsWithTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	var got bytes.Buffer
	n, err := meter{&got, nil}.ReadFrom(io.MultiReader(bytes.NewReader([]byte("abc")), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || n != 3 || got.String() != "abc" {
		t.Errorf("a reader that breaks: copied %d bytes %q, %v", n, &got, err)
	}
	r, w := io.Pipe()
	r.CloseWithError(broken)
	if n, err := (meter{w, nil}).ReadFrom(bytes.NewReader([]byte("abc"))); !errors.Is(err, broken) || n != 0 {
		t.Errorf("a writer that breaks: copied %d bytes, %v", n, err)
	}
}
