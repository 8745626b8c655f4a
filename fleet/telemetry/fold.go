package telemetry

import (
	"math"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// AddMetrics adds the metrics that are known.
func (s *Sums) AddMetrics(md pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		resource := hashMap(rm.Resource().Attributes())
		ship := s.ship(text(rm.Resource().Attributes(), attrShip))
		role := text(rm.Resource().Attributes(), attrRole)
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				if m.Type() != pmetric.MetricTypeSum || !known(m.Name()) {
					continue
				}
				id := resource + hashText(hashText(offset, sm.Scope().Name()), m.Name())
				for _, p := range m.Sum().DataPoints().All() {
					s.addPoint(ship, Key{Ship: text(rm.Resource().Attributes(), attrShip), Role: role}, id, m, p)
				}
			}
		}
	}
}

// addPoint adds a point of a metric whose stream is known by id and the attributes of the point.
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
	if !ok || at == 0 || at > math.MaxInt64 {
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
	k.Model, k.Task = text(attrs, "model"), taskOf(attrs)
	counter, _ = counterOf(ship.row(k, at), m.Name(), text(attrs, "type"))
	increase(counter, n)
	if m.Name() == tokenUsage {
		ship.minutes.add(at, n)
	}
}

// AddLogs adds the events that are known.
func (s *Sums) AddLogs(ld plog.Logs) {
	for _, rl := range ld.ResourceLogs().All() {
		resource := hashMap(rl.Resource().Attributes())
		k := Key{Ship: text(rl.Resource().Attributes(), attrShip), Role: text(rl.Resource().Attributes(), attrRole)}
		ship := s.ship(k.Ship)
		for _, sl := range rl.ScopeLogs().All() {
			for _, r := range sl.LogRecords().All() {
				s.addRecord(ship, k, resource, r)
			}
		}
	}
}

// addRecord adds an event of Claude Code. The stream of a record is the session: a session that is resumed goes on with the same one.
func (s *Sums) addRecord(ship *shipSums, k Key, resource uint64, r plog.LogRecord) {
	attrs := r.Attributes()
	event := eventOf(r)
	switch event {
	case "api_request", "api_error", "tool_result":
	default:
		return
	}
	at := uint64(r.Timestamp())
	if at == 0 {
		at = uint64(r.ObservedTimestamp())
	}
	if at == 0 || at > math.MaxInt64 {
		s.count.Invalid++
		return
	}
	var used Totals
	if event == "api_request" && !usedBy(&used, attrs) {
		s.count.Invalid++
		return
	}
	st := ship.streams.find(hashText(resource, text(attrs, "session.id")), at)
	v := late
	if st != nil {
		v = st.take(mark{hashMap(attrs) + hashText(offset, event), at}, mostRecords)
	}
	s.note(v)
	if v != fresh {
		return
	}
	k.Model, k.Task = text(attrs, "model"), taskOf(attrs)
	switch event {
	case "api_request":
		used.Requests = 1
	case "api_error":
		used.RequestErrors = 1
	case "tool_result":
		used.Tools = 1
		if text(attrs, "success") == "false" {
			used.ToolErrors = 1
		}
	}
	ship.row(k, at).Add(used)
}

// eventOf is the name of an event of Claude Code, "" for any other record. Its body is the name behind "claude_code.".
func eventOf(r plog.LogRecord) string {
	if r.Body().Type() != pcommon.ValueTypeStr {
		return ""
	}
	name, ok := strings.CutPrefix(r.Body().Str(), "claude_code.")
	if !ok {
		return ""
	}
	return name
}

// usedBy reads what a request to a model used, and reports whether all of it can be.
func usedBy(t *Totals, attrs pcommon.Map) bool {
	for _, f := range []struct {
		name    string
		counter *int64
		unit    float64
	}{
		{"input_tokens", &t.RequestTokens.Input, 1},
		{"output_tokens", &t.RequestTokens.Output, 1},
		{"cache_read_tokens", &t.RequestTokens.CacheRead, 1},
		{"cache_creation_tokens", &t.RequestTokens.CacheCreation, 1},
		{"cost_usd", (*int64)(&t.RequestCost), 1e9},
	} {
		n, ok := units(number(attrs, f.name), f.unit)
		if !ok {
			return false
		}
		*f.counter = n
	}
	return true
}

// taskOf is the task that a point or record counts for: none for requests beside the agent's work, such as titles and summaries.
func taskOf(attrs pcommon.Map) string {
	switch text(attrs, "query_source") {
	case "", "main", "subagent":
		return text(attrs, attrTask)
	}
	return ""
}

// text is an attribute as text, "" where there is none.
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

// number is an attribute as a number, which programs write as text, too; 0 where there is none.
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

// FNV-1a, as hash/fnv has it, without its interface.
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

// hashMap returns a hash of attributes. Their order does not change it, and attributes that a Source sets are left out.
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
