package link

import (
	"bytes"
	"strings"
	"sync"
)

// tailSize is how many bytes a Tail keeps.
const tailSize = 8 << 10

// Tail is a writer that keeps the end of what a program prints, from the beginning of a line on, since the last part
// of a secret would not be recognised. Its methods are safe for concurrent use.
type Tail struct {
	mu  sync.Mutex
	buf []byte
	cut bool
}

func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	t.buf = append(t.buf, p[max(0, n-tailSize):]...)
	if extra := len(t.buf) - tailSize; extra > 0 || n > tailSize {
		t.buf = append(t.buf[:0], t.buf[extra:]...)
		t.cut = true
	}
	return n, nil
}

// String returns the kept text without space around it.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := t.buf
	if t.cut {
		begin := bytes.IndexAny(kept, "\r\n")
		if begin < 0 {
			return "(a line that is too long)"
		}
		kept = kept[begin+1:]
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(kept), "\uFFFD"))
}
