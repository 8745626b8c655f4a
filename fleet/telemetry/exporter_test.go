package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/fleet/telemetry/usage/usagetest"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// TestExport sends the data of one store to a collector, which is another store behind a server that is busy, then away, and
// then works.
func TestExport(t *testing.T) {
	from := t.TempDir()
	s := openStore(t, from)
	for _, e := range []export{metricsOf(usagetest.Sample{At: 1, Value: 5}), logsOf(usagetest.Event{Name: "api_error", At: 1, Session: "a"}), spanNamed("a span")} {
		if err := s.add(ship1, e); err != nil {
			t.Fatal(err)
		}
	}
	to := openStore(t, t.TempDir())
	receiver := NewReceiver(to, usage.Source{Voyage: usage.Local})
	const secret = "Bearer of-a-secret"
	asked := 0
	answer := func(status int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			if r.Header.Get("Authorization") != secret {
				t.Error("it came without its header")
			}
			if asked <= 2 || status != 0 {
				http.Error(w, secret, max(status, http.StatusServiceUnavailable))
				return
			}
			receiver.ServeHTTP(w, r)
		})
	}
	url := listen(t, &http.Server{Handler: answer(0)})
	x, err := NewExporter(url+"/", http.Header{"Authorization": {secret}})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := x.ExportDir(context.Background(), from); n != 3 || err != nil || asked != 5 {
		t.Errorf("%d were sent in %d attempts, %v", n, asked, err)
	}
	to.View(func(s *usage.Sums) {
		if got := s.Total(); got.Tokens.Input != 5 || got.RequestErrors != 1 {
			t.Errorf("it has %+v", got)
		}
	})

	asked = 0
	x.endpoint = listen(t, &http.Server{Handler: answer(599)})
	n, err := x.ExportDir(context.Background(), from)
	if n != 0 || err == nil || strings.Contains(err.Error(), secret) || asked != 3 {
		t.Errorf("%d were sent in %d attempts, %v", n, asked, err)
	}
	x.endpoint = listen(t, &http.Server{Handler: http.RedirectHandler(url, http.StatusTemporaryRedirect)})
	if _, err := x.ExportDir(context.Background(), from); err == nil || !strings.Contains(err.Error(), "307") {
		t.Errorf("a redirect: %v", err)
	}
}

// TestExportRefused uses collectors that accept only some signals, or only some bodies: everything else is sent, and the error lists
// what was refused.
func TestExportRefused(t *testing.T) {
	from := t.TempDir()
	s := openStore(t, from)
	for i := range 3 {
		for _, e := range []export{metricsOf(usagetest.Sample{Start: i, At: i + 1, Value: 5}), logsOf(usagetest.Event{Name: "api_error", At: i + 1, Session: "a"}), spanNamed("a span")} {
			if err := s.add(ship1, e); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		name   string
		status map[string][]int // by path: statuses of the first answers; the rest are 200
		sent   int
		lines  [3]int
		asked  int
	}{
		{"traces alone", map[string][]int{"/v1/metrics": {404}, "/v1/logs": {404}}, 3, [3]int{3, 3, 0}, 5},
		{"nothing", map[string][]int{"/v1/metrics": {401}, "/v1/logs": {403}, "/v1/traces": {405}}, 0, [3]int{3, 3, 3}, 3},
		{"a body", map[string][]int{"/v1/metrics": {400}, "/v1/logs": {200, 413}}, 7, [3]int{1, 1, 0}, 9},
	} {
		asked, given := 0, map[string]int{}
		url := listen(t, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			n := given[r.URL.Path]
			if given[r.URL.Path]++; n < len(tt.status[r.URL.Path]) {
				w.WriteHeader(tt.status[r.URL.Path][n])
			}
		})})
		x, err := NewExporter(url, nil)
		if err != nil {
			t.Fatal(err)
		}
		n, err := x.ExportDir(t.Context(), from)
		var refused *RefusalError
		if !errors.As(err, &refused) || n != tt.sent || refused.Lines != tt.lines || asked != tt.asked {
			t.Errorf("%s: %d were sent in %d attempts, %v", tt.name, n, asked, err)
		}
		for i, n := range tt.lines {
			text := fmt.Sprintf("of %s %d exports were refused: the collector at %s%s answered ", signals[i].name, n, url, signals[i].path)
			if err == nil || strings.Contains(err.Error(), text) != (n > 0) {
				t.Errorf("%s: it says %v", tt.name, err)
			}
		}
	}
}

// spanNamed returns an export with a span.
func spanNamed(name string) export {
	e := export{signal: Traces, traces: ptrace.NewTraces()}
	e.traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty().SetName(name)
	return e
}

func TestNewExporter(t *testing.T) {
	for endpoint, ok := range map[string]bool{
		"http://127.0.0.1:4318": true, "https://collector.example/otlp": true,
		"": false, "collector:4318": false, "ftp://a": false, "http://name:of-a-secret@a": false, "http://a?key=of-a-secret": false, "http://a\x00of-a-secret": false,
	} {
		_, err := NewExporter(endpoint, nil)
		if (err == nil) != ok || err != nil && strings.Contains(err.Error(), "of-a-secret") {
			t.Errorf("%q: %v", endpoint, err)
		}
	}
}
