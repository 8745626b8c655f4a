//go:build long

package launch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/summed"
	"ocaptain/ui/launch"
)

// TestCaptainFile: a session follows the captain.yaml of its repository, and its voyage records that.
func TestCaptainFile(t *testing.T) {
	y := realYard(t)
	dir, git := committed(t, y)
	const text = "project: {name: kite}\nplanners: {count: 2}\nworkers: {maxNestedDepth: 0}\nvalidators: {maxQueue: 3}\nvalidator: {model: small}\n"
	if err := os.WriteFile(filepath.Join(dir, "captain.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	git("add", ".")
	git("commit", "-qm", "two")
	if err := os.Mkdir(filepath.Join(dir, "below"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := y.CaptainFile(t.Context(), filepath.Join(dir, "below"), "")
	s := aSession
	s.Planners, s.Validators = file.Int("planners.count", 1), 1
	o, err := y.CheckSession(t.Context(), launch.Wish{Repo: dir, Agent: "script", Captain: file}, s)
	if err != nil {
		t.Fatal(err)
	}
	d, err := y.StartVoyage(t.Context(), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file.Path); err != nil {
		t.Fatal(err)
	}
	arrives(t, d)
	v, err := fleet.LoadVoyage(d)
	if err != nil || v.Name != "kite: "+o.Plan.Name[len("kite: "):] || v.Planners != 2 || v.MaxQueue != 3 || v.MaxNestedDepth == nil || *v.MaxNestedDepth != 0 || v.ModelFor(fleet.Validator) != "small" || v.ModelFor(fleet.Worker) != "" {
		t.Errorf("%+v, %v", v, err)
	}
	f, err := fleet.LoadFleet(d)
	if got := strings.Join(f.Roles(), " "); err != nil || got != "planner planner validator worker" {
		t.Errorf("there are a %s, %v", got, err)
	}
	for _, one := range f.Ships {
		var ship proto.Ship
		if err := summed.Read(filepath.Join(one.Home, ".ocaptain", "ship.json"), &ship); err != nil || ship.Model != map[string]string{fleet.Validator: "small"}[one.Role] {
			t.Errorf("%s has the model %q, %v", one.Name, ship.Model, err)
		}
	}
	for _, repo := range []string{"none", "owner/kite", "file://" + dir} {
		if file := y.CaptainFile(t.Context(), repo, ""); file != nil {
			t.Errorf("%s has %+v", repo, file)
		}
	}
}
