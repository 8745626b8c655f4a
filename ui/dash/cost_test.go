package dash

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
)

// measured has an agent report what it used in the last minutes before noon.
func (s *stage) measured(ship, role, task, model string, tokens int) {
	s.Helper()
	var points []string
	for i := range 40 {
		at := noon.Add(-3000e9).UnixNano() + int64(i)*60e9
		for kind, n := range map[string]int{"input": tokens, "cacheRead": 9 * tokens * (1 + i%7), "output": tokens / 2} {
			points = append(points, fmt.Sprintf(`{"attributes":[{"key":"type","value":{"stringValue":%q}},{"key":"model","value":{"stringValue":%q}},{"key":"ocaptain.task","value":{"stringValue":%q}}],`+
				`"startTimeUnixNano":"%d","timeUnixNano":"%d","asInt":"%d"}`, kind, model, task, at-1e9, at, n))
		}
	}
	sum := func(name string, points ...string) string {
		return fmt.Sprintf(`{"name":%q,"sum":{"aggregationTemporality":1,"dataPoints":[%s]}}`, name, strings.Join(points, ","))
	}
	cost := fmt.Sprintf(`{"attributes":[{"key":"model","value":{"stringValue":%q}},{"key":"ocaptain.task","value":{"stringValue":%q}}],"startTimeUnixNano":"1","timeUnixNano":"%d","asDouble":%f}`,
		model, task, noon.UnixNano()-60e9, float64(tokens)/1000)
	line := fmt.Sprintf(`{"resourceMetrics":[{"resource":{"attributes":[{"key":"ocaptain.ship","value":{"stringValue":%q}},{"key":"ocaptain.role","value":{"stringValue":%q}}]},"scopeMetrics":[{"metrics":[%s,%s]}]}]}`+"\n",
		ship, role, sum("claude_code.token.usage", points...), sum("claude_code.cost.usage", cost))
	if err := os.MkdirAll(s.dir.Telemetry(), 0o755); err != nil {
		s.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(s.dir.Telemetry(), "otlp-00000001.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		s.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(line); err != nil {
		s.Fatal(err)
	}
}

// TestScreensOfCosts shows the page with data, without data, and for a voyage without telemetry.
func TestScreensOfCosts(t *testing.T) {
	open := func(s *stage) {
		s.press("$")
		s.until("the page is read", func() bool { return !strings.Contains(s.text(), "reading what") })
	}
	each(t, "costs", func(t *testing.T, w, h int, file string) {
		b := aBoard(t)
		b.Bill = fleet.Bill{Hour: 0.6, SoFar: 4.2}
		s := setStage(t, w, h, b, someLogs(), nil)
		s.measured("ship-0", "worker", "1", "large-5", 1200)
		s.measured("ship-1", "worker", "2", "large-5", 700)
		s.measured("ship-2", "validator", "", "small-2", 90)
		open(s)
		s.golden(file)
	})
	each(t, "no-costs", func(t *testing.T, w, h int, file string) {
		b := aBoard(t)
		b.Voyage.Telemetry.Off = w == 80
		s := setStage(t, w, h, b, someLogs(), nil)
		open(s)
		s.golden(file)
	})
}

// TestCostsFollow: the open page shows new reports, and esc leads back.
func TestCostsFollow(t *testing.T) {
	b := aBoard(t)
	s := setStage(t, 120, 40, b, someLogs(), nil)
	s.press("$")
	s.until("nothing is told", func() bool { return strings.Contains(s.text(), "no agent has told") })
	s.measured("ship-0", "worker", "1", "large-5", 1200)
	b.At = noon.Add(1)
	s.write(s.dir.BoardFile(), b)
	s.until("it is told", func() bool { return strings.Contains(s.text(), "large-5") })
	s.press("esc")
	if !s.m.atHome() {
		t.Errorf("esc leads to %d", s.m.place)
	}
}

// The captain sets a budget. A text that is no amount can be corrected.
func TestBudgetIsAsked(t *testing.T) {
	b := aBoard(t)
	b.Budget = fleet.Budget{Max: 10, Spent: 10.5, Since: noon, Full: noon}
	s := setStage(t, 120, 40, b, nil, nil)
	asked := s.helm()
	s.press(":", "b", "u", "d", "g", "e", "t", "enter")
	s.shows("$10.50 of $10.00", "begin nothing more")
	s.press("x", "enter")
	s.shows("it must be a sum in US dollars")
	s.press("backspace", "backspace", "backspace", "4", "0", "enter")
	s.until("it is set", func() bool { return s.m.jobs.Running() == 0 })
	if is := s.next(asked); is.path != "/v1/voyages/"+b.Voyage.ID+"/budget" || is.body != `{"max":40}` {
		t.Errorf("helm is asked for %+v", is)
	}
	s.shows("set the budget: done")
}

// z resumes a ship that is paused for what it costs in an hour.
func TestKeyResumesDearShip(t *testing.T) {
	b := calm(aBoard(t))
	b.Ships[0].Rate = fleet.Rate{Max: 3, Spent: 3, Since: noon, Until: noon.Add(time.Hour)}
	s := setStage(t, 120, 40, b, nil, nil)
	asked := s.helm()
	for _, want := range []struct{ key, path, body string }{{"z", "/resume", `{"ships":["ship-0"]}`}, {"Z", "/pause", "{}"}} {
		s.press("1", want.key)
		if is := s.next(asked); is.path != "/v1/voyages/"+b.Voyage.ID+want.path || is.body != want.body {
			t.Errorf("%s asks helm for %+v", want.key, is)
		}
	}
}
