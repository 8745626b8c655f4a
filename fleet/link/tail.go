package link

import (
	"bytes"
	"strings"
	"sync"
)

// tailSize is how much a Tail keeps.
const tailSize = 8 << 10

// Tail keeps the end of what a program prints. It begins at the start of a line, since a secret could not be
// recognized by its last part. Several goroutines may use it at once.
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

// String returns it without space around it.
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
