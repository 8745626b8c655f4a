package voyage

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/telemetry"
	"ocaptain/fleet/telemetry/usage"
	"ocaptain/tasks/eventually"
)

// exports is a shell command that exports so many tokens, one at a time, as an agent does that lies about its name.
func exports(n int) string {
	const export = `{"resourceMetrics":[{"resource":{"attributes":[{"key":"ship","value":{"stringValue":"forged"}},{"key":"ocaptain.ship","value":{"stringValue":"forged"}}]},
"scopeMetrics":[{"metrics":[{"name":"claude_code.token.usage","sum":{"aggregationTemporality":1,"dataPoints":[{"attributes":[{"key":"type","value":{"stringValue":"input"}}],
"startTimeUnixNano":"'$from'","timeUnixNano":"'$to'","asInt":"1"}]}}]}]}]}`
	return fmt.Sprintf(`from=$(date +%%s%%N); for i in $(seq %d); do sleep 0.05; to=$(date +%%s%%N)
printf '%%s\n' "${OTEL_EXPORTER_OTLP_HEADERS%%%%=*}: ${OTEL_EXPORTER_OTLP_HEADERS#*=}" |
curl -sSf -H @- -H 'Content-Type: application/json' -d '%s' "$OTEL_EXPORTER_OTLP_ENDPOINT/v1/metrics" || exit 1; from=$to; done`, n, export)
}

// inputs are the tokens that the sums have, by what key leaves of a key.
func inputs(t *testing.T, d fleet.Dir, key func(usage.Key) usage.Key) map[usage.Key]int64 {
	t.Helper()
	sums, err := telemetry.Load(d.Telemetry())
	if err != nil {
		t.Fatal(err)
	}
	all := map[usage.Key]int64{}
	for _, r := range sums.By(key) {
		all[r.Key] = r.Totals.Tokens.Input
	}
	return all
}

func nothing(usage.Key) usage.Key { return usage.Key{} }

// TestTelemetry has agents export while links are cut and helm is away. Each export counts once, for the ship whose connection it came
// over and the task that this ship held.
func TestTelemetry(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	const half, each = 30, 60
	run := exports(half) + "; until test -e ~/go; do sleep 0.1; done; " + exports(half)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", run), helmtest.Task("2", run))
	h := startHelm(t, hub)
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 2}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	sum := func() int64 { return inputs(t, d, nothing)[usage.Key{}] }
	cuts := 0
	eventually.Holds(t, "the first half", func() bool {
		if cuts++; cuts%5 == 0 && cuts < 50 {
			cutLinks(v)
		}
		return sum() == 2*half
	})
	homes := reads(v, func() (all []string) {
		for _, s := range v.Roster.Now().Ships {
			all = append(all, s.Home)
		}
		return all
	})
	h.Close()
	for _, home := range homes {
		spool := filepath.Join(home, ".ocaptain", "telemetry")
		size := sizeOf(spool)
		if err := os.WriteFile(filepath.Join(home, "go"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		eventually.Holds(t, "exports while helm is away", func() bool { return sizeOf(spool) > size })
	}
	v = openIt(t, startHelm(t, hub), d)
	eventually.Holds(t, "the end", v.is(fleet.Complete))
	eventually.Holds(t, "all exports", func() bool { return sum() >= 2*each })

	byTask := inputs(t, d, func(k usage.Key) usage.Key { return usage.Key{Ship: k.Ship, Role: k.Role, Task: k.Task} })
	for _, s := range v.Store.Snapshot().Tasks {
		k := usage.Key{Ship: s.Owner, Role: fleet.Worker, Task: s.ID}
		if got := byTask[k]; got != each {
			t.Errorf("%+v has %d, want %d", k, got, each)
		}
		delete(byTask, k)
	}
	if len(byTask) > 0 {
		t.Errorf("and there are %v", byTask)
	}
	if got := countExports(t, d); got != 2*each {
		t.Errorf("%d exports are stored, want %d", got, 2*each)
	}
}

// cutLinks ends the conversations with all ships.
func cutLinks(v *Voyage) {
	conns := reads(v, func() (all []*wire.Conn) {
		for _, s := range v.ships {
			if conn := s.Reach.Conn(); conn != nil {
				all = append(all, conn)
			}
		}
		return all
	})
	for _, c := range conns {
		c.Close()
	}
}

// sizeOf adds up the sizes of files of lines.
func sizeOf(dir string) (sum int64) {
	files, _ := filepath.Glob(filepath.Join(dir, "otlp-*.jsonl"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// countExports counts the lines that are stored.
func countExports(t *testing.T, d fleet.Dir) (n int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(d.Telemetry(), "otlp-*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil || bytes.Contains(raw, []byte("forged")) {
			t.Errorf("%s: forged, or %v", f, err)
		}
		n += bytes.Count(raw, []byte("\n"))
	}
	return n
}

// TestNoTelemetry sails with telemetry switched off: the agent is told nothing of it, and nothing is stored.
func TestNoTelemetry(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	d := helmtest.Voyage(t, hub, fleet.Voyage{Telemetry: fleet.Telemetry{Off: true}}, "#!/bin/sh\n", helmtest.Task("1", `test -z "$OTEL_EXPORTER_OTLP_ENDPOINT"`))
	v := openIt(t, startHelm(t, hub), d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the end", v.is(fleet.Complete))
	s := v.ships["ship-0"]
	if err := s.TakeTelemetry(t.Context(), s.v.measures, proto.Telemetry{}); err == nil {
		t.Error("telemetry is taken")
	}
	if _, err := os.Stat(d.Telemetry()); err == nil {
		t.Error("there is a store")
	}
}
