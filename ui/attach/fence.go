package attach

import (
	"bytes"
	"time"
)

// fence is a question to the captain's terminal. Terminals answer in order, and no ship may ask it,
// so everything after its answer comes from the captain. Nearly all terminals know it.
const fence, fenceAnswer = "\x1b[5n", "\x1b[0n"

// silence is how long a terminal may send nothing before it counts as silent, and
// longWait how long it may answer other questions first.
const (
	silence  = 2 * time.Second
	longWait = 10 * time.Second
)

// awaitAnswers waits until the terminal has answered all of the ship's questions, so that the next reader
// does not take answers for keys.
func (v *visit) awaitAnswers() {
	end := time.After(longWait)
	for !v.passed() {
		select {
		case <-v.heard:
		case <-v.gone:
			return
		case <-time.After(silence):
			return
		case <-end:
			return
		}
	}
}

// passed reports whether the terminal has answered the fence.
func (v *visit) passed() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return bytes.Contains(v.rest, []byte(fenceAnswer))
}
