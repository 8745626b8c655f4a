package sprites_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/providertest"
	"ocaptain/fleet/provider/sprites"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/tasks/eventually"
)

func soon(t testing.TB) context.Context {
	t.Helper()
	return eventually.Context(t)
}

func spec(t testing.TB, name string) provider.Spec {
	t.Helper()
	public, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return provider.Spec{
		Name: name, Labels: map[string]string{"install": "i1", "voyage": "voyage-1"},
		AuthorizedKey: string(ssh.MarshalAuthorizedKey(key)),
	}
}

// TestContractAmidMisdeeds checks the whole contract with a service that makes each kind of call fail in several
// ways, one after the other: before it was executed, after it was executed, and because the service is busy.
func TestContractAmidMisdeeds(t *testing.T) {
	const one = "/v1/sprites/*"
	providertest.Run(t, func(t *testing.T) *providertest.Subject {
		f := fake(t, spritestest.Options{Second: 50 * time.Millisecond})
		for _, fault := range []spritestest.Fault{
			{Method: "POST", Path: "/v1/sprites", Misdeed: spritestest.Drop},
			{Method: "POST", Path: "/v1/sprites", Misdeed: spritestest.Break},
			{Method: "POST", Path: "/v1/sprites", Misdeed: spritestest.TooMany},
			{Method: "GET", Path: "/v1/sprites", Misdeed: spritestest.Refuse},
			{Method: "GET", Path: one, Misdeed: spritestest.Drop},
			{Method: "PUT", Path: one + "/fs/write", Misdeed: spritestest.Drop},
			{Method: "PUT", Path: one + "/fs/write", Misdeed: spritestest.Break},
			{Method: "POST", Path: one + "/fs/rename", Misdeed: spritestest.LoseAnswer},
			{Method: "PUT", Path: one + "/services/*", Misdeed: spritestest.LoseAnswer},
			{Path: one + "/exec", Misdeed: spritestest.NoExit},
			{Path: one + "/exec", Misdeed: spritestest.TooMany},
			{Path: one + "/exec", Misdeed: spritestest.Drop},
			{Path: one + "/proxy", Misdeed: spritestest.Drop},
			{Path: one + "/proxy", Misdeed: spritestest.Refuse},
			{Method: "DELETE", Path: one, Misdeed: spritestest.LoseAnswer},
			{Method: "DELETE", Path: one, Misdeed: spritestest.Refuse},
		} {
			fault.Times = 1
			f.Plan(fault)
		}
		return subject(t, f)
	})
}

// Twelve ships are made where only ten may be made per minute, which lasts three seconds here: the rest wait.
func TestCreatesWaitForTheLimit(t *testing.T) {
	f := fake(t, spritestest.Options{CreatesPerMinute: 10, Second: 50 * time.Millisecond})
	p := client(t, f)
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			if _, err := p.Create(soon(t), spec(t, fmt.Sprintf("ship-%d", i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	// A call that has no time to wait fails at once, and says when to retry.
	ctx := eventually.Brief(t, 10*time.Second)
	f = fake(t, spritestest.Options{CreatesPerMinute: 1})
	p = client(t, f)
	f.Add("another")
	if _, err := p.Create(soon(t), spec(t, "ship-0")); err != nil {
		t.Fatal(err)
	}
	_, err := p.Create(ctx, spec(t, "ship-1"))
	var later *provider.Temporary
	if !errors.As(err, &later) || later.After < 30*time.Second || ctx.Err() != nil {
		t.Errorf("got %v", err)
	}
}

func TestTooManySprites(t *testing.T) {
	f := fake(t, spritestest.Options{Running: 1})
	p := client(t, f)
	f.Add("another")
	_, err := p.Create(soon(t), spec(t, "ship-0"))
	if err == nil || !strings.Contains(err.Error(), "sink some") {
		t.Errorf("got %v", err)
	}
}

// The exit code of a command is taken from the right message, and an unknown one is no success.
func TestCommandEnds(t *testing.T) {
	for _, c := range []struct {
		misdeed spritestest.Misdeed
		want    string // part of the error, "" for success
	}{
		{spritestest.EarlyExit, ""}, // its last output is missing, so the command is repeated
		{spritestest.BareExit, ""},  // unknown too
		{spritestest.NoExit, ""},    // unknown, so the command is repeated
		{spritestest.FastPath, ""},
	} {
		t.Run(string(c.misdeed), func(t *testing.T) {
			t.Parallel()
			f := fake(t, spritestest.Options{})
			f.Plan(spritestest.Fault{Path: "/v1/sprites/*/exec", Times: 1, Misdeed: c.misdeed})
			_, err := client(t, f).Create(soon(t), spec(t, "ship-0"))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if f.Left() > 0 {
				t.Error("the misdeed did not happen")
			}
		})
	}
}

// An unused sprite is paused. Dialling wakes it, and a task keeps it awake.
func TestPause(t *testing.T) {
	f := fake(t, spritestest.Options{Second: 20 * time.Millisecond})
	p := client(t, f)
	m, err := p.Create(soon(t), spec(t, "ship-0"))
	if err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "paused", func() bool { return f.Status("ship-0") == "warm" })
	if got, err := p.Get(soon(t), "ship-0"); err != nil || got.State != provider.Paused || f.Status("ship-0") != "warm" {
		t.Errorf("%+v, %v: looking at it must not wake it", got, err)
	}
	conn, err := p.Dial(soon(t), m)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Status("ship-0"); got != "running" {
		t.Errorf("dialled, and it is %s", got)
	}
	conn.Close()
	eventually.Holds(t, "paused again", func() bool { return f.Status("ship-0") == "warm" })
	f.Chill("ship-0")
	if again, err := p.Ensure(soon(t), "ship-0"); err != nil || again.State != provider.Running || again.ID != m.ID {
		t.Errorf("%+v, %v", again, err)
	}
}

// A sprite that came back empty is not used.
func TestReset(t *testing.T) {
	f := fake(t, spritestest.Options{})
	p := client(t, f)
	if _, err := p.Create(soon(t), spec(t, "ship-0")); err != nil {
		t.Fatal(err)
	}
	f.Reset("ship-0")
	if _, err := p.Ensure(soon(t), "ship-0"); err == nil || !strings.Contains(err.Error(), "lost its files") {
		t.Errorf("got %v", err)
	}
}

func TestForeignSprites(t *testing.T) {
	f := fake(t, spritestest.Options{})
	f.Add("theirs", "team:blue")
	f.Add("plain")
	exact := sprites.New(sprites.Options{
		Credentials: func() (sprites.Credentials, error) { return sprites.Credentials{Token: f.Token(), URL: f.URL}, nil },
		Own:         map[string]string{"ocaptain": "install-1"},
	})
	t.Cleanup(exact.Close)
	for _, name := range []string{"theirs", "plain"} {
		if err := exact.Destroy(soon(t), name); !errors.Is(err, provider.ErrTaken) {
			t.Errorf("destroy %s: %v", name, err)
		}
		if _, err := client(t, f).Create(soon(t), spec(t, name)); !errors.Is(err, provider.ErrTaken) {
			t.Errorf("create %s: %v", name, err)
		}
	}
	if n := len(f.Names()); n != 2 {
		t.Errorf("%d are left", n)
	}
}

// Lists come in pages, and half of their entries lack most fields.
func TestPages(t *testing.T) {
	f := fake(t, spritestest.Options{})
	for i := range 130 {
		f.Add(fmt.Sprintf("ship-%d", i), "ocaptain:install-1", fmt.Sprintf("voyage:voyage-%d", i%2))
	}
	found, err := client(t, f).List(soon(t), map[string]string{"ocaptain": "install-1", "voyage": "voyage-1"})
	if err != nil || len(found) != 65 {
		t.Errorf("%d found, %v", len(found), err)
	}
}
