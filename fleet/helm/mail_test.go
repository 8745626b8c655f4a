package helm

import (
	"context"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/wake"
)

// A message is kept from the moment that it is accepted until the ship tells that it
// arrived, across the end of helm; a ship can tell nothing of what it was not sent.
func TestPost(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	d := newVoyage(t, hub, fleet.Voyage{Name: "mail"}, "#!/bin/sh\n")
	f := fleet.Fleet{Phase: fleet.Sailing, Ships: []*fleet.Ship{
		{Name: "ship-0", Phase: fleet.Planned, Provider: "local", Agent: "claude"},
		{Name: "ship-1", Phase: fleet.Planned, Provider: "local", Agent: "script"},
		{Name: "ship-2", Phase: fleet.Failed, Provider: "local", Agent: "claude"},
	}}
	v := &voyage{dir: d, memory: memory{fleet: f, ships: map[string]*ship{}}, paint: wake.New()}
	v.post.dir = d
	send := func(v *voyage, ship, id, text string) (api.Said, error) {
		return v.send(context.Background(), ship, api.SayRequest{ID: id, Text: text})
	}
	for ship, want := range map[string]string{"ship-1": "does not take messages", "ship-2": "is failed", "ship-9": "has no ship-9"} {
		if _, err := send(v, ship, "message-0", "hello"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", ship, err, want)
		}
	}
	for _, text := range []string{"", " \n", "\x1b\x03", "bad \xff", strings.Repeat("x", 64<<10+1)} {
		if _, err := send(v, "ship-0", "message-0", text); err == nil {
			t.Errorf("%.10q was taken", text)
		}
	}
	if _, err := send(v, "ship-0", "../../x/y", "hello"); err == nil {
		t.Error("an id that is a path was taken")
	}
	for range 2 { // asked again, as when helm ended in the middle
		for _, id := range []string{"message-1", "message-2"} {
			if said, err := send(v, "ship-0", id, "text of "+id); err != nil || said.Submitted || said.Queued == "" || said.ID != id {
				t.Fatalf("said %+v, %v", said, err)
			}
		}
	}
	v.post.takeReport("ship-0", proto.Mail{ID: "message-9", State: proto.MailSubmitted})
	v.post.takeReport("ship-0", proto.Mail{ID: "message-1", State: "eaten"})
	v.post.takeReport("ship-0", proto.Mail{ID: "message-1", State: proto.MailQueued, Why: "it sleeps"})
	v.post.takeReport("ship-0", proto.Mail{ID: "message-2", State: proto.MailQueued}) // it came aboard, behind the first
	if n, why := v.post.unread("ship-0"); n != 2 || !strings.Contains(why, "sleeps") {
		t.Errorf("%d wait, %q", n, why)
	}

	again := &voyage{dir: d, memory: memory{fleet: f, ships: map[string]*ship{}}, paint: wake.New()}
	again.post.dir = d
	go func() {
		again.post.takeReport("ship-0", proto.Mail{ID: "message-1", State: proto.MailSubmitted, Altered: true})
	}()
	said, err := again.send(t.Context(), "ship-0", api.SayRequest{ID: "message-1", Text: "text of message-1", Wait: time.Minute})
	if err != nil || !said.Submitted || !said.Altered {
		t.Errorf("said %+v, %v", said, err)
	}
	b, err := again.post.boxOf("ship-0")
	if err != nil {
		t.Fatal(err)
	}
	if all := b.All(); len(all) != 1 || all[0].ID != "message-2" || all[0].Text != "text of message-2" {
		t.Errorf("the box has %+v", all)
	}
}
