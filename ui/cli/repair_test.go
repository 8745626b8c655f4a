package cli

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/tokens"
)

// inNeed returns a hub with everything wrong that the doctor can repair.
func inNeed(t *testing.T) *bridge {
	t.Helper()
	dir := t.TempDir()
	b := &bridge{hub: fleet.Hub{Home: dir, Config: filepath.Join(dir, "config"), State: filepath.Join(dir, "state"), Voyages: filepath.Join(dir, "voyages"), Cache: filepath.Join(dir, "cache")}}
	b.hub.Runtime, _ = fleet.RuntimeDir(b.hub.State)
	t.Cleanup(func() { _ = os.RemoveAll(b.hub.Runtime) })
	if err := b.hub.Make(); err != nil {
		t.Fatal(err)
	}
	if err := tokens.StoreOf(b.hub).KeepToken("exedev", tokens.Token{Secret: "hush"}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.hub.Config, ".env"), []byte("GH_TOKEN=hush\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{b.hub.State, tokens.StoreOf(b.hub).File("exedev"), filepath.Join(b.hub.Config, ".env")} {
		info, err := os.Stat(name)
		if err == nil {
			err = os.Chmod(name, info.Mode().Perm()|0o044)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	left := filepath.Join(b.hub.Voyages, ".fitting-voyage-0", "voyage-0")
	if err := os.MkdirAll(left, 0o755); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Dir(left), long, long); err != nil {
		t.Fatal(err)
	}
	return b
}

// socket makes the socket of a helm. Nobody answers there unless the test uses the listener.
func socket(t *testing.T, b *bridge) *net.UnixListener {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: api.Socket(b.hub), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	t.Cleanup(func() { l.Close() })
	return l
}

func TestFix(t *testing.T) {
	b := inNeed(t)
	socket(t, b).Close()
	told := b.repaired(t.Context(), false)
	if len(told) != 5 {
		t.Errorf("told: %+v", told)
	}
	for _, f := range told {
		if f.State != doubt || f.Fix != "ocaptain doctor --fix" {
			t.Errorf("told: %+v", f)
		}
	}
	if again := b.repaired(t.Context(), false); len(again) != len(told) {
		t.Errorf("telling changed something: %+v", again)
	}
	done := b.repaired(t.Context(), true)
	var said []string
	for _, f := range done {
		if said = append(said, f.Found); f.State != healthy {
			t.Errorf("not done: %+v", f)
		}
	}
	for _, want := range []string{"closed " + b.hub.State + " to", "closed " + tokens.StoreOf(b.hub).File("exedev"), ".env to others", "socket of a helm that was killed", "removed " + b.hub.Voyages} {
		if !strings.Contains(strings.Join(said, "\n"), want) {
			t.Errorf("nothing about %q in %q", want, said)
		}
	}
	for name, mode := range map[string]os.FileMode{b.hub.State: 0o700, tokens.StoreOf(b.hub).File("exedev"): 0o600, filepath.Join(b.hub.Config, ".env"): 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if again := b.repaired(t.Context(), true); len(again) > 0 {
		t.Errorf("done twice: %+v", again)
	}
	if err := os.RemoveAll(b.hub.Config); err != nil {
		t.Fatal(err)
	}
	if again := b.repaired(t.Context(), true); len(again) != 1 || again[0].Found != "made "+b.hub.Config {
		t.Errorf("a directory that is missing: %+v", again)
	}
}

// The doctor reports what it cannot repair, and leaves a link to elsewhere alone, as the captain made it.
func TestFixLeaves(t *testing.T) {
	b := inNeed(t)
	env := filepath.Join(b.hub.Config, ".env")
	elsewhere := filepath.Join(b.hub.Home, "mine")
	if err := os.Rename(env, elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, env); err != nil {
		t.Fatal(err)
	}
	b.repaired(t.Context(), true)
	if info, err := os.Stat(elsewhere); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info, err)
	}
}

// The doctor reports a helm of an older build; its socket stays, as does that of any running helm.
func TestOldHelm(t *testing.T) {
	for _, c := range []struct {
		hello api.Hello
		old   bool
	}{
		{api.Hello{API: api.API, Build: "another", Version: "v0"}, true},
		{api.Hello{API: api.API, Build: "another", Made: time.Now().Add(time.Hour)}, false},
		{api.Hello{API: api.API + 1, Build: "another"}, false},
	} {
		b := inNeed(t)
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(c.hello) })}
		l := socket(t, b)
		go func() { _ = server.Serve(l) }()
		all := b.oldHelm(t.Context())
		if (len(all) == 1) != c.old {
			t.Errorf("%+v: %+v", c.hello, all)
		}
		server.Close()
	}
}
