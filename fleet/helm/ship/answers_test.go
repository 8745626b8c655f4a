package ship

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/kept"
	"ocaptain/fleet/helm/notes/notestest"
	"ocaptain/fleet/helm/secrets"
	"ocaptain/fleet/wake"
)

// Handlers hear nothing of what agents must keep to themselves, also as JSON writes it. A ship that asks too often is told so, and may still
// deliver.
func TestAnswers(t *testing.T) {
	is := notestest.New(t)
	c := &core.Core{Secrets: secrets.New(fleet.Dir(t.TempDir()), &kept.Files{}), Book: is.Book, Notes: is.Notes, Paint: wake.New()}
	if err := c.Secrets.Keep(secrets.Given{Secrets: map[string]string{"KEY": `quoted "key" of 20`}}); err != nil {
		t.Fatal(err)
	}
	s := &Ship{Name: "ship-0", c: c, is: State{Budgets: Budgets{Requests: facts.Budget{Burst: 2, Rate: 1, Most: 1}}}}
	type said struct{ Text string }
	var heard said
	hear := wire.Handle(func(_ context.Context, is said) (any, error) {
		heard = is
		return nil, nil
	})
	all := s.Answers(wire.Handlers{"ask": hear}, wire.Handlers{"deliver": hear})
	raw, _ := json.Marshal(said{`my key is quoted "key" of 20.`})
	for _, method := range []string{"ask", "deliver"} {
		if _, err := all[method](t.Context(), raw); err != nil || heard.Text != "my key is [secret]." {
			t.Errorf("%s: heard %q, %v", method, heard.Text, err)
		}
		heard = said{}
	}
	if _, err := all["ask"](t.Context(), nil); err != nil {
		t.Error(err)
	}
	if _, err := all["ask"](t.Context(), raw); !errors.Is(err, ErrAsksTooMuch) {
		t.Errorf("it asks too much: %v", err)
	}
	if _, err := all["deliver"](t.Context(), raw); err != nil || heard.Text == "" {
		t.Errorf("delivered %q, %v", heard.Text, err)
	}
}

// A ship that was offered a task and is refused keeps no other ship from it.
func TestRefusalEndsOffers(t *testing.T) {
	is := notestest.New(t)
	c := &core.Core{Book: is.Book, Notes: is.Notes}
	c.Offers.Make("1", "ship-0", time.Now())
	news := c.News.Next()
	_ = (&Ship{Name: "ship-0", c: c, Noted: NewRation()}).Refuse("1", errors.New("it is kept for another"))
	select {
	case <-news:
	default:
		t.Error("no ship is woken")
	}
	if free := c.Offers.Free(slices.Values([]string{"1"}), "ship-1", time.Now()); len(free) != 1 || len(is.Told()) != 1 {
		t.Errorf("free is %q; told %q", free, is.Told())
	}
}
