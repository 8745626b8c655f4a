package sprites_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ocaptain/fleet/aboard/sshd"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/local"
	"ocaptain/fleet/provider/providertest"
	"ocaptain/fleet/provider/sprites"
	"ocaptain/fleet/provider/sprites/spritestest"
)

// The sprites of these tests run this test binary in place of ocaptain.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "sprite-for-test" {
		os.Exit(spritestest.Sprite(os.Args[2:]))
	}
	var err error
	switch role := strings.Join(os.Args[1:min(3, len(os.Args))], " "); role {
	case "door-for-test":
		err = local.Serve(context.Background())
	case "aboard standing-sshd":
		err = sshd.Stand(context.Background(), os.Getenv("HOME"), sshd.StandingPort)
	default:
		goleak.VerifyTestMain(m)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// fake starts a sprites.dev for the test.
func fake(t testing.TB, o spritestest.Options) *spritestest.Fake {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Exe, o.Args = exe, []string{"door-for-test"}
	return spritestest.Start(t, o)
}

// client returns a provider that uses the fake as another process would.
func client(t testing.TB, f *spritestest.Fake) *sprites.Provider {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	token := f.Token()
	p := sprites.New(sprites.Options{
		Credentials: func() (sprites.Credentials, error) { return sprites.Credentials{Token: token, URL: f.URL}, nil },
		Program:     programs(exe),
		Own:         map[string]string{"install": "i1"},
	})
	t.Cleanup(p.Close)
	return p
}

// programs returns this test binary as the program for every machine, under another name for each architecture.
func programs(exe string) func(context.Context, string, string) (string, string, error) {
	return func(_ context.Context, goos, arch string) (string, string, error) { return exe, goos + arch, nil }
}

func subject(t *testing.T, f *spritestest.Fake) *providertest.Subject {
	return subjectOf(f, func() *sprites.Provider { return client(t, f) })
}

// subjectOf returns a fake as a Subject, with providers that another returns.
func subjectOf(f *spritestest.Fake, another func() *sprites.Provider) *providertest.Subject {
	lie := func(method, path string, m spritestest.Misdeed) func() {
		return func() { f.Plan(spritestest.Fault{Method: method, Path: path, Times: 1, Misdeed: m}) }
	}
	return &providertest.Subject{
		Provider:  another(),
		Again:     func() provider.Provider { return another() },
		Kill:      func(m provider.Machine) { f.Chill(m.Name) },
		Leftovers: func(m provider.Machine) []string { return f.Leftovers(m.ID) },
		There:     func(name string) bool { return slices.Contains(f.Names(), name) },
		Lies: map[providertest.Lie]func(){
			providertest.Absent: func() { // for the request by name, and for the search in the list
				f.Plan(spritestest.Fault{Method: "GET", Path: "/v1/sprites/*", Times: 1, Misdeed: spritestest.Miss})
				f.Plan(spritestest.Fault{Method: "GET", Path: "/v1/sprites", Times: 1, Misdeed: spritestest.Miss})
			},
			providertest.NotMade:   lie("POST", "/v1/sprites", spritestest.Deny),
			providertest.Destroyed: lie("DELETE", "/v1/sprites/*", spritestest.Claim),
			providertest.Stays:     lie("DELETE", "/v1/sprites/*", spritestest.Deny),
			providertest.Existed:   lie("POST", "/v1/sprites", spritestest.Existed),
			providertest.Formless: func() { // for the request by name, and for the search in the list
				f.Plan(spritestest.Fault{Method: "GET", Path: "/v1/sprites/*", Times: 1, Misdeed: spritestest.Miss})
				f.Plan(spritestest.Fault{Method: "GET", Path: "/v1/sprites", Times: 1, Misdeed: spritestest.Bare})
			},
		},
		Unmark: func(name string) func() {
			had := f.Label(name)
			return func() { f.Label(name, had...) }
		},
		Return: func(name string) { f.Add(name, "install:i1", "voyage:voyage-1") },
	}
}

func TestContract(t *testing.T) {
	providertest.Run(t, func(t *testing.T) *providertest.Subject {
		return subject(t, fake(t, spritestest.Options{Latency: 2 * time.Millisecond}))
	})
}
