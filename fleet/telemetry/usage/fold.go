package usage

import (
	"math"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// AddMetrics adds the known metrics.
func (s *Sums) AddMetrics(md pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		resource := hashMap(rm.Resource().Attributes())
		k := Key{Ship: text(rm.Resource().Attributes(), AttrShip), Role: text(rm.Resource().Attributes(), AttrRole)}
		ship := s.ship(k.Ship)
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				if m.Type() != pmetric.MetricTypeSum || !known(m.Name()) {
					continue
				}
				id := resource + hashText(hashText(offset, sm.Scope().Name()), m.Name())
				for _, p := range m.Sum().DataPoints().All() {
					s.addPoint(ship, k, id, m, p)
				}
			}
		}
	}
}

// addPoint adds a point of a metric. id and the attributes of the point identify its stream.
func (s *Sums) addPoint(ship *shipSums, k Key, id uint64, m pmetric.Metric, p pmetric.NumberDataPoint) {
	attrs := p.Attributes()
	var none Totals
	counter, unit := counterOf(&none, m.Name(), text(attrs, "type"))
	if counter == nil || p.Flags().NoRecordedValue() {
		return
	}
	value := p.DoubleValue()
	if p.ValueType() == pmetric.NumberDataPointValueTypeInt {
		value = float64(p.IntValue())
	}
	n, ok := units(value, unit)
	start, at := uint64(p.StartTimestamp()), uint64(p.Timestamp())
	if !ok || !isTime(p.Timestamp()) {
		s.count.Invalid++
		return
	}
	st := ship.streams.find(id*prime+hashMap(attrs), at)
	if st == nil {
		s.count.Late++
		return
	}
	var v verdict
	switch m.Sum().AggregationTemporality() {
	case pmetric.AggregationTemporalityDelta:
		v = st.take(mark{start, at}, mostPoints)
	case pmetric.AggregationTemporalityCumulative:
		n, v = st.increase(start, at, n)
	default:
		s.count.Invalid++
		return
	}
	s.note(v)
	if v != fresh {
		return
	}
	k.Model = text(attrs, "model")
	if !isAside(text(attrs, "query_source")) {
		k.Task = text(attrs, AttrTask)
	}
	counter, _ = counterOf(ship.row(k, at), m.Name(), text(attrs, "type"))
	increase(counter, n)
	if m.Name() == tokenUsage {
		ship.minutes.add(at, n)
	}
}

// AddLogs adds the known events.
func (s *Sums) AddLogs(ld plog.Logs) {
	for _, rl := range ld.ResourceLogs().All() {
		resource := hashMap(rl.Resource().Attributes())
		k := Key{Ship: text(rl.Resource().Attributes(), AttrShip), Role: text(rl.Resource().Attributes(), AttrRole)}
		ship := s.ship(k.Ship)
		for _, sl := range rl.ScopeLogs().All() {
			for _, r := range sl.LogRecords().All() {
				s.addRecord(ship, k, resource, r)
			}
		}
	}
}

// addRecord adds an event of an agent. Its stream is the session, which a resumed session continues.
func (s *Sums) addRecord(ship *shipSums, k Key, resource uint64, r plog.LogRecord) {
	if is, ok := readRecord(r); ok {
		attrs, at := r.Attributes(), recordTime(r)
		m := mark{hashMap(attrs) + hashText(offset, is.name), uint64(at)}
		s.addEntry(ship, k, hashText(resource, sessionOf(attrs)), m, is, text(attrs, AttrTask))
	}
}

// AddTraces adds the known spans.
func (s *Sums) AddTraces(td ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		resource := hashMap(rs.Resource().Attributes())
		k := Key{Ship: text(rs.Resource().Attributes(), AttrShip), Role: text(rs.Resource().Attributes(), AttrRole)}
		ship := s.ship(k.Ship)
		for _, ss := range rs.ScopeSpans().All() {
			for _, sp := range ss.Spans().All() {
				if is, ok := readSpan(sp); ok {
					id, trace := sp.SpanID(), sp.TraceID()
					m := mark{hashText(hashText(offset, string(trace[:])), string(id[:])), uint64(sp.EndTimestamp())}
					s.addEntry(ship, k, hashText(resource, "spans"), m, is, text(sp.Attributes(), AttrTask))
				}
			}
		}
	}
}

// addEntry adds the content of a record or a span in a stream, unless it came before.
func (s *Sums) addEntry(ship *shipSums, k Key, stream uint64, m mark, is entry, task string) {
	if is.broken || !isTime(pcommon.Timestamp(m.at)) {
		s.count.Invalid++
		return
	}
	st := ship.streams.find(stream, m.at)
	v := late
	if st != nil {
		v = st.take(m, mostRecords)
	}
	s.note(v)
	if v != fresh {
		return
	}
	if k.Model = is.model; !is.aside {
		k.Task = task
	}
	ship.row(k, m.at).Add(is.used)
	if is.used.Unpriced > 0 { // otherwise the metric has the tokens
		ship.minutes.add(m.at, is.used.Unpriced)
	}
}

// text returns an attribute as text, "" if it is missing.
func text(attrs pcommon.Map, name string) string {
	v, ok := attrs.Get(name)
	if !ok {
		return ""
	}
	if v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return v.AsString()
}

// number returns an attribute as a number, 0 if it is missing. Some programs write numbers as text.
func number(attrs pcommon.Map, name string) float64 {
	v, ok := attrs.Get(name)
	if !ok {
		return 0
	}
	switch v.Type() {
	case pcommon.ValueTypeInt:
		return float64(v.Int())
	case pcommon.ValueTypeDouble:
		return v.Double()
	}
	n, err := strconv.ParseFloat(v.AsString(), 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// FNV-1a, as in hash/fnv, without its interface.
const (
	offset uint64 = 14695981039346656037
	prime  uint64 = 1099511628211
)

func hashText(h uint64, text string) uint64 {
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * prime
	}
	return (h ^ uint64(len(text))) * prime
}

// hashMap returns a hash of attributes, which does not depend on their order. It leaves out attributes that a Source
// sets.
func hashMap(attrs pcommon.Map) (sum uint64) {
	for k, v := range attrs.All() {
		if strings.HasPrefix(k, ownPrefix) {
			continue
		}
		h := hashText(offset, k)
		switch v.Type() {
		case pcommon.ValueTypeStr:
			h = hashText(h, v.Str())
		case pcommon.ValueTypeInt:
			h = (h ^ uint64(v.Int())) * prime
		case pcommon.ValueTypeDouble:
			h = (h ^ math.Float64bits(v.Double())) * prime
		default:
			h = hashText(h, v.AsString())
		}
		h ^= h >> 32
		sum += h * prime
	}
	return sum
}
