package telemetry

import (
	"bytes"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/fleet/telemetry/usage/usagetest"
)

func openSpool(t *testing.T, dir string) *Spool {
	t.Helper()
	s, err := OpenSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func asIs(text string) string { return text }

// deliverAll delivers everything in a spool after a place.
func deliverAll(t *testing.T, spool string, from usage.Delivered, store *Store) usage.Delivered {
	t.Helper()
	for {
		p, to, err := ReadSpool(spool, from)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Lines) == 0 {
			return to
		}
		if _, err := store.Deliver(ship1, p, asIs); err != nil {
			t.Fatal(err)
		}
		from = to
	}
}

func countLines(t *testing.T, dir string) (n int) {
	t.Helper()
	files, err := listLines(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		for _, err := range readLines(lines(dir, f), 0) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
	}
	return n
}

// TestSpool kills the runner and helm again and again. What was not acknowledged is delivered again, and everything counts once.
func TestSpool(t *testing.T) {
	dir, hub := t.TempDir(), t.TempDir()
	var at usage.Delivered
	const rounds = 20
	for i := range rounds {
		spool := openSpool(t, dir)
		for j := range 3 {
			if err := spool.add(metricsOf(usagetest.Sample{Start: 3*i + j, At: 3*i + j + 1, Value: 1})); err != nil {
				t.Fatal(err)
			}
		}
		if i%3 == 1 { // killed in the middle of a line
			if _, err := spool.file.WriteAt([]byte(`{"resourceMetrics":[{"resou`), spool.at.Offset); err != nil {
				t.Fatal(err)
			}
		}
		spool.Close()
		store := openStore(t, hub)
		to := deliverAll(t, dir, at, store)
		if i%2 == 1 { // otherwise the answer was lost
			at = to
			if err := ForgetDelivered(dir, at); err != nil {
				t.Fatal(err)
			}
		}
		if i%4 == 2 {
			killed := copyDir(t, hub)
			store.Close()
			hub = killed
		} else {
			store.Close()
		}
	}
	if got := totalOf(t, hub); got != 3*rounds {
		t.Errorf("it sums %d, want %d", got, 3*rounds)
	}
	if got := countLines(t, hub); got != 3*rounds {
		t.Errorf("helm stores %d lines, want %d", got, 3*rounds)
	}
	if files, err := listLines(dir); err != nil || len(files) > 2 {
		t.Errorf("aboard there are still files %v, %v", files, err)
	}
}

// TestSpoolOfAnother delivers from a spool that starts over, as after a replacement of the machine.
func TestSpoolOfAnother(t *testing.T) {
	store := openStore(t, t.TempDir())
	var at usage.Delivered
	for i := range 2 {
		dir := t.TempDir()
		if err := openSpool(t, dir).add(metricsOf(usagetest.Sample{Start: i, At: i + 1, Value: 1})); err != nil {
			t.Fatal(err)
		}
		at = deliverAll(t, dir, at, store)
	}
	store.View(func(s *usage.Sums) {
		if input(s) != 2 {
			t.Errorf("it sums %d, want 2", input(s))
		}
	})
}

// TestFullSpool fills a spool that is never read: the oldest export is dropped, and the newest is delivered.
func TestFullSpool(t *testing.T) {
	dir := t.TempDir()
	spool := openSpool(t, dir)
	spool.keep, spool.most = 8<<10, 2<<10
	for i := range 100 {
		if err := spool.add(metricsOf(usagetest.Sample{Start: i, At: i + 1, Value: 1})); err != nil {
			t.Fatal(err)
		}
	}
	store := openStore(t, t.TempDir())
	deliverAll(t, dir, usage.Delivered{}, store)
	store.View(func(s *usage.Sums) {
		rows := s.Rows()
		if got := input(s); got == 0 || got > 40 || len(rows) != 1 {
			t.Errorf("of 100 it sums %d", got)
		}
	})
}

// TestSpoolReceiver lets an agent export to a spool. An agent of another ship, which has no key or another one,
// cannot.
func TestSpoolReceiver(t *testing.T) {
	dir := t.TempDir()
	url := serve(t, NewSpoolReceiver(openSpool(t, dir), "the key", false))
	body, err := metricsOf(usagetest.Sample{At: 1, Value: 7}).proto()
	if err != nil {
		t.Fatal(err)
	}
	other, err := metricsOf(usagetest.Sample{At: 2, Value: 100}).proto()
	if err != nil {
		t.Fatal(err)
	}
	for _, head := range [][]string{nil, {KeyHeader, ""}, {KeyHeader, "the key of another"}} {
		if status, said := send(t, http.DefaultClient, url+"/v1/metrics", "application/x-protobuf", other, head...); status != "401" {
			t.Errorf("with %q the answer is %s %q", head, status, said)
		}
		if status, said := send(t, h2(), url+signals[Metrics].method, "application/grpc", append([]byte{0, 0, 0, 0, byte(len(other))}, other...), head...); status != "16" {
			t.Errorf("with %q the answer is %s %q over gRPC", head, status, said)
		}
	}
	if status, said := send(t, http.DefaultClient, url+"/v1/metrics", "application/x-protobuf", body, KeyHeader, "the key"); status != "200" {
		t.Fatalf("answer %s %q", status, said)
	}
	store := openStore(t, t.TempDir())
	deliverAll(t, dir, usage.Delivered{}, store)
	store.View(func(s *usage.Sums) {
		if input(s) != 7 {
			t.Errorf("it sums %d, want 7", input(s))
		}
	})
}

// TestForgedParcel delivers parcels that no spool contains.
func TestForgedParcel(t *testing.T) {
	dir := t.TempDir()
	store := openStore(t, dir)
	whole, err := logsOf(usagetest.Event{Name: "api_error", At: 1, Session: "a"}).line()
	if err != nil {
		t.Fatal(err)
	}
	forged := metricsOf(usagetest.Sample{At: 1, Value: 5})
	for _, k := range []string{usage.AttrShip, usage.AttrDelivered, "ship"} {
		forged.resource().PutStr(k, `"forged" 99 99`)
	}
	line, err := forged.line()
	if err != nil {
		t.Fatal(err)
	}
	deep := append([]byte(`{"resourceMetrics":`), bytes.Repeat([]byte("["), 100)...)
	for _, tt := range []struct {
		name  string
		lines []byte
	}{
		{"nothing", nil},
		{"text", []byte("hello\n")},
		{"no end", line[:len(line)/2]},
		{"depth", append(deep, '\n')},
		{"parts", []byte(`{"resourceLogs":[` + strings.Repeat("{},", mostParts) + "{}]}\n")},
		{"size", append(bytes.Repeat([]byte("x"), mostLine+1), '\n')},
		{"forged", line},
	} {
		packed, err := pack(slices.Concat(tt.lines, whole))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.Deliver(ship1, Parcel{tt.name, 1, 0, packed}, asIs); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	bomb, err := pack(make([]byte, mostUnpacked+2))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Parcel{{"a", 1, 0, nil}, {"a", 1, 0, []byte("junk")}, {"a", 1, 0, bomb}, {strings.Repeat("a", maxSpoolID+1), 1, 0, nil}} {
		if _, err := store.Deliver(ship1, p, asIs); err == nil {
			t.Errorf("a parcel of %d bytes of %.10q is taken over", len(p.Lines), p.Spool)
		}
	}
	store.View(func(s *usage.Sums) {
		if got := s.Total(); got.Tokens.Input != 5 || got.RequestErrors != 1 {
			t.Errorf("it sums %+v", got)
		}
		for _, row := range s.Rows() {
			if row.Ship != "ship-1" {
				t.Errorf("a row of %q", row.Ship)
			}
		}
	})
	for stored, err := range readLines(lines(dir, 1), 0) {
		if err != nil || bytes.Contains(stored, []byte("99 99")) {
			t.Errorf("stored %s, %v", stored, err)
		}
	}
}

// Whatever a ship does to its spool, no later export that was acknowledged is lost, memory stays limited, and no call
// hangs.
func TestSpoolIsDamaged(t *testing.T) {
	dir, hub := t.TempDir()+"/telemetry", t.TempDir()
	spool, store := openSpool(t, dir), openStore(t, hub)
	add := func(i int) {
		t.Helper()
		if err := spool.add(metricsOf(usagetest.Sample{Start: i, At: i + 1, Value: 1})); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	add(0)
	at := deliverAll(t, dir, usage.Delivered{}, store)
	for n, spoil := range []func(file string) error{
		func(file string) error { return os.WriteFile(file, nil, 0o600) },
		func(file string) error { return syscall.Mkfifo(file, 0o600) },
		func(file string) error { return os.Symlink("/dev/zero", file) },
	} {
		file := lines(dir, 1000+n)
		if err := spoil(file); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			if err := os.Truncate(file, 50<<30); err != nil { // a sparse file
				t.Fatal(err)
			}
		}
	}
	add(1)
	deliverAll(t, dir, at, store)
	var got int64
	store.View(func(all *usage.Sums) { got = all.Total().Tokens.Input })
	if got != 2 {
		t.Errorf("helm has %d exports of 2", got)
	}
	if err := os.Remove(idFile(dir)); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(idFile(dir), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadSpool(dir, at); err == nil {
		t.Error("a pipe is the name of a spool")
	}
}
