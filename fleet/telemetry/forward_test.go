package telemetry

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/fleet/telemetry/usage/usagetest"
	"ocaptain/tasks/eventually"
)

// collector counts how often it accepted each point of the metrics that it gets.
type collector struct {
	mu    sync.Mutex
	taken map[int]int // by point: its time in seconds after hour
	asked int
	treat func(w http.ResponseWriter, r *http.Request) (refused bool) // called before anything is accepted; may be nil
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	c.mu.Lock()
	c.asked++
	treat := c.treat
	c.mu.Unlock()
	if treat != nil && treat(w, r) {
		return
	}
	e, err := decode(Metrics, body, false)
	if err != nil {
		http.Error(w, "", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rm := range e.metrics.ResourceMetrics().All() {
		for _, p := range rm.ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().All() {
			c.taken[int(p.Timestamp().AsTime().Unix()-usagetest.Hour)]++
		}
	}
}

func (c *collector) setTreat(treat func(http.ResponseWriter, *http.Request) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.treat = treat
}

// times returns how often points up to n were accepted, if all were, and how often others were.
func (c *collector) times(n int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	most := 0
	for i := 1; i <= n; i++ {
		if c.taken[i] == 0 {
			return fmt.Sprintf("%d is not taken", i)
		}
		most = max(most, c.taken[i])
	}
	if len(c.taken) > n {
		return fmt.Sprintf("%d are taken", len(c.taken))
	}
	return fmt.Sprintf("all, at most %d times", most)
}

// told are the texts of a Forwarder for the captain.
type told struct {
	mu  sync.Mutex
	all []string
}

func (t *told) tell(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, text)
}

func (t *told) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.all, "\n")
}

// newForwarder returns a Forwarder with short pauses.
func newForwarder(t *testing.T, dir, url string, words *told) *Forwarder {
	t.Helper()
	x, err := NewExporter(url, nil)
	if err != nil {
		t.Fatal(err)
	}
	x.client.Timeout = 200 * time.Millisecond
	f, err := NewForwarder(dir, x, words.tell)
	if err != nil {
		t.Fatal(err)
	}
	f.least, f.most, f.patience = time.Millisecond, 20*time.Millisecond, time.Millisecond
	return f
}

// start runs a Forwarder until the returned function is called.
func (f *Forwarder) start(t *testing.T, s *Store) (stop func()) {
	t.Helper()
	s.Forward(f)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.Run(ctx)
	}()
	var once sync.Once
	stop = func() { once.Do(func() { cancel(); <-ended }) }
	t.Cleanup(stop)
	return stop
}

// isDone returns a function that reports whether all lines of a store were answered.
func (f *Forwarder) isDone(s *Store) func() bool {
	return func() bool {
		s.mu.Lock()
		end := s.at
		s.mu.Unlock()
		for _, p := range f.places() {
			if !p.covers(end) {
				return false
			}
		}
		return true
	}
}

// addPoints adds lines with one point each.
func addPoints(t *testing.T, s *Store, from, to int) {
	t.Helper()
	for i := from; i <= to; i++ {
		if err := s.add(ship1, metricsOf(usagetest.Sample{Start: i - 1, At: i, Value: 1})); err != nil {
			t.Fatal(err)
		}
	}
}

// closedAddress returns an address of this machine on which nothing listens.
func closedAddress(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestForward uses a collector that is away, then hangs, then is busy, and then works. All data arrives once, even after a restart of the
// Forwarder, except data without an answer at that time.
func TestForward(t *testing.T) {
	dir, words := t.TempDir(), &told{}
	s := openStore(t, dir)
	address := closedAddress(t)
	f := newForwarder(t, dir, "http://"+address, words)
	stop := f.start(t, s)
	addPoints(t, s, 1, 10)
	eventually.Holds(t, "a word of a collector that is away", func() bool { return strings.Contains(words.text(), "takes no telemetry") })

	c := &collector{taken: map[int]int{}}
	c.treat = func(w http.ResponseWriter, r *http.Request) bool {
		c.mu.Lock()
		asked := c.asked
		c.mu.Unlock()
		switch {
		case asked <= 2:
			<-r.Context().Done()
		case asked <= 4:
			http.Error(w, "", http.StatusServiceUnavailable)
		}
		return asked <= 4
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: c}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	addPoints(t, s, 11, 20)
	eventually.Holds(t, "all answered", f.isDone(s))
	if got := c.times(20); got != "all, at most 1 times" {
		t.Error(got)
	}

	stop()
	addPoints(t, s, 21, 30)
	f = newForwarder(t, dir, "http://"+address, words)
	stop = f.start(t, s)
	addPoints(t, s, 31, 40)
	eventually.Holds(t, "what came meanwhile", f.isDone(s))
	if got := c.times(40); got != "all, at most 1 times" {
		t.Errorf("after a restart: %s", got)
	}

	c.setTreat(func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return false }) // it accepts the data, but does not answer
	addPoints(t, s, 41, 41)
	eventually.Holds(t, "41 taken", func() bool { return strings.HasPrefix(c.times(41), "all") })
	stop()
	c.setTreat(nil)
	f = newForwarder(t, dir, "http://"+address, words)
	f.start(t, s)
	eventually.Holds(t, "41 answered", f.isDone(s))
	c.mu.Lock()
	defer c.mu.Unlock()
	again := maps.Clone(c.taken)
	maps.DeleteFunc(again, func(_, n int) bool { return n == 1 })
	if len(again) != 1 || again[41] < 2 {
		t.Errorf("sent again are %v, want 41 alone", again)
	}
}

// TestForwardHangs delivers ships' data to a store whose collector never answers.
func TestForwardHangs(t *testing.T) {
	dir, from := t.TempDir(), t.TempDir()
	s := openStore(t, dir)
	asked := make(chan struct{}, 1)
	url := listen(t, &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case asked <- struct{}{}:
		default:
		}
		<-r.Context().Done()
	})})
	f := newForwarder(t, dir, url, &told{})
	f.to.client.Timeout = 0 // without a timeout
	f.start(t, s)
	addPoints(t, s, 1, 1)
	eventually.Receives(t, "a request that hangs", asked)
	spool := openSpool(t, from)
	for i := range 100 {
		if err := spool.add(metricsOf(usagetest.Sample{Start: i + 1, At: i + 2, Value: 1})); err != nil {
			t.Fatal(err)
		}
	}
	deliverAll(t, from, usage.Delivered{}, s)
	if got := countLines(t, dir); got != 101 {
		t.Errorf("%d lines are stored", got)
	}
	if f.isDone(s)() {
		t.Error("the request was answered")
	}
}

// TestForwardDrops stores more than is kept while a collector is away: all that the collector does not get is counted,
// and the captain is told once.
func TestForwardDrops(t *testing.T) {
	dir, words := t.TempDir(), &told{}
	s := openStore(t, dir)
	s.most, s.keep = 4<<10, 16<<10
	f := newForwarder(t, dir, "http://"+closedAddress(t), words)
	stop := f.start(t, s)
	const n = 200
	addPoints(t, s, 1, n)
	eventually.Holds(t, "a word", func() bool { return strings.Contains(words.text(), "is dropped before") })
	stop()
	addPoints(t, s, n+1, 2*n)

	c := &collector{taken: map[int]int{}}
	f = newForwarder(t, dir, listen(t, &http.Server{Handler: c}), words)
	f.start(t, s)
	eventually.Holds(t, "the rest", f.isDone(s))
	f.mu.Lock()
	dropped := f.state.Dropped
	f.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.taken)+dropped != 2*n || len(c.taken) != countLines(t, dir) {
		t.Errorf("%d were sent and %d dropped of %d, and %d are there", len(c.taken), dropped, 2*n, countLines(t, dir))
	}
	if got := strings.Count(words.text(), "is dropped before"); got != 1 {
		t.Errorf("it is told %d times:\n%s", got, words.text())
	}
}

// TestForwardRefused uses a collector for other signals: what it refuses is counted, the captain is told once, and
// nothing is delayed.
func TestForwardRefused(t *testing.T) {
	dir, words := t.TempDir(), &told{}
	s := openStore(t, dir)
	c := &collector{taken: map[int]int{}}
	f := newForwarder(t, dir, listen(t, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/metrics" {
			http.NotFound(w, r)
			return
		}
		c.ServeHTTP(w, r)
	})}), words)
	f.start(t, s)
	for i := 1; i <= 5; i++ {
		if err := s.add(ship1, logsOf(usagetest.Event{Name: "api_error", At: i, Session: "a"})); err != nil {
			t.Fatal(err)
		}
		addPoints(t, s, i, i)
		eventually.Holds(t, "an answer", f.isDone(s))
	}
	if got := c.times(5); got != "all, at most 1 times" {
		t.Error(got)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if lost, err := LoadLost(dir); err != nil || lost != (Lost{Refused: 5}) {
		t.Errorf("written down is %+v, %v", lost, err)
	}
	if f.state.Refused != 5 || strings.Count(words.text(), "404") != 1 {
		t.Errorf("%d are refused, and told is\n%s", f.state.Refused, words.text())
	}
}

// TestForwardLost continues after lines were lost that are recorded as sent.
func TestForwardLost(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	addPoints(t, s, 1, 3)
	end := s.at
	for at, want := range map[place]place{
		end:                         end,
		{1, 1}:                      {1, 1},
		{1, end.Offset + 1000}:      end,
		{end.File + 5, 10}:          {},
		{end.File - 1, 1_000_000}:   {end.File - 1, 1_000_000},
		{end.File, end.Offset - 10}: {end.File, end.Offset - 10},
	} {
		if got, err := settle(dir, at); got != want || err != nil {
			t.Errorf("%v: got %v, want %v; %v", at, got, want, err)
		}
	}
}

// A voyage whose agents have not exported anything has no directory yet.
func TestForwarderBeforeTheFirstExport(t *testing.T) {
	if _, err := NewForwarder(filepath.Join(t.TempDir(), "telemetry"), nil, func(string) {}); err != nil {
		t.Error(err)
	}
}
