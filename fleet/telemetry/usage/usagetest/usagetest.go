// Package usagetest builds metrics and logs for tests, in the form in which agents send them.
package usagetest

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Hour is the begin of an hour, in Unix seconds.
const Hour = 1_800_000_000

// At returns the time that many seconds after Hour.
func At(seconds int) pcommon.Timestamp {
	return pcommon.NewTimestampFromTime(time.Unix(Hour+int64(seconds), 0))
}

// Sample is a data point of a metric that is a sum.
type Sample struct {
	Start, At  int // seconds after Hour
	Value      float64
	Metric     string // "" for claude_code.token.usage
	Kind       string // "" for input
	Model      string
	Session    string
	Query      string
	Cumulative bool
}

// Event is a record of a session's log.
type Event struct {
	Name    string // as Claude Code calls the event, "" for an event of another agent
	At      int
	Session string
	Attrs   map[string]any
}

// Metrics returns samples in the form in which a program sends them.
func Metrics(samples ...Sample) pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", "claude-code")
	metrics := rm.ScopeMetrics().AppendEmpty().Metrics()
	var sum pmetric.Sum
	for i, s := range samples {
		if i == 0 || s.Metric != samples[i-1].Metric || s.Cumulative != samples[i-1].Cumulative {
			m := metrics.AppendEmpty()
			m.SetName(s.Metric)
			if s.Metric == "" {
				m.SetName("claude_code.token.usage")
			}
			sum = m.SetEmptySum()
			sum.SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
			if s.Cumulative {
				sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
			}
		}
		p := sum.DataPoints().AppendEmpty()
		p.SetDoubleValue(s.Value)
		p.SetTimestamp(At(s.At))
		p.SetStartTimestamp(At(s.Start))
		if s.Kind == "" {
			s.Kind = "input"
		}
		for k, v := range map[string]string{"type": s.Kind, "model": s.Model, "session.id": s.Session, "query_source": s.Query} {
			if v != "" {
				p.Attributes().PutStr(k, v)
			}
		}
	}
	return md
}

// Logs returns events in the form in which a program sends them.
func Logs(events ...Event) plog.Logs {
	ld := plog.NewLogs()
	records := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for _, e := range events {
		r := records.AppendEmpty()
		if r.Body().SetStr("in words"); e.Name != "" {
			r.Body().SetStr("claude_code." + e.Name)
		}
		r.SetTimestamp(At(e.At))
		if r.Attributes().FromRaw(e.Attrs) != nil {
			panic("an attribute of a test has no type of OTLP")
		}
		r.Attributes().PutStr("session.id", e.Session)
	}
	return ld
}
