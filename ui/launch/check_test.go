package launch

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"ocaptain/tasks/planfile"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/ui/launch/places"
	"ocaptain/ui/launch/problem"
)

// testHub returns the hub of a captain's empty home.
func testHub(t *testing.T) fleet.Hub {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("OCAPTAIN_HOME", filepath.Join(home, "o"))
	t.Setenv("XDG_CACHE_HOME", "")
	hub, err := fleet.FindHub()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(hub.Runtime) })
	return hub
}

// testYard returns a yard that must not call helm.
func testYard(t *testing.T, environ ...string) Yard {
	t.Helper()
	hub := testHub(t)
	return Yard{Hub: hub, Environ: environ, Cwd: hub.Home, Helm: func(context.Context) (*api.Client, error) {
		t.Error("helm was asked for")
		return nil, api.ErrDown
	}}
}

// put writes a file below the yard's directory.
func put(t *testing.T, y Yard, name, text string) {
	t.Helper()
	path := filepath.Join(y.Cwd, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Whatever is wrong with a wish is reported with its field, and nothing is made.
func TestProblems(t *testing.T) {
	for _, tt := range []struct {
		name  string
		env   []string
		wish  Wish
		kind  problem.Kind
		field problem.Field
		want  string
	}{
		{"plan", nil, Wish{Plan: "plans/none", Agent: "script"}, problem.Usage, problem.Plan, "plan plans/none has 1 error; nothing was made"},
		{"ships", nil, Wish{Plan: "example:tiny", Ships: "0"}, problem.Usage, problem.Ships, `ships is "0"; it must be a whole number from 1 to 1000`},
		{"configured ships", []string{"OCAPTAIN_DEFAULT_SHIPS=x"}, Wish{Plan: "example:tiny"}, problem.Usage, problem.None, "OCAPTAIN_DEFAULT_SHIPS"},
		{"provider", nil, Wish{Plan: "example:tiny", Provider: "moon"}, problem.Usage, problem.Provider, `no provider "moon"`},
		{"agent", []string{"OCAPTAIN_AGENT=hal"}, Wish{Plan: "example:tiny"}, problem.Usage, problem.Agent, `agent "hal" is not known`},
		{"model", nil, Wish{Plan: "example:tiny", Model: "a\nb"}, problem.Usage, problem.Model, "one line"},
		{"age", nil, Wish{Plan: "example:tiny", Agent: "script", MaxAge: "old"}, problem.Usage, problem.MaxAge, `greatest age is "old"; it must be a duration like 30m`},
		{"no login", nil, Wish{Plan: "example:tiny"}, problem.Missing, problem.Agent, "cannot log in"},
		{"login", []string{"ANTHROPIC_API_KEY=sk-SECRET x"}, Wish{Plan: "example:tiny"}, problem.Missing, problem.Agent, "ANTHROPIC_API_KEY (from environment) has spaces"},
		{"GitHub", []string{"GH_TOKEN=ghp_SECRET x"}, Wish{Plan: "example:tiny", Agent: "script"}, problem.Missing, problem.Repo, "GH_TOKEN has spaces"},
		{"repository form", nil, Wish{Plan: "example:tiny", Agent: "script", Repo: "ext::sh -c x"}, problem.Usage, problem.Repo, "transport helper"},
		{"repository", nil, Wish{Plan: "example:tiny", Agent: "script", Repo: "./none"}, problem.Failed, problem.Repo, "cannot be read"},
		{"script without plan", nil, Wish{Agent: "script"}, problem.Usage, problem.Plan, "name one"},
		{"ships without plan", []string{"ANTHROPIC_API_KEY=sk-ant-fake"}, Wish{Ships: "2"}, problem.Usage, problem.Ships, "one ship"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			y := testYard(t, tt.env...)
			o, err := y.CheckWish(t.Context(), tt.wish)
			var p *problem.Problem
			if !errors.As(err, &p) || p.Kind != tt.kind || p.Field != tt.field || !strings.Contains(p.Error(), tt.want) {
				t.Fatalf("got %#v", err)
			}
			if o == nil || strings.Contains(p.Error()+p.Hint, "SECRET") {
				t.Errorf("order %v, %v", o, p)
			}
			first := y.Preview(tt.wish).Problems
			if local := tt.kind != problem.Failed; local && (len(first) == 0 || first[0].Error() != p.Error()) {
				t.Errorf("the preview knows %v", first)
			}
			if _, err := os.Stat(y.Hub.Voyages); err == nil {
				t.Error("something was made")
			}
		})
	}
}

func TestGoodOrder(t *testing.T) {
	y := testYard(t, "OCAPTAIN_MODEL=small")
	if out, err := exec.Command("git", "init", "-q", filepath.Join(y.Cwd, "code")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	o, err := y.CheckWish(t.Context(), Wish{Plan: "example:tiny", Agent: "script", Repo: "./code"})
	if err != nil {
		t.Fatal(err)
	}
	if o.Ships != 2 || o.Model != "small" || o.Work.Source != filepath.Join(y.Cwd, "code") || o.Unwalled != nil || o.Plan == nil {
		t.Errorf("got %+v", o)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := y.CheckWish(stopped, Wish{Plan: "example:tiny", Agent: "script", Repo: "./code"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a check that is given up: %v", err)
	}
}

// A largest age in the configuration warns; one in an order sinks ships.
func TestGuardsOfOrders(t *testing.T) {
	y := testYard(t, "OCAPTAIN_MAX_AGE=12h")
	put(t, y, "config.yaml", "price: {local: 0.25}\n")
	y.Hub.Config = y.Cwd
	for _, tt := range []struct {
		wish Wish
		want fleet.Guards
	}{
		{Wish{}, fleet.Guards{MaxAge: 12 * time.Hour, IdleWarning: 30 * time.Minute}},
		{Wish{MaxAge: "8h"}, fleet.Guards{MaxAge: 8 * time.Hour, SinkOld: true, IdleWarning: 30 * time.Minute}},
		{Wish{Sink: "verified"}, fleet.Guards{MaxAge: 12 * time.Hour, IdleWarning: 30 * time.Minute, SinkVerified: true}},
	} {
		tt.wish.Plan, tt.wish.Agent = "example:tiny", "script"
		tt.want.Prices, tt.want.Steering = map[string]float64{"local": 0.25}, fleet.SteeringFlag
		o, err := y.CheckWish(t.Context(), tt.wish)
		if err != nil || !reflect.DeepEqual(o.Guards, tt.want) {
			t.Errorf("%+v: %+v, %v", tt.wish, o.Guards, err)
		}
	}
}

// For an agent with a model the captain is asked about the sandbox, unless the captain has agreed to none.
func TestWalls(t *testing.T) {
	y := testYard(t, "ANTHROPIC_API_KEY=sk-ant-fake")
	o, err := y.CheckWish(t.Context(), Wish{Plan: "example:tiny"})
	if err != nil {
		t.Fatal(err)
	}
	if why := places.Confinement(t.Context(), y.Hub); (o.Unwalled == nil) != (why == nil) {
		t.Errorf("unwalled %v, confinement %v", o.Unwalled, why)
	}
	if o, err = y.CheckWish(t.Context(), Wish{Plan: "example:tiny", Unconfined: true}); err != nil || o.Unwalled != nil || !o.Unconfined {
		t.Errorf("agreed: %+v, %v", o, err)
	}
}

func TestPlans(t *testing.T) {
	y := testYard(t)
	for _, name := range []string{"plans/b/voyage.json", "plans/a/voyage.json", "plans/none/spec.md", ".ocaptain/plans/c/voyage.json", "plans/\x1b[31mred/voyage.json"} {
		put(t, y, name, "{}")
	}
	want := "plans/a plans/b .ocaptain/plans/c example:tiny example:harbor"
	if got := strings.Join(y.ListPlans(), " "); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	put(t, y, "voyage.json", "{}")
	if got := strings.Join(y.ListPlans(), " "); got != ". "+want {
		t.Errorf("in a plan: %q", got)
	}
}

func TestPreview(t *testing.T) {
	y := testYard(t, "OCAPTAIN_AGENT=script")
	put(t, y, "o/config/config.yaml", "model: small\n")
	p := y.Preview(Wish{Plan: "example:harbor", Ships: "5"})
	if !p.Plan || p.Name != "harbor" || p.Tasks != 28 || p.Levels != 8 || p.Chain != 8 || p.About == "" || len(p.Problems)+len(p.Errors) > 0 {
		t.Errorf("got %+v", p)
	}
	for what, c := range map[string][2]Choice{
		"ships":      {p.Ships, {"5", "you"}},
		"provider":   {p.Provider, {"local", "default"}},
		"agent":      {p.Agent, {"script", "environment OCAPTAIN_AGENT"}},
		"model":      {p.Model, {"small", "~/o/config/config.yaml:1"}},
		"repository": {p.Repo, {"none", "the plan"}},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: got %v, want %v", what, c[0], c[1])
		}
	}
	if p = y.Preview(Wish{Plan: "example:harbor"}); p.Ships.From != "the plan" {
		t.Errorf("ships from %q", p.Ships.From)
	}
	if p = y.Preview(Wish{Agent: "claude"}); p.Plan || p.Ships != (Choice{"1", "one without a plan"}) || len(p.Problems) != 1 {
		t.Errorf("without a plan: %+v", p)
	}
}

// A plan is found by a path from the working directory or from home; the defects of a plan with control characters
// are clean.
func TestPreviewOfDefects(t *testing.T) {
	y := testYard(t, "OCAPTAIN_AGENT=script")
	if err := planfile.New(filepath.Join(y.Cwd, "plans", "mine"), "", tasks.Repo{Kind: tasks.RepoFresh}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"plans/mine", "~/plans/mine", filepath.Join(y.Cwd, "plans/mine")} {
		if p := y.Preview(Wish{Plan: path}); len(p.Problems) > 0 || p.Tasks == 0 {
			t.Errorf("%s: %v", path, p.Problems)
		}
	}
	put(t, y, "plans/mine/tasks/99.json", `{"id": "99", "subject": "\u001b[31mred", "blockedBy": ["gone\u202e"]}`)
	p := y.Preview(Wish{Plan: "plans/mine"})
	if len(p.Errors) == 0 || len(p.Problems) != 1 || p.Problems[0].Field != problem.Plan {
		t.Fatalf("got %+v", p)
	}
	for _, d := range append(p.Errors, p.Warnings...) {
		if strings.ContainsAny(d.What+d.Fix, "\x1b\u202e") || d.Fix == "" {
			t.Errorf("%q", d)
		}
	}
}

// The settings of telemetry are in the order, a collector only when agents send telemetry.
func TestTelemetryOfOrders(t *testing.T) {
	y := testYard(t)
	put(t, y, "config.yaml", "telemetry: {keep: 64MB, content: on, forward: \"http://127.0.0.1:4318\"}\n")
	y.Hub.Config = y.Cwd
	for _, none := range []bool{false, true} {
		want := fleet.Telemetry{Off: none, Contents: !none, Keep: 64 << 20}
		if !none {
			want.Forward = "http://127.0.0.1:4318"
		}
		o, err := y.CheckWish(t.Context(), Wish{Plan: "example:tiny", Agent: "script", NoTelemetry: none})
		if err != nil || o.Telemetry != want {
			t.Errorf("without it %t: %+v, %v", none, o.Telemetry, err)
		}
	}
}

// The directory of a voyage is made of what its order says.
func TestVoyage(t *testing.T) {
	script, _ := agent.Lookup("script")
	script.Tested = "1.2.3"
	v := (&Order{Plan: &planfile.Plan{Name: "kite", Objective: "fly"}, Ships: 2, Agent: script}).voyage()
	if v.Branch != v.ID || v.TaskList != v.ID+"-tasks" || v.ShipCount != 2 || v.Prompt != "fly" || v.Name != "kite" || v.Version != "1.2.3" || v.Kind != "" {
		t.Errorf("a plan: %+v", v.Voyage)
	}
	v = (&Order{kind: fleet.Session, id: "voyage-1", branch: "feat/x", Ships: 3, Agent: script}).voyage()
	if v.ID != "voyage-1" || v.Branch != "feat/x" || v.Kind != fleet.Session || v.ShipCount != 3 {
		t.Errorf("a session: %+v", v.Voyage)
	}
	v = (&Order{kind: fleet.Pool, name: "kite", Ships: 1, check: time.Minute, Agent: script}).voyage()
	if v.Kind != fleet.Pool || v.Name != "kite" || v.ShipCount != 0 || v.Check != time.Minute {
		t.Errorf("a pool: %+v", v.Voyage)
	}
}
