package telemetry

import (
	"bytes"

	"ocaptain/fleet/telemetry/usage"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Signal is a kind of data: metrics, logs or traces.
type Signal int

// The signals.
const (
	Metrics Signal = iota
	Logs
	Traces
)

// signals holds, by Signal, the signal's name, its path over HTTP, its gRPC method, and the beginning of its lines of
// JSON.
var signals = []struct{ name, path, method, line string }{
	Metrics: {"metrics", "/v1/metrics", "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", `{"resourceMetrics":`},
	Logs:    {"logs", "/v1/logs", "/opentelemetry.proto.collector.logs.v1.LogsService/Export", `{"resourceLogs":`},
	Traces:  {"traces", "/v1/traces", "/opentelemetry.proto.collector.trace.v1.TraceService/Export", `{"resourceSpans":`},
}

// export is the data of one request: one of the three fields is set.
type export struct {
	signal  Signal
	metrics pmetric.Metrics
	logs    plog.Logs
	traces  ptrace.Traces
}

// decode decodes the body of a request. The messages of requests have the form of the data itself.
func decode(signal Signal, body []byte, json bool) (e export, err error) {
	e.signal = signal
	switch {
	case signal == Metrics && json:
		e.metrics, err = (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(body)
	case signal == Metrics:
		e.metrics, err = (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(body)
	case signal == Logs && json:
		e.logs, err = (&plog.JSONUnmarshaler{}).UnmarshalLogs(body)
	case signal == Logs:
		e.logs, err = (&plog.ProtoUnmarshaler{}).UnmarshalLogs(body)
	case json:
		e.traces, err = (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(body)
	default:
		e.traces, err = (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(body)
	}
	return e, err
}

// decodeLine decodes a line of a file. For a line that has none of the three signals, ok is false and err is nil.
func decodeLine(line []byte) (e export, ok bool, err error) {
	signal, ok := lineSignal(line)
	if !ok {
		return e, false, nil
	}
	e, err = decode(signal, line, true)
	return e, err == nil, err
}

// lineSignal returns the signal of a line, and false if it has none.
func lineSignal(line []byte) (Signal, bool) {
	for signal, s := range signals {
		if bytes.HasPrefix(line, []byte(s.line)) {
			return Signal(signal), true
		}
	}
	return 0, false
}

// empty reports whether the export contains no data.
func (e export) empty() bool {
	switch e.signal {
	case Metrics:
		return e.metrics.ResourceMetrics().Len() == 0
	case Logs:
		return e.logs.ResourceLogs().Len() == 0
	default:
		return e.traces.ResourceSpans().Len() == 0
	}
}

// line returns the export as one line of OTLP JSON.
func (e export) line() (line []byte, err error) {
	switch e.signal {
	case Metrics:
		line, err = (&pmetric.JSONMarshaler{}).MarshalMetrics(e.metrics)
	case Logs:
		line, err = (&plog.JSONMarshaler{}).MarshalLogs(e.logs)
	default:
		line, err = (&ptrace.JSONMarshaler{}).MarshalTraces(e.traces)
	}
	return append(line, '\n'), err
}

// proto returns the export as the body of a request.
func (e export) proto() ([]byte, error) {
	switch e.signal {
	case Metrics:
		return (&pmetric.ProtoMarshaler{}).MarshalMetrics(e.metrics)
	case Logs:
		return (&plog.ProtoMarshaler{}).MarshalLogs(e.logs)
	default:
		return (&ptrace.ProtoMarshaler{}).MarshalTraces(e.traces)
	}
}

// stamp sets the source of the data.
func (e export) stamp(s usage.Source) {
	switch e.signal {
	case Metrics:
		s.StampMetrics(e.metrics)
	case Logs:
		s.StampLogs(e.logs)
	default:
		s.StampTraces(e.traces)
	}
}

// addTo adds the data of known kinds to sums.
func (e export) addTo(s *usage.Sums) {
	if !e.empty() {
		s.NoteDelivered(e.resource())
	}
	switch e.signal {
	case Metrics:
		s.AddMetrics(e.metrics)
	case Logs:
		s.AddLogs(e.logs)
	default:
		s.AddTraces(e.traces)
	}
}
