package telemetry

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// TestExport sends what one store has to a collector, which is another store behind a server that is busy, away and then there.
func TestExport(t *testing.T) {
	from := t.TempDir()
	s := openStore(t, from)
	traces := export{signal: Traces, traces: ptrace.NewTraces()}
	traces.traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty().SetName("a span")
	for _, e := range []export{metricsOf(Source{}, sample{at: 1, value: 5}), logsOf(Source{}, event{"api_error", 1, "a", nil}), traces} {
		if err := s.add(ship1, e); err != nil {
			t.Fatal(err)
		}
	}
	to := openStore(t, t.TempDir())
	receiver := NewReceiver(to, Source{Voyage: Local})
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
	to.View(func(s *Sums) {
		if got := s.Total(); got.Tokens.Input != 5 || got.RequestErrors != 1 {
			t.Errorf("it has %+v", got)
		}
	})

	asked = 0
	x.endpoint = listen(t, &http.Server{Handler: answer(599)})
	n, err := x.ExportDir(context.Background(), from)
	if n != 0 || err == nil || strings.Contains(err.Error(), secret) || asked != 1 {
		t.Errorf("%d were sent in %d attempts, %v", n, asked, err)
	}
	x.endpoint = listen(t, &http.Server{Handler: http.RedirectHandler(url, http.StatusTemporaryRedirect)})
	if _, err := x.ExportDir(context.Background(), from); err == nil || !strings.Contains(err.Error(), "307") {
		t.Errorf("a redirect: %v", err)
	}
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
