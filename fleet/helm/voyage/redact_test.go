package voyage

import (
	"context"
	"encoding/json"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/kept"
	"ocaptain/fleet/helm/secrets"
)

// TestRedact takes what agents must keep to themselves out of all that ships say, also as JSON writes it.
func TestRedact(t *testing.T) {
	t.Parallel()
	v := &Voyage{Core: &core.Core{Secrets: secrets.New(fleet.Dir(t.TempDir()), &kept.Files{})}}
	if err := v.Secrets.Keep(secrets.Given{Secrets: map[string]string{"KEY": `quoted "key" of 20`}}); err != nil {
		t.Fatal(err)
	}
	type said struct{ Text string }
	var heard said
	handlers := v.redacted(wire.Handlers{"say": wire.Handle(func(_ context.Context, s said) (any, error) {
		heard = s
		return nil, nil
	})})
	raw, _ := json.Marshal(said{`my key is quoted "key" of 20.`})
	if _, err := handlers["say"](t.Context(), raw); err != nil || heard.Text != "my key is [secret]." {
		t.Errorf("heard %q, %v", heard.Text, err)
	}
	if _, err := handlers["say"](t.Context(), nil); err != nil {
		t.Error(err)
	}
}
