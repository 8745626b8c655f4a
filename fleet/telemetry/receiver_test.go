package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"ocaptain/fleet/telemetry/usage"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"golang.org/x/time/rate"

	"ocaptain/fleet/telemetry/usage/usagetest"
	"ocaptain/tasks/eventually"
)

// serve starts a receiver on a port and returns its address.
func serve(t testing.TB, r *Receiver) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, l, r) }()
	t.Cleanup(func() {
		cancel()
		if err := eventually.Receives(t, "the end of the server", done); err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

// h2 returns a client that uses HTTP/2 without TLS, as gRPC does.
func h2() *http.Client {
	var p http.Protocols
	p.SetUnencryptedHTTP2(true)
	return &http.Client{Transport: &http.Transport{Protocols: &p}}
}

func zip(b []byte) []byte {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = w.Write(b)
	w.Close()
	return z.Bytes()
}

// send posts a body and returns the status and the answer. With gRPC, the status is the gRPC code.
func send(t testing.TB, c *http.Client, url, kind string, body []byte, head ...string) (string, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", kind)
	for i := 0; i < len(head); i += 2 {
		req.Header.Set(head[i], head[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if kind == "application/grpc" {
		return resp.Trailer.Get("Grpc-Status"), resp.Trailer.Get("Grpc-Message")
	}
	return resp.Status[:3], string(said)
}

func frame(compressed byte, b []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{compressed}, uint32(len(b))), b...)
}

// TestEncodings sends the same export in each encoding, plain and compressed: it counts once.
func TestEncodings(t *testing.T) {
	store := openStore(t, t.TempDir())
	url := serve(t, NewReceiver(store, ship1))
	e := metricsOf(usagetest.Sample{At: 1, Value: 5})
	proto, err := e.proto()
	if err != nil {
		t.Fatal(err)
	}
	json, err := e.line()
	if err != nil {
		t.Fatal(err)
	}
	method := url + signals[Metrics].method
	for _, tt := range []struct {
		name, url, kind string
		c               *http.Client
		body            []byte
		head            []string
		want            string
	}{
		{"protobuf", url + "/v1/metrics", "application/x-protobuf", http.DefaultClient, proto, nil, "200"},
		{"protobuf, gzip", url + "/v1/metrics", "application/x-protobuf", http.DefaultClient, zip(proto), []string{"Content-Encoding", "gzip"}, "200"},
		{"JSON", url + "/v1/metrics", "application/json", http.DefaultClient, json, nil, "200"},
		{"JSON, gzip", url + "/v1/metrics", "application/json; charset=utf-8", http.DefaultClient, zip(json), []string{"Content-Encoding", "gzip"}, "200"},
		{"gRPC", method, "application/grpc", h2(), frame(0, proto), nil, "0"},
		{"gRPC, gzip", method, "application/grpc", h2(), frame(1, zip(proto)), []string{"Grpc-Encoding", "gzip"}, "0"},
		{"gRPC, empty", method, "application/grpc", h2(), frame(0, nil), nil, "0"},
		{"gRPC, no message", method, "application/grpc", h2(), nil, nil, "3"},
		{"gRPC, another method", url + "/a/Export", "application/grpc", h2(), frame(0, nil), nil, "12"},
		{"another path", url + "/v1/profiles", "application/json", http.DefaultClient, json, nil, "404"},
		{"another type", url + "/v1/metrics", "text/plain", http.DefaultClient, json, nil, "415"},
		{"another compression", url + "/v1/metrics", "application/json", http.DefaultClient, json, []string{"Content-Encoding", "br"}, "415"},
		{"a page in a browser", url + "/v1/metrics", "application/json", http.DefaultClient, json, []string{"Origin", "https://example.org"}, "403"},
		{"no JSON", url + "/v1/metrics", "application/json", http.DefaultClient, []byte("{"), nil, "400"},
		{"no protobuf", url + "/v1/metrics", "application/x-protobuf", http.DefaultClient, []byte{0x0a, 0xff}, nil, "400"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, said := send(t, tt.c, tt.url, tt.kind, tt.body, tt.head...); got != tt.want {
				t.Errorf("status %s, want %s: %s", got, tt.want, said)
			}
		})
	}
	store.View(func(s *usage.Sums) {
		if input(s) != 5 || s.Count() != (usage.Count{Summed: 1, Again: 5}) {
			t.Errorf("sums %d and counts %+v", input(s), s.Count())
		}
	})
}

// nested returns an attribute with nested lists.
func nested(depth int) export {
	e := metricsOf(usagetest.Sample{At: 1, Value: 1})
	v := e.metrics.ResourceMetrics().At(0).Resource().Attributes().PutEmpty("deep")
	for range depth {
		v = v.SetEmptySlice().AppendEmpty()
	}
	return e
}

// many returns metrics without content.
func many(n int) export {
	md := pmetric.NewMetrics()
	for range n {
		md.ResourceMetrics().AppendEmpty()
	}
	return export{signal: Metrics, metrics: md}
}

// TestHostileExports sends data that would need much memory or a deep stack. It is refused, and reasonable data is not.
func TestHostileExports(t *testing.T) {
	store := openStore(t, t.TempDir())
	r := NewReceiver(store, ship1)
	url := serve(t, r) + "/v1/metrics"
	for _, tt := range []struct {
		name string
		e    export
		want string
	}{
		{"nested a little", nested(8), "200"},
		{"nested deep", nested(3000), "400"},
		{"some parts", many(1000), "200"},
		{"many parts", many(mostParts + 1), "400"},
	} {
		proto, err := tt.e.proto()
		if err != nil {
			t.Fatal(err)
		}
		json, err := tt.e.line()
		if err != nil {
			t.Fatal(err)
		}
		for kind, body := range map[string][]byte{"application/x-protobuf": proto, "application/json": json} {
			t.Run(tt.name+" "+kind, func(t *testing.T) {
				if got, said := send(t, http.DefaultClient, url, kind, body); got != tt.want {
					t.Errorf("status %s, want %s: %s", got, tt.want, said)
				}
			})
		}
	}
	t.Run("zip bomb", func(t *testing.T) {
		bomb := zip(make([]byte, 64<<20))
		got, said := send(t, http.DefaultClient, url, "application/json", bomb, "Content-Encoding", "gzip")
		if got != "400" || !strings.Contains(said, "smaller batches") {
			t.Errorf("status %s: %s", got, said)
		}
	})
	t.Run("flood", func(t *testing.T) {
		body := append([]byte(`{"resourceMetrics":[`), bytes.Repeat([]byte(" "), mostBody-100)...)
		body = append(body, "]}"...)
		r.limit = rate.NewLimiter(1, mostBody) // whatever the speed of this machine
		for range 3 {
			if got, said := send(t, http.DefaultClient, url, "application/json", body); got == "429" {
				return
			} else if got != "200" {
				t.Fatalf("status %s: %s", got, said)
			}
		}
		t.Error("nothing was told to come again later")
	})
}

// TestForged sends data that names other ships and voyages, in resources, points, records and spans.
func TestForged(t *testing.T) {
	dir := t.TempDir()
	store := openStore(t, dir)
	forge := func(m pcommon.Map) {
		for _, k := range []string{usage.AttrShip, usage.AttrVoyage, usage.AttrRole, usage.AttrTask, "ocaptain.other", "ship", "voyage"} {
			m.PutStr(k, "forged")
		}
	}
	metrics := metricsOf(usagetest.Sample{At: 1, Value: 5, Metric: "claude_code.cost.usage"})
	rm := metrics.metrics.ResourceMetrics().At(0)
	forge(rm.Resource().Attributes())
	forge(rm.ScopeMetrics().At(0).Scope().Attributes())
	forge(rm.ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().At(0).Attributes())
	logs := logsOf(usagetest.Event{Name: "api_error", At: 1, Session: "a"})
	forge(logs.logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Attributes())
	traces := export{signal: Traces, traces: ptrace.NewTraces()}
	rs := traces.traces.ResourceSpans().AppendEmpty()
	forge(rs.Resource().Attributes())
	span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetTraceID(pcommon.TraceID{1, 2})
	forge(span.Attributes())
	for _, e := range []export{metrics, logs, traces} {
		if err := store.add(ship1, e); err != nil {
			t.Fatal(err)
		}
	}
	store.View(func(s *usage.Sums) {
		for _, row := range s.Rows() {
			if row.Ship != "ship-1" || row.Role != "worker" || row.Task != "" {
				t.Errorf("a row of %+v", row.Key)
			}
		}
	})
	for line, err := range readLines(lines(dir, 1), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(line, []byte("forged")) || !bytes.Contains(line, []byte("ship-1")) {
			t.Errorf("stored %s", line)
		}
	}
}

// BenchmarkReceive lets 100 sources in turn send over HTTP what a working agent sends.
func BenchmarkReceive(b *testing.B) {
	for _, kind := range []string{"application/x-protobuf", "application/json"} {
		b.Run(strings.TrimPrefix(kind, "application/"), func(b *testing.B) { benchmarkReceive(b, kind) })
	}
}

// listen starts a server on a port and returns its address.
func listen(t testing.TB, server *http.Server) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	return "http://" + l.Addr().String()
}
