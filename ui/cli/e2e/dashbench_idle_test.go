package e2e

import (
	"fmt"
	"os"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/telemetry"
	"ocaptain/ui/term"
)

// empty is a Bubble Tea program that does nothing.
type empty struct{}

func (empty) Init() tea.Cmd { return nil }

func (e empty) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok && k.String() == "ctrl+c" {
		return e, tea.Quit
	}
	return e, nil
}

func (empty) View() tea.View {
	v := tea.NewView("nothing")
	v.AltScreen = true
	return v
}

const emptyVar = "OCAPTAIN_BENCH_EMPTY"

// init makes the test program the empty program when it is started as one.
func init() {
	if os.Getenv(emptyVar) == "" {
		return
	}
	if _, err := tea.NewProgram(empty{}).Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// idleFor is how long the benchmark watches idle programs.
const idleFor = 20 * time.Second

// BenchmarkIdle measures the dashboard on a voyage of 20 ships that have nothing left to do, one of them in the live
// view, against an empty Bubble Tea program of the same size in the same seconds: first while ages are shown in
// seconds, then after that.
func BenchmarkIdle(b *testing.B) { benchmarkIdle(b, "true") }

// BenchmarkIdleMeasured does the same while each ship exports metrics every second.
func BenchmarkIdleMeasured(b *testing.B) { benchmarkIdle(b, exporting) }

// exporting is a command that leaves a program running which exports a data point every second, as Claude Code does.
const exporting = `cat >~/export <<'end'
from=$(date +%s%N)
while sleep 1; do
to=$(date +%s%N)
printf '%s\n' "${OTEL_EXPORTER_OTLP_HEADERS%%=*}: ${OTEL_EXPORTER_OTLP_HEADERS#*=}" | curl -sf -H @- -H 'Content-Type: application/json' -d '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[
{"name":"claude_code.cost.usage","sum":{"aggregationTemporality":1,"dataPoints":[{"startTimeUnixNano":"'$from'","timeUnixNano":"'$to'","asDouble":"0.001"}]}},
{"name":"claude_code.token.usage","sum":{"aggregationTemporality":1,"dataPoints":[{"attributes":[{"key":"type","value":{"stringValue":"input"}}],"startTimeUnixNano":"'$from'","timeUnixNano":"'$to'","asInt":"100"}]}}]}]}]}' "$OTEL_EXPORTER_OTLP_ENDPOINT/v1/metrics" && touch ~/exported
from=$to
done
end
setsid sh ~/export </dev/null >/dev/null 2>&1 &`

// measuredPoints counts the data points that ships have exported.
func measuredPoints(b *testing.B, d fleet.Dir) int64 {
	b.Helper()
	sums, err := telemetry.Load(d.Telemetry())
	if err != nil {
		b.Fatal(err)
	}
	return sums.Count().Summed
}

func benchmarkIdle(b *testing.B, run string) {
	for b.Loop() {
		c := newCaptain(b)
		var jobs []job
		for i := range 20 {
			jobs = append(jobs, job{id: fmt.Sprint(i + 1), subject: fmt.Sprintf("Task %d", i+1), run: run})
		}
		d := c.sail(c.plan("idle", "", passes, jobs), "-n", "20", "--agent", "script")
		c.complete(d)
		c.until(d, "all at rest", func(b fleet.Board) bool {
			for _, s := range b.Ships {
				if s.Status.Word != fleet.Done {
					return false
				}
			}
			return true
		})
		k := newConsole(b, c, nil, c.program)
		k.until("a live view", shown("● live", "● helm", "complete"))
		k.send("j") // a key keeps the dashboard from closing by itself
		bare := newConsole(b, c, []string{emptyVar + "=1"}, os.Args[0])
		bare.until("the empty program", shown("nothing"))
		measured, began := measuredPoints(b, d), time.Now()
		k.idle(b, c, "young", bare)
		b.ReportMetric(float64(measuredPoints(b, d)-measured)/time.Since(began).Seconds(), "points/s")
		b.Logf("%s after its end", time.Since(k.began))
		board := c.until(d, "ages in minutes", func(b fleet.Board) bool {
			for _, s := range b.Ships {
				if time.Since(s.Status.Since) < 75*time.Second {
					return false
				}
			}
			return true
		})
		k.idle(b, c, "idle", bare)
		b.Logf("helm is process %d", board.Helm)
		k.close()
		bare.close()
	}
	b.ReportMetric(0, "ns/op")
	busy(b)
}

// idle measures a dashboard, the empty program and helm for a while.
func (k *console) idle(b *testing.B, c *captain, name string, bare *console) {
	b.Helper()
	k.on(func(s *term.Screen) { b.Logf("%s:\n%s", name, plain(s)) })
	pids := []int{k.cmd.Process.Pid, bare.cmd.Process.Pid, c.helm()}
	var before [3]cost
	for i, pid := range pids {
		before[i] = costOf(b, pid)
	}
	written, began := k.written(), time.Now()
	time.Sleep(idleFor) // the time that is measured
	took := time.Since(began).Seconds()
	var used [3]float64
	var after cost
	for i, pid := range pids {
		after = costOf(b, pid)
		used[i] = float64((after.cpu - before[i].cpu).Microseconds()) / 1000 / took
		if i == 0 {
			b.ReportMetric(float64(max(0, after.children-before[i].children)), name+"-children")
			b.ReportMetric(float64(after.reaped-before[i].reaped), name+"-forked-faults")
		}
	}
	b.ReportMetric(used[0], name+"-dash-ms/s")
	b.ReportMetric(used[1], name+"-empty-ms/s")
	b.ReportMetric(used[0]/used[1], name+"-ratio")
	b.ReportMetric(used[2], name+"-helm-ms/s")
	b.ReportMetric(float64(k.written()-written)/took, name+"-bytes/s")
}
