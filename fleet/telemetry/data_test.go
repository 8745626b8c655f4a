package telemetry

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// hour is a whole hour.
const hour = 1_800_000_000

// at is so many seconds after hour.
func at(seconds int) pcommon.Timestamp {
	return pcommon.NewTimestampFromTime(time.Unix(hour+int64(seconds), 0))
}

// sample is a point of a sum.
type sample struct {
	start, at  int // seconds after hour
	value      float64
	metric     string // "" for claude_code.token.usage
	kind       string // "" for input
	model      string
	session    string
	query      string
	cumulative bool
}

// metricsOf are samples in the shape of an export, stamped by a source.
func metricsOf(source Source, samples ...sample) export {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", "claude-code")
	metrics := rm.ScopeMetrics().AppendEmpty().Metrics()
	var sum pmetric.Sum
	for i, s := range samples {
		if i == 0 || s.metric != samples[i-1].metric || s.cumulative != samples[i-1].cumulative {
			m := metrics.AppendEmpty()
			m.SetName(s.metric)
			if s.metric == "" {
				m.SetName("claude_code.token.usage")
			}
			sum = m.SetEmptySum()
			sum.SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
			if s.cumulative {
				sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
			}
		}
		p := sum.DataPoints().AppendEmpty()
		p.SetDoubleValue(s.value)
		p.SetTimestamp(at(s.at))
		p.SetStartTimestamp(at(s.start))
		if s.kind == "" {
			s.kind = "input"
		}
		for k, v := range map[string]string{"type": s.kind, "model": s.model, "session.id": s.session, "query_source": s.query} {
			if v != "" {
				p.Attributes().PutStr(k, v)
			}
		}
	}
	e := export{signal: Metrics, metrics: md}
	source.stampExport(e)
	return e
}

// event is a record of the log of a session.
type event struct {
	name    string // of Claude Code, "" for another agent
	at      int
	session string
	attrs   map[string]any
}

func logsOf(source Source, events ...event) export {
	ld := plog.NewLogs()
	records := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for _, e := range events {
		r := records.AppendEmpty()
		if r.Body().SetStr("in words"); e.name != "" {
			r.Body().SetStr("claude_code." + e.name)
		}
		r.SetTimestamp(at(e.at))
		if r.Attributes().FromRaw(e.attrs) != nil {
			panic("an attribute of a test has no type of OTLP")
		}
		r.Attributes().PutStr("session.id", e.session)
	}
	e := export{signal: Logs, logs: ld}
	source.stampExport(e)
	return e
}

var ship1 = Source{Voyage: "v1", Ship: "ship-1", Role: "worker"}
