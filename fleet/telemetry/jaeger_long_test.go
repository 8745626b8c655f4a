//go:build long

package telemetry

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/telemetry/usage"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"ocaptain/fleet/telemetry/usage/usagetest"
	"ocaptain/tasks/cachetest"
	"ocaptain/tasks/eventually"
)

// jaegerVersion is the version of Jaeger that exports are tested with. It equals that in .ci/jaeger/go.mod.
const jaegerVersion = "v1.76.0"

// jaegerConfig makes Jaeger receive OTLP over HTTP at one address, answer queries at another, and keep everything in
// memory.
const jaegerConfig = `service:
  extensions: [jaeger_storage, jaeger_query]
  pipelines:
    traces: {receivers: [otlp], exporters: [jaeger_storage_exporter]}
  telemetry: {metrics: {level: none}}
extensions:
  jaeger_query: {storage: {traces: memory}, http: {endpoint: %q}, grpc: {endpoint: %q}}
  jaeger_storage: {backends: {memory: {memory: {max_traces: 1000}}}}
receivers:
  otlp: {protocols: {http: {endpoint: %q}}}
exporters:
  jaeger_storage_exporter: {trace_storage: memory}
`

// jaegerBinary returns the path of the real Jaeger. The first call on a machine builds it, which takes minutes.
func jaegerBinary(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	path, err := cachetest.Program(t.Context(), filepath.Join(cache, "ocaptain", "jaeger"), "jaeger", jaegerVersion, buildJaeger)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// buildJaeger builds the program in the module that names its version, and returns the directory that contains it.
func buildJaeger(ctx context.Context, scratch string) (string, error) {
	path := filepath.Join(scratch, "jaeger")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "github.com/jaegertracing/jaeger/cmd/jaeger")
	cmd.Dir = filepath.Join("..", "..", ".ci", "jaeger")
	cmd.Env = append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build Jaeger: %w\n%s", err, out)
	}
	info, err := buildinfo.ReadFile(path)
	if err == nil && info.Main.Version != jaegerVersion {
		err = fmt.Errorf("Jaeger %s was built, want %s", info.Main.Version, jaegerVersion)
	}
	return scratch, err
}

// startJaeger starts Jaeger, which runs until the test ends.
func startJaeger(t *testing.T, query, receive string) {
	t.Helper()
	config := filepath.Join(t.TempDir(), "jaeger.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, jaegerConfig, query, closedAddress(t), receive), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd := exec.CommandContext(t.Context(), jaegerBinary(t), "--config", config)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(out.String())
		}
	})
}

// spanOf returns an export with a span.
func spanOf(id byte, name string) export {
	e := export{signal: Traces, traces: ptrace.NewTraces()}
	rs := e.traces.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "claude-code")
	span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetName(name)
	span.SetTraceID(pcommon.TraceID{15: id})
	span.SetSpanID(pcommon.SpanID{7: id})
	span.SetStartTimestamp(usagetest.At(int(id)))
	span.SetEndTimestamp(usagetest.At(int(id) + 1))
	return e
}

// traceOf asks Jaeger for a trace, and returns the number of its spans, the name of the first, and the ship.
func traceOf(query string, id byte) (spans int, name, ship string, err error) {
	resp, err := http.Get(fmt.Sprintf("http://%s/api/traces/%032x", query, id))
	if err != nil {
		return 0, "", "", err
	}
	defer resp.Body.Close()
	var answer struct {
		Data []struct {
			Spans     []struct{ OperationName string }
			Processes map[string]struct {
				Tags []struct {
					Key   string
					Value any
				}
			}
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return 0, "", "", err
	}
	if len(answer.Data) != 1 || len(answer.Data[0].Spans) == 0 {
		return 0, "", "", errors.New("the trace is not there")
	}
	for _, p := range answer.Data[0].Processes {
		for _, tag := range p.Tags {
			if tag.Key == usage.AttrShip {
				ship = fmt.Sprint(tag.Value)
			}
		}
	}
	return len(answer.Data[0].Spans), answer.Data[0].Spans[0].OperationName, ship, nil
}

// TestJaegerBinary checks that the real Jaeger can be built.
func TestJaegerBinary(t *testing.T) { jaegerBinary(t) }

// TestJaeger sends exported and forwarded data to the real Jaeger; forwarding begins before Jaeger does. Jaeger accepts only traces,
// and its refusal of the rest is reported.
func TestJaeger(t *testing.T) {
	exported, followed, words := t.TempDir(), t.TempDir(), &told{}
	query, receive := closedAddress(t), closedAddress(t)
	s := openStore(t, followed)
	f := newForwarder(t, followed, "http://"+receive, words)
	f.to.client.Timeout = 0
	f.start(t, s)
	for _, e := range []export{metricsOf(usagetest.Sample{At: 1, Value: 5}), logsOf(usagetest.Event{Name: "api_error", At: 1, Session: "a"}), spanOf(1, "first"), spanOf(2, "second")} {
		if err := s.add(ship1, e); err != nil {
			t.Fatal(err)
		}
	}
	startJaeger(t, query, receive)
	eventually.Holds(t, "answers", f.isDone(s))

	other := openStore(t, exported)
	for _, e := range []export{metricsOf(usagetest.Sample{At: 1, Value: 5}), spanOf(3, "third"), metricsOf(usagetest.Sample{At: 2, Value: 5})} {
		if err := other.add(ship1, e); err != nil {
			t.Fatal(err)
		}
	}
	var refused *RefusalError
	if n, err := f.to.ExportDir(t.Context(), exported); n != 1 || !errors.As(err, &refused) || refused.Lines != [3]int{Metrics: 2} {
		t.Fatalf("%d are exported, %v", n, err)
	}
	for id, want := range map[byte]string{1: "first", 2: "second", 3: "third"} {
		eventually.Succeeds(t, want, func() error {
			n, name, ship, err := traceOf(query, id)
			if err == nil && (n != 1 || name != want || ship != ship1.Ship) {
				t.Errorf("%d spans, %q of %q", n, name, ship)
			}
			return err
		})
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state.Refused != 2 || strings.Count(words.text(), "404") != 2 {
		t.Errorf("%d are refused, and told is\n%s", f.state.Refused, words.text())
	}
}
