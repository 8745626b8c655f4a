package post

import (
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/proto"
)

// An accepted message is stored until the ship reports its arrival, even if helm ends meanwhile. Reports about
// messages that the ship was not sent are ignored.
func TestPost(t *testing.T) {
	t.Parallel()
	d := fleet.Dir(t.TempDir())
	p := New(d)
	send := func(id, text string) (api.Said, error) {
		said, arrived, err := p.Send(t.Context(), "ship-0", api.SayRequest{ID: id, Text: text}, func() {})
		if arrived {
			t.Errorf("%s has arrived", id)
		}
		return said, err
	}
	for _, text := range []string{"", " \n", "\x1b\x03", "bad \xff", strings.Repeat("x", 64<<10+1)} {
		if _, err := send("message-0", text); err == nil {
			t.Errorf("%.10q was taken", text)
		}
	}
	if _, err := send("../../x/y", "hello"); err == nil {
		t.Error("an id that is a path was taken")
	}
	for range 2 { // repeated, as if helm had ended in the middle
		for _, id := range []string{"message-1", "message-2"} {
			if said, err := send(id, "text of "+id); err != nil || said.Submitted || said.ID != id {
				t.Fatalf("said %+v, %v", said, err)
			}
		}
	}
	p.Take("ship-0", proto.Mail{ID: "message-9", State: proto.MailSubmitted})
	p.Take("ship-0", proto.Mail{ID: "message-1", State: "eaten"})
	p.Take("ship-0", proto.Mail{ID: "message-1", State: proto.MailQueued, Why: "it sleeps"})
	p.Take("ship-0", proto.Mail{ID: "message-2", State: proto.MailQueued}) // the ship has it, behind the first message
	if n, why := p.Unread("ship-0"); n != 2 || !strings.Contains(why, "sleeps") {
		t.Errorf("%d wait, %q", n, why)
	}

	again := New(d)
	go func() {
		again.Take("ship-0", proto.Mail{ID: "message-1", State: proto.MailSubmitted, Altered: true})
	}()
	said, arrived, err := again.Send(t.Context(), "ship-0", api.SayRequest{ID: "message-1", Text: "text of message-1", Wait: time.Minute}, func() {})
	if err != nil || !arrived || !said.Submitted || !said.Altered {
		t.Errorf("said %+v, %v", said, err)
	}
	b, err := again.Box("ship-0")
	if err != nil {
		t.Fatal(err)
	}
	if all := b.All(); len(all) != 1 || all[0].ID != "message-2" || all[0].Text != "text of message-2" {
		t.Errorf("the box has %+v", all)
	}
}
