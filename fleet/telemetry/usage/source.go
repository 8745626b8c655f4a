package usage

import (
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Source is where data comes from, according to the program that accepted the connection. Nothing in the data can change it.
type Source struct {
	Voyage string // Local for other programs on this machine
	Ship   string // "" for other programs on this machine
	Role   string
	// Task returns the task that the ship held at a time, "" for none. If Task is nil, it held none.
	Task func(at time.Time) string
}

// Local stands for a voyage in data of other programs on this machine.
const Local = "local"

// Attributes that a Source sets in what is stored. Attributes with this prefix in received data are removed.
const (
	ownPrefix  = "ocaptain."
	AttrVoyage = ownPrefix + "voyage" // of a resource
	AttrShip   = ownPrefix + "ship"   // of a resource
	AttrRole   = ownPrefix + "role"   // of a resource
	AttrTask   = ownPrefix + "task"   // attribute of a point, a record or a span
)

// maxAttributes is how many attributes of a series, record or span are kept.
const maxAttributes = 128

// own removes attributes that claim a source, and those beyond maxAttributes. Ships may use the names "ship" and "voyage".
func (s Source) own(attrs pcommon.Map) {
	n := 0
	attrs.RemoveIf(func(k string, _ pcommon.Value) bool {
		if strings.HasPrefix(k, ownPrefix) || s.Ship != "" && (k == "ship" || k == "voyage") {
			return true
		}
		n++
		return n > maxAttributes
	})
}

// stampResource sets the source in a resource.
func (s Source) stampResource(r pcommon.Resource) {
	attrs := r.Attributes()
	s.own(attrs)
	attrs.EnsureCapacity(attrs.Len() + 4) // room for these, and for the place of a delivery
	for _, a := range [][2]string{{AttrVoyage, s.Voyage}, {AttrShip, s.Ship}, {AttrRole, s.Role}} {
		if a[1] != "" {
			attrs.PutStr(a[0], a[1])
		}
	}
}

// stamp sets the task that the ship held at a time.
func (s Source) stamp(attrs pcommon.Map, at pcommon.Timestamp) {
	s.own(attrs)
	if s.Task == nil || at == 0 {
		return
	}
	if task := s.Task(at.AsTime()); task != "" {
		attrs.PutStr(AttrTask, task)
	}
}

// StampMetrics sets the source of metrics.
func (s Source) StampMetrics(md pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		s.stampResource(rm.Resource())
		for _, sm := range rm.ScopeMetrics().All() {
			s.own(sm.Scope().Attributes())
			for _, m := range sm.Metrics().All() {
				s.stampMetric(m)
			}
		}
	}
}

func (s Source) stampMetric(m pmetric.Metric) {
	switch m.Type() {
	case pmetric.MetricTypeSum:
		for _, p := range m.Sum().DataPoints().All() {
			s.stampPoint(m.Sum(), p)
		}
	case pmetric.MetricTypeGauge:
		for _, p := range m.Gauge().DataPoints().All() {
			s.stamp(p.Attributes(), p.Timestamp())
		}
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			s.stamp(p.Attributes(), p.Timestamp())
		}
	case pmetric.MetricTypeExponentialHistogram:
		for _, p := range m.ExponentialHistogram().DataPoints().All() {
			s.stamp(p.Attributes(), p.Timestamp())
		}
	case pmetric.MetricTypeSummary:
		for _, p := range m.Summary().DataPoints().All() {
			s.stamp(p.Attributes(), p.Timestamp())
		}
	}
}

// stampPoint sets the task of a point of a sum. An interval counts for the task at its begin, if there was one: a task is completed right
// after the answer that says so, and the next task begins with another answer.
func (s Source) stampPoint(sum pmetric.Sum, p pmetric.NumberDataPoint) {
	at := p.Timestamp()
	if begin := p.StartTimestamp(); s.Task != nil && begin != 0 && sum.AggregationTemporality() == pmetric.AggregationTemporalityDelta && s.Task(begin.AsTime()) != "" {
		at = begin
	}
	s.stamp(p.Attributes(), at)
}

// StampLogs sets the source of log records.
func (s Source) StampLogs(ld plog.Logs) {
	for _, rl := range ld.ResourceLogs().All() {
		s.stampResource(rl.Resource())
		for _, sl := range rl.ScopeLogs().All() {
			s.own(sl.Scope().Attributes())
			for _, r := range sl.LogRecords().All() {
				s.stamp(r.Attributes(), recordTime(r))
			}
		}
	}
}

// StampTraces sets the source of spans.
func (s Source) StampTraces(td ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		s.stampResource(rs.Resource())
		for _, ss := range rs.ScopeSpans().All() {
			s.own(ss.Scope().Attributes())
			for _, sp := range ss.Spans().All() {
				s.stamp(sp.Attributes(), sp.StartTimestamp())
			}
		}
	}
}

// recordTime returns the time of a record. Codex reports only the time at which it was observed.
func recordTime(r plog.LogRecord) pcommon.Timestamp {
	if at := r.Timestamp(); at != 0 {
		return at
	}
	return r.ObservedTimestamp()
}
