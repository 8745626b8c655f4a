package telemetry

import (
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/fleet/telemetry/usage/usagetest"
)

// benchmarkReceive sends exports alternately as metrics and as logs. The sender is in this process; its cost is measured with a handler
// that does nothing, and subtracted.
func benchmarkReceive(b *testing.B, kind string) {
	const sources = 100
	var bodies [2][][]byte
	for i := range b.N {
		samples := make([]usagetest.Sample, 6)
		for j := range samples {
			samples[j] = usagetest.Sample{
				Start: i, At: i + 1, Value: float64(j), Model: "claude-opus-4-8", Session: "5f0c1f4e-63a9-4f3a-8a1c-2c8f0c1b7a11",
				Kind: []string{"input", "output", "cacheRead", "cacheCreation"}[j%4], Query: []string{"main", "auxiliary"}[j/4],
			}
		}
		e := metricsOf(samples...)
		if i%2 == 1 {
			e = logsOf(usagetest.Event{Name: "api_request", At: i, Session: "5f0c1f4e-63a9-4f3a-8a1c-2c8f0c1b7a11", Attrs: map[string]any{
				"model": "claude-opus-4-8", "input_tokens": 12, "output_tokens": 345, "cache_read_tokens": 37000, "cache_creation_tokens": 712,
				"cost_usd": 0.0345, "duration_ms": 2345, "request_id": fmt.Sprint("req_", i), "query_source": "main", "terminal.type": "tmux",
			}}, usagetest.Event{Name: "tool_result", At: i, Session: "5f0c1f4e-63a9-4f3a-8a1c-2c8f0c1b7a11", Attrs: map[string]any{
				"tool_name": "Bash", "success": "true", "duration_ms": "120", "tool_use_id": fmt.Sprint("toolu_", i), "terminal.type": "tmux",
			}})
		}
		body, err := e.proto()
		if kind == "application/json" {
			body, err = e.line()
		}
		if err != nil {
			b.Fatal(err)
		}
		bodies[i%2] = append(bodies[i%2], body)
	}
	store := openStore(b, b.TempDir())
	var receivers [sources]http.Handler
	for i := range receivers {
		receivers[i] = NewReceiver(store, usage.Source{Voyage: "v1", Ship: fmt.Sprint("ship-", i), Role: "worker"})
	}
	next := 0
	run := func(h func() http.Handler) time.Duration {
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h().ServeHTTP(w, r) })}
		url := listen(b, server)
		begin := used()
		for i := range b.N {
			next = i
			path := signals[[]Signal{Metrics, Logs}[i%2]].path
			if got, said := send(b, http.DefaultClient, url+path, kind, bodies[i%2][i/2]); got != "200" {
				b.Fatal(got, said)
			}
		}
		return used() - begin
	}
	idle := run(func() http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	})
	b.ResetTimer()
	all := run(func() http.Handler { return receivers[next%sources] })
	each := float64(all-idle) / float64(b.N)
	b.ReportMetric(each, "ns-CPU/export")
	b.ReportMetric(each*1000/1e9*100, "%core-at-1000/s")
	b.ReportMetric(float64(idle)/float64(b.N), "ns-CPU/empty-request")
}

// used returns the CPU time of this process.
func used() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
