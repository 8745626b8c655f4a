package sprites_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/sprites"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/tasks/eventually"
)

// every calls all methods of a provider, and returns the errors.
func every(t *testing.T, p *sprites.Provider) []error {
	t.Helper()
	ctx := eventually.Context(t)
	m := provider.Machine{Name: "ship-0"}
	var all []error
	for _, call := range []func() error{
		func() error { _, err := p.Create(ctx, spec(t, "ship-0")); return err },
		func() error { _, err := p.List(ctx, nil); return err },
		func() error { _, err := p.Get(ctx, "ship-0"); return err },
		func() error { _, err := p.Ensure(ctx, "ship-0"); return err },
		func() error { _, err := p.Dial(ctx, m); return err },
		func() error { return p.Destroy(ctx, "ship-0") },
		func() error { _, err := p.Account(ctx); return err },
	} {
		all = append(all, call())
	}
	return all
}

// TestNoSecretGetsOut checks that the token is in no place where others could read it.
func TestNoSecretGetsOut(t *testing.T) {
	f := fake(t, spritestest.Options{})
	p := client(t, f)
	old := f.Token()
	if _, err := p.Create(soon(t), spec(t, "ship-0")); err != nil {
		t.Fatal(err)
	}
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var seen []string
	for _, name := range all {
		raw, _ := os.ReadFile(name)
		seen = append(seen, string(raw))
	}
	f.Revoke()
	for _, err := range every(t, p) {
		if err == nil || !strings.Contains(err.Error(), "does not accept the token") {
			t.Errorf("with a revoked token: %v", err)
		}
		seen = append(seen, fmt.Sprint(err))
	}
	seen = append(seen, f.Requests()...)
	home := filepath.Join(f.Home("ship-0"))
	_ = filepath.WalkDir(home, func(path string, d os.DirEntry, _ error) error {
		if d != nil && d.Type().IsRegular() && !strings.Contains(path, "/bin/") {
			raw, _ := os.ReadFile(path)
			seen = append(seen, string(raw))
		}
		return nil
	})
	secret := old[strings.LastIndex(old, "/")+1:]
	for _, text := range seen {
		if strings.Contains(text, secret) {
			t.Errorf("the token is in %.300q", text)
		}
	}
}

// If a service repeats what it was sent in its answers, no error shows the token.
func TestAnswersThatRepeatTheToken(t *testing.T) {
	const token = "acme/org-1/token-1/0123456789abcdef"
	for _, status := range []int{201, 302, 400, 401, 404, 503} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			said := r.Header.Get("Authorization") + " " + r.URL.String()
			w.Header().Set("Location", "http://example.org/"+r.Header.Get("Authorization"))
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": said, "message": said, "name": said, "status": said})
		}))
		p := sprites.New(sprites.Options{
			Credentials: func() (sprites.Credentials, error) { return sprites.Credentials{Token: token, URL: server.URL}, nil },
		})
		for _, err := range every(t, p) {
			text := fmt.Sprint(err)
			if strings.Contains(text, "0123456789abcdef") {
				t.Errorf("shown: %q", text)
			}
		}
		p.Close()
		server.Close()
	}
}

func TestCredentials(t *testing.T) {
	for _, c := range []struct {
		c    sprites.Credentials
		want string
	}{
		{sprites.Credentials{}, "make one"},
		{sprites.Credentials{Token: "with space and more"}, "copy it again"},
		{sprites.Credentials{Token: "short"}, "too short"},
		{sprites.Credentials{Token: "long-enough", URL: "http://sprites.example.org"}, "in the clear"},
		{sprites.Credentials{Token: "long-enough", URL: "nonsense"}, "not an address"},
		{sprites.Credentials{Token: "long-enough", URL: "http://127.0.0.1:1234/"}, ""},
		{sprites.Credentials{Token: "long-enough"}, ""},
	} {
		err := c.c.Check()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v", c.c, err)
		}
	}
	if org := (sprites.Credentials{Token: "acme/org/id/value"}).OrganizationOf(); org != "acme" {
		t.Errorf("it belongs to %q", org)
	}
}
