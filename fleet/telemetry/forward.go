package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"ocaptain/fleet/retry"
	"ocaptain/fleet/wake"
	"ocaptain/sync/whole"
)

// Forwarder sends the lines of a store to a collector as they arrive: those of each signal in order, and each until the collector
// answers. Its queue are the lines in the store; if the store drops lines that were not sent, it counts them.
//
// The file forward.json says which lines were answered. After a restart, only lines without an answer are sent again.
type Forwarder struct {
	dir  string
	to   *Exporter
	tell func(text string) // tells the captain a text
	wake wake.Signal       // signals that there may be more lines

	least, most time.Duration // pauses between attempts
	patience    time.Duration // how long the collector may accept nothing before the captain is told

	mu    sync.Mutex // not held while data is sent
	state forwarded
	told  map[string]bool // what the captain was told in this process
}

// forwarded is the content of forward.json.
type forwarded struct {
	Places [3]place `json:"places"` // by Signal: the place up to which lines were answered
	Lost
	Told bool `json:"told,omitempty"` // the captain was told that lines were dropped
}

// Lost counts the exports that a collector did not get.
type Lost struct {
	Dropped int `json:"dropped,omitempty"` // dropped by the store before they were sent
	Refused int `json:"refused,omitempty"` // refused by the collector
}

// LoadLost returns what a collector did not get from the store in a directory. It works whether or not a Forwarder is
// running there.
func LoadLost(dir string) (Lost, error) {
	state, err := loadForwarded(dir)
	return state.Lost, err
}

func loadForwarded(dir string) (state forwarded, err error) {
	data, err := os.ReadFile(forwardFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return state, nil
	}
	if err != nil {
		return state, err
	}
	if err := json.Unmarshal(data, &state); err != nil {
		return state, fmt.Errorf("%s: %w; remove it, and helm sends all lines beside it again", forwardFile(dir), err)
	}
	return state, nil
}

// NewForwarder returns a Forwarder that continues in the directory of a store. tell is called with texts for the
// captain.
func NewForwarder(dir string, to *Exporter, tell func(text string)) (*Forwarder, error) {
	f := &Forwarder{
		dir: dir, to: to, tell: tell, wake: wake.New(), told: map[string]bool{},
		least: time.Second, most: time.Minute, patience: 5 * time.Minute,
	}
	var err error
	if f.state, err = loadForwarded(dir); err != nil {
		return nil, err
	}
	for i, at := range f.state.Places {
		if at == (place{}) {
			continue // the directory may not exist yet
		}
		if f.state.Places[i], err = settle(dir, at); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// settle returns the place, or an earlier one if lines before it were lost, as in a power failure: new lines will be written
// there.
func settle(dir string, at place) (place, error) {
	numbers, err := listLines(dir)
	if err != nil {
		return at, err
	}
	if len(numbers) == 0 || numbers[len(numbers)-1] < at.File {
		return place{}, nil
	}
	if !slices.Contains(numbers, at.File) {
		return at, nil
	}
	end := place{File: at.File}
	for line, err := range readLines(lines(dir, at.File), 0) {
		if err != nil {
			return at, err
		}
		if end.Offset += int64(len(line)); end.covers(at) {
			return at, nil
		}
	}
	return end, nil
}

// Forward makes the store wake a Forwarder for its directory at each new line. A store has at most one.
func (s *Store) Forward(f *Forwarder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onward, s.dropping = f, f.dropping
}

// poke wakes the forwarder, as there are more lines. It does not wait.
func (f *Forwarder) poke() {
	if f == nil {
		return
	}
	f.wake.Send()
}

// Run sends lines until ctx ends.
func (f *Forwarder) Run(ctx context.Context) {
	for ctx.Err() == nil {
		all, at, err := f.next()
		switch {
		case err != nil:
			f.tellOnce("reading", "lines of telemetry cannot be read, and are not sent on now: "+err.Error())
			_ = retry.Sleep(ctx, f.most)
		case len(all) > 0:
			f.send(ctx, all, at)
		default:
			f.tellDropped()
			select {
			case <-ctx.Done():
			case <-f.wake:
			}
		}
	}
}

// next returns the next lines that the collector has not answered for some signal, and the place where they begin.
func (f *Forwarder) next() (all []byte, at place, err error) {
	places := f.places()
	at = places[0]
	for _, p := range places {
		if !p.covers(at) {
			at = p
		}
	}
	all, at, err = readNext(f.dir, at)
	if errors.Is(err, fs.ErrNotExist) { // there is no data yet
		err = nil
	}
	return all, at, err
}

func (f *Forwarder) places() [3]place {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state.Places
}

// send sends the lines that were not answered, in one request for each signal, until all are answered or ctx ends.
func (f *Forwarder) send(ctx context.Context, all []byte, at place) {
	end := place{at.File, at.Offset + int64(len(all))}
	for i, from := range f.places() {
		signal := Signal(i)
		body, n := collect(signal, all, at, from)
		refused := error(nil)
		if len(body) > 0 {
			refused = f.post(ctx, signal, body)
		}
		if refused != nil && ctx.Err() != nil {
			return
		}
		f.answered(signal, end, n, refused)
	}
}

// collect combines the lines of a signal after a place to the body of one request, and counts them. Concatenated protobuf messages
// are one message with all their parts.
func collect(signal Signal, all []byte, at, from place) (body []byte, n int) {
	for line := range bytes.Lines(all) {
		at.Offset += int64(len(line))
		if s, ok := lineSignal(line); !ok || s != signal || from.covers(at) {
			continue
		}
		decoding <- struct{}{}
		part, ok, err := request(line)
		<-decoding
		if err == nil && ok {
			body = append(body, part...)
			n++
		}
	}
	return body, n
}

// post sends a body again and again until the collector accepts it. It returns an error when the collector refuses the body for good, or
// when ctx ends.
func (f *Forwarder) post(ctx context.Context, signal Signal, body []byte) error {
	begun := time.Now()
	failed := func(err error, _ time.Duration) {
		f.tellDropped()
		if time.Since(begun) >= f.patience {
			f.tellOnce("waiting", "a collector takes no telemetry, which waits here within telemetry.keep: "+err.Error())
		}
	}
	_, err := backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, f.to.post(ctx, signals[signal].path, body) },
		backoff.WithBackOff(retry.Doubling(f.least, f.most)), backoff.WithMaxElapsedTime(0), backoff.WithNotify(failed))
	return err
}

// answered records that lines of a signal need not be sent again.
func (f *Forwarder) answered(signal Signal, end place, n int, refused error) {
	if refused != nil {
		f.tellOnce("refused "+signals[signal].path, "what a collector refuses is not sent again: "+refused.Error())
	}
	f.mu.Lock()
	at := &f.state.Places[signal]
	dropped := at.covers(end) // dropped by the store meanwhile, and counted
	switch {
	case refused != nil && !dropped:
		f.state.Refused += n
	case refused == nil && dropped:
		f.state.Dropped -= n
	}
	if !dropped {
		*at = end
	}
	var err error
	if n > 0 {
		err = f.save()
	}
	f.mu.Unlock()
	f.tellUnsaved(err)
}

// dropping counts the lines of a file that were not sent, before the store removes the file.
func (f *Forwarder) dropping(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, count := place{File: n}, 0
	for line, err := range readLines(lines(f.dir, n), 0) {
		if err != nil {
			break
		}
		at.Offset += int64(len(line))
		if signal, ok := lineSignal(line); ok && !f.state.Places[signal].covers(at) {
			count++
		}
	}
	for i := range f.state.Places {
		if p := &f.state.Places[i]; p.File <= n {
			*p = place{File: n + 1}
		}
	}
	f.state.Dropped += count
	_ = f.save() // on an error: the next answer saves it too
}

// save writes forward.json. The caller holds f.mu.
func (f *Forwarder) save() error {
	data, err := json.Marshal(f.state)
	if err != nil {
		return err
	}
	return whole.Write(forwardFile(f.dir), data, 0o600)
}

// tellDropped tells the captain once that lines were dropped.
func (f *Forwarder) tellDropped() {
	f.mu.Lock()
	n, first := f.state.Dropped, f.state.Dropped > 0 && !f.state.Told
	var err error
	if first {
		f.state.Told = true
		err = f.save()
	}
	f.mu.Unlock()
	if first {
		f.tell(fmt.Sprintf("telemetry is dropped before a collector takes it, %d exports by now: set a larger telemetry.keep, or mend the collector; %s goes on counting",
			n, forwardFile(f.dir)))
	}
	f.tellUnsaved(err)
}

func (f *Forwarder) tellUnsaved(err error) {
	if err != nil {
		f.tellOnce("noting", "what was sent to a collector cannot be noted, and is sent again after a restart: "+err.Error())
	}
}

// tellOnce tells the captain about a matter at most once in the life of this process.
func (f *Forwarder) tellOnce(matter, text string) {
	f.mu.Lock()
	first := !f.told[matter]
	f.told[matter] = true
	f.mu.Unlock()
	if first {
		f.tell(text)
	}
}

func forwardFile(dir string) string { return filepath.Join(dir, "forward.json") }
