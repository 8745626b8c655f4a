package link

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"slices"
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

// TestPace checks when a connection calls the pace of its link: before each read, unless the read before filled its
// buffer.
func TestPace(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	go func() {
		_, _ = far.Write(make([]byte, 10))
		_, _ = far.Write(make([]byte, 3))
		far.Close()
	}()
	var l Link
	var paced []int
	m := &meteredConn{Conn: near, pace: &l.pace}
	l.SetPace(func(n int) { paced = append(paced, n) })
	var got []int
	for {
		n, err := m.Read(make([]byte, 4))
		if err != nil {
			break
		}
		got = append(got, n)
		if n == 3 {
			l.SetPace(nil)
		}
	}
	if want := []int{4, 4, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("it reads %v, want %v", got, want)
	}
	if want := []int{0, 10}; !slices.Equal(paced, want) {
		t.Errorf("the pace gets %v, want %v", paced, want)
	}
}
