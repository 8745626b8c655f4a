package attach

import (
	"bytes"
	"time"
)

// fence is a question to the captain's terminal. Terminals answer in order, and no ship may ask
// it: what comes behind the answer is no answer to a ship. Nearly all terminals know it.
const fence, fenceAnswer = "\x1b[5n", "\x1b[0n"

// silence is how long the terminal may say nothing before it is taken for one that does not answer,
// and longWait how long it may answer other questions first.
const (
	silence  = 2 * time.Second
	longWait = 10 * time.Second
)

// awaitAnswers waits until the terminal has answered everything that the ship asked, so that no answer is
// taken for keys by whoever reads next.
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

// passed tells whether the fence has been answered.
func (v *visit) passed() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return bytes.Contains(v.rest, []byte(fenceAnswer))
}
