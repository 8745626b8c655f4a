package voyage

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	gosync "sync"
	"sync/atomic"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/telemetry"
	"ocaptain/fleet/telemetry/usage"
	"ocaptain/tasks"
)

// The ships of BenchmarkFlood.
const (
	honestShips = 4
	floodRate   = 100 << 20 // bytes a second that the other is to send
	floodFor    = 5 * time.Second
)

// BenchmarkFlood measures how long claims and exports of honest ships take while another ship floods: until helm has stored an export. The
// other is a process of its own that sends its receiver 100 MB a second, and helm gets what that lets through. Each round is calm first.
func BenchmarkFlood(b *testing.B) {
	hub := helmtest.Hub(b)
	var list []tasks.Task
	for i := range honestShips {
		list = append(list, helmtest.Task(fmt.Sprint(i+1), "true"))
	}
	v := openStill(b, startHelm(b, hub), helmtest.Voyage(b, hub, fleet.Voyage{}, "#!/bin/sh\n", list...))
	ctx, cancel := context.WithCancel(b.Context())
	var all gosync.WaitGroup
	b.Cleanup(func() { cancel(); all.Wait() })
	var took [2]floodTimes // calm, and while it floods
	var floods atomic.Int32
	for i := range honestShips {
		f := newExporter(ctx, b, &all, v, fmt.Sprint("ship-", i))
		all.Go(func() { f.work(ctx, fmt.Sprint(i+1), &took, &floods) })
	}
	bad, _ := fakeShip(b, v, "ship-9")
	dir := filepath.Join(b.TempDir(), "telemetry")
	all.Go(func() {
		for at := (usage.Delivered{}); retry.Sleep(ctx, 10*time.Millisecond) == nil; {
			at = deliverNext(ctx, bad, dir, at)
		}
	})
	var sent float64
	for b.Loop() {
		floods.Store(0)
		time.Sleep(floodFor) // this is what is measured
		floods.Store(1)
		sent += flood(b, dir)
	}
	cancel()
	all.Wait()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(sent/(1<<20)/(float64(b.N)*floodFor.Seconds()), "flood-MB/s")
	for i, name := range []string{"calm", "flood"} {
		b.ReportMetric(percentileOf(took[i].exports, 50), name+"-export-p50-ms")
		b.ReportMetric(percentileOf(took[i].exports, 99), name+"-export-p99-ms")
		b.ReportMetric(percentileOf(took[i].claims, 99), name+"-claim-p99-ms")
	}
}

// floodTimes are how long things took.
type floodTimes struct {
	mu              gosync.Mutex
	exports, claims []time.Duration
}

func percentileOf(all []time.Duration, percent int) float64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return float64(all[(len(all)-1)*percent/100].Microseconds()) / 1000
}

// exporter is an honest ship with a receiver.
type exporter struct {
	v        *Voyage
	s        *Ship
	url, dir string
	at       usage.Delivered
}

func newExporter(ctx context.Context, b *testing.B, all *gosync.WaitGroup, v *Voyage, name string) *exporter {
	s, _ := fakeShip(b, v, name)
	e := &exporter{v: v, s: s, dir: filepath.Join(b.TempDir(), "telemetry")}
	url, serve, err := receiveInto(ctx, e.dir)
	if err != nil {
		b.Fatal(err)
	}
	e.url = url
	all.Go(serve)
	return e
}

// receiveInto has a receiver for a spool.
func receiveInto(ctx context.Context, dir string) (url string, serve func(), err error) {
	spool, err := telemetry.OpenSpool(dir)
	if err != nil {
		return "", nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	return "http://" + l.Addr().String() + "/v1/metrics", func() {
		_ = telemetry.Serve(ctx, l, telemetry.NewSpoolReceiver(spool, "", false))
		_ = spool.Close()
	}, nil
}

// deliverNext brings helm the next parcel of a spool, if there is one, as serve does.
func deliverNext(ctx context.Context, s *Ship, dir string, at usage.Delivered) usage.Delivered {
	p, to, err := telemetry.ReadSpool(dir, at)
	if err != nil || len(p.Lines) == 0 {
		return at
	}
	if err := s.TakeTelemetry(ctx, s.v.measures, proto.Telemetry{Parcel: p, Now: time.Now()}); err != nil {
		return at
	}
	_ = telemetry.ForgetDelivered(dir, to)
	return to
}

func export(ctx context.Context, url string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// work exports and claims ten times a second.
func (e *exporter) work(ctx context.Context, id string, took *[2]floodTimes, floods *atomic.Int32) {
	for n := int64(1); retry.Sleep(ctx, 100*time.Millisecond) == nil; n++ {
		is := &took[floods.Load()]
		body := fmt.Appendf(nil, `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"claude_code.token.usage","sum":{"aggregationTemporality":1,"dataPoints":[
{"attributes":[{"key":"type","value":{"stringValue":"input"}}],"startTimeUnixNano":"%d","timeUnixNano":"%d","asInt":"1"}]}}]}]}]}`, n, n+1)
		began := time.Now()
		if export(ctx, e.url, body) != nil {
			return
		}
		e.at = deliverNext(ctx, e.s, e.dir, e.at)
		exported := time.Since(began)
		began = time.Now()
		if _, err := e.v.Store.Claim(ctx, e.s.Name, id); err != nil {
			return
		}
		claimed := time.Since(began)
		_ = e.v.Store.Requeue(ctx, tasks.Requeue{Task: id})
		is.mu.Lock()
		is.exports, is.claims = append(is.exports, exported), append(is.claims, claimed)
		is.mu.Unlock()
	}
}

const floodVar = "OCAPTAIN_BENCH_FLOOD"

// init makes the test program the ship that floods when it is started as one.
func init() {
	if dir := os.Getenv(floodVar); dir != "" {
		fmt.Println(sendFlood(dir))
		os.Exit(0)
	}
}

// flood has another process flood the receiver of its spool, and returns how many bytes it sent.
func flood(b *testing.B, dir string) (sent float64) {
	cmd := exec.CommandContext(b.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), floodVar+"="+dir)
	out, err := cmd.Output()
	if _, e := fmt.Sscan(string(out), &sent); err != nil || e != nil {
		b.Fatalf("%v, %v: %s", err, e, out)
	}
	return sent
}

// sendFlood sends exports of 2 MB. Each has 4000 points, each with an attribute of its own and the name of
// another ship.
func sendFlood(dir string) int64 {
	ctx := context.Background()
	url, serve, err := receiveInto(ctx, dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go serve()
	var body bytes.Buffer
	body.WriteString(`{"resourceMetrics":[{"resource":{"attributes":[{"key":"ocaptain.ship","value":{"stringValue":"ship-0"}}]},"scopeMetrics":[{"metrics":[{"name":"claude_code.token.usage","sum":{"aggregationTemporality":1,"dataPoints":[`)
	for n := range 4000 {
		if n > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(&body, `{"attributes":[{"key":"type","value":{"stringValue":"input"}},{"key":"%d","value":{"stringValue":"%0400d"}}],"timeUnixNano":"%d","asInt":"1"}`, n, n, n+1)
	}
	body.WriteString(`]}}]}]}]}`)
	var sent atomic.Int64
	var all gosync.WaitGroup
	for range 4 {
		all.Go(func() {
			for began := time.Now(); time.Since(began) < floodFor; {
				_ = export(ctx, url, body.Bytes()) // it is refused more often than not
				n := sent.Add(int64(body.Len()))
				_ = retry.Sleep(ctx, time.Duration(float64(n)/floodRate*1e9)-time.Since(began))
			}
		})
	}
	all.Wait()
	return sent.Load()
}
