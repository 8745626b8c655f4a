package voyage

import (
	"encoding/json"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/proto"
)

// shower is a machine that has every helmtest.Program, where ships do not see it.
type shower struct{}

func (shower) Unshown(program string) ([]string, error) {
	return []string{"/opt/" + helmtest.Program}, nil
}

// TestLacks has the log of a ship on this machine tell that a shell found no program. The captain hears of it, and of nothing that the
// agent says.
func TestLacks(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	h.Here = shower{}
	v := openStill(t, h, helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n"))
	s, _ := fakeShip(t, v, "ship-0")
	logs, err := openLog(s.Ship, s.v.Dir, s.v.Notes)
	if err != nil {
		t.Fatal(err)
	}
	defer logs.Close()
	s.logs = logs
	var batch proto.Events
	for i, l := range []proto.Log{{Kind: "say", Text: "sh: one: not found"}, {Kind: "tool", Text: "sh: two: not found"}} {
		data, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		batch.Events = append(batch.Events, proto.Event{Seq: int64(i + 1), At: time.Now(), Kind: proto.KindLog, Data: data})
	}
	if _, err := s.takeEvents(batch); err != nil {
		t.Fatal(err)
	}
	v.tells(t, "does not see two", hub.ConfigFile())
	if notes := v.Notes.List(); len(notes) != 1 {
		t.Errorf("he is told %+v", notes)
	}
}
