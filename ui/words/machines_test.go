package words

import (
	"testing"

	"ocaptain/fleet/machines"
)

func TestMachines(t *testing.T) {
	for _, c := range []struct {
		want string
		all  []machines.Count
	}{
		{"0 machines", nil},
		{"3 machines: 1 at local, 2 at sprites", []machines.Count{{Provider: "local", Machines: 1}, {Provider: "sprites", Machines: 2, Recorded: 9}}},
		{"exedev does not list 1 on record", []machines.Count{{Provider: "exedev", Recorded: 1, Unlisted: 1}}},
		{"exedev is not known, 2 on record (no route)", []machines.Count{{Provider: "exedev", Recorded: 2, Why: "no route"}}},
		{"1 machine: 1 at local; sprites is not known, 4 on record (it says 503)", []machines.Count{{Provider: "local", Machines: 1}, {Provider: "sprites", Recorded: 4, Why: "it says 503"}}},
		{"2 machines: 2 at hosts; not all of hosts could be asked (build1: no route)", []machines.Count{{Provider: "hosts", Machines: 2, Recorded: 2, Why: "build1: no route"}}},
	} {
		if got := Machines(c.all); got != c.want {
			t.Errorf("%+v is %q, want %q", c.all, got, c.want)
		}
	}
	if got := Machines([]machines.Count{{Provider: "local", Recorded: 1}}); got != "0 machines" {
		t.Errorf("a record alone is %q", got)
	}
	if got := OnRecord([]machines.Count{{Recorded: 2}, {Recorded: 1}}); got != "3 machines on record, asking …" {
		t.Error(got)
	}
}
