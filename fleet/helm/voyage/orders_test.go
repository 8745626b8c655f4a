package voyage

import (
	"os"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/secrets"
)

// TestSecretsCopy has the agents' secrets emptied and removed while helm is down.
func TestSecretsCopy(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "true\n", helmtest.Task("1", "true"))
	h := startHelm(t, hub)
	if err := openIt(t, h, d).Secrets.Keep(secrets.Given{Secrets: map[string]string{"KEY": "v"}}); err != nil {
		t.Fatal(err)
	}
	for says, damage := range map[string]func() error{
		"secrets.json was damaged": func() error { return os.WriteFile(d.Secrets(), nil, 0o600) },
		"secrets.json was gone":    func() error { return os.Remove(d.Secrets()) },
	} {
		h.Close()
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		h = startHelm(t, hub)
		v := openIt(t, h, d)
		if s, err := v.Secrets.Load(); err != nil || s.Secrets["KEY"] != "v" {
			t.Errorf("%v, %v", s, err)
		}
		if info, err := os.Stat(d.Secrets()); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
		v.tells(t, says)
	}
	if err := openIt(t, h, d).Fit.Sink(t.Context(), func(api.Progress) {}); err != nil {
		t.Error(err)
	}
	for _, path := range []string{d.Secrets(), d.SecretsCopy()} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is left", path)
		}
	}
}
