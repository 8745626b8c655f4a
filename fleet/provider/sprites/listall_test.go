package sprites_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/sprites"
	"ocaptain/fleet/provider/sprites/spritestest"
)

// TestListAll finds sprites with names like those of ocaptain's machines among many others, and destroys only the one
// that it names.
func TestListAll(t *testing.T) {
	f := fake(t, spritestest.Options{})
	p := sprites.New(sprites.Options{
		Credentials: func() (sprites.Credentials, error) { return sprites.Credentials{Token: f.Token(), URL: f.URL}, nil },
		Own:         map[string]string{provider.Install: "i1"},
	})
	t.Cleanup(p.Close)
	ctx := context.Background()
	for i := range 60 { // more than one page, and every second entry lacks labels
		f.Add(fmt.Sprintf("voyage-0123456789ab-ship%d", i), "ocaptain:i2")
		f.Add(fmt.Sprintf("web-%d", i))
	}
	f.Add("voyage-ba9876543210-ship0")
	found, err := p.ListAll(ctx, "voyage-")
	if err != nil || len(found) != 61 {
		t.Fatalf("%d machines, %v", len(found), err)
	}
	for _, r := range f.Requests() {
		if strings.Contains(r, "/web-") {
			t.Fatalf("it asked for a sprite that is none of ocaptain's: %s", r)
		}
	}
	other, none := found[0], found[60]
	if other.Labels[provider.Install] != "i2" || none.Labels[provider.Install] != "" || none.Name != "voyage-ba9876543210-ship0" {
		t.Errorf("%+v, %+v", other, none)
	}
	if err := p.Destroy(ctx, other.Name); !errors.Is(err, provider.ErrTaken) {
		t.Errorf("destroyed as its own: %v", err)
	}
	changed := other
	changed.ID = "another"
	if err := p.DestroyListed(ctx, changed); !errors.Is(err, provider.ErrTaken) {
		t.Errorf("one that was made anew: %v", err)
	}
	for _, m := range []provider.Machine{other, none} {
		if err := p.DestroyListed(ctx, m); err != nil {
			t.Error(err)
		}
		if err := p.DestroyListed(ctx, m); !errors.Is(err, provider.ErrNotFound) {
			t.Errorf("one that is gone: %v", err)
		}
	}
	left := f.Names()
	if len(left) != 119 || slices.Contains(left, other.Name) || slices.Contains(left, none.Name) {
		t.Errorf("%d sprites are left", len(left))
	}
}
