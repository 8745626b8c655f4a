package e2e

import (
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/tasks/eventually"
)

// TestScan checks that the scan of all other tests finds secrets where they must not be, and reports nothing else.
func TestScan(t *testing.T) {
	const token, key = "gh-canary/with+odd chars", "agent-key-0123456789"
	home := t.TempDir()
	c := &captain{TB: t, home: home, program: "ocaptain", hub: fleet.Hub{State: filepath.Join(home, ".local", "share", "ocaptain")}}
	c.env = []string{"GH_TOKEN=" + token}
	s := newScan(c)
	s.add(newSecret("KEY", key, true))
	for name, file := range map[string]struct {
		text string
		mode os.FileMode
	}{
		"plain":                                  {"the token is " + token, 0o600},
		"quoted.url":                             {"https://x/?q=gh-canary%2Fwith%2Bodd+chars", 0o600},
		"encoded":                                {base64.StdEncoding.EncodeToString([]byte("x-access-token:" + token + "\n")), 0o600},
		"harmless":                               {"gh-canary", 0o600},
		"voyages/voyage-1/secrets.json":          {key, 0o600},
		"voyages/voyage-2/secrets.json":          {key, 0o644},
		"voyages/voyage-3/secrets.json":          {token, 0o600},
		".config/ocaptain/.env":                  {token, 0o600},
		".local/share/ocaptain/ships/x/home/.sh": {key, 0o600},
	} {
		c.write(name, file.text)
		if err := os.Chmod(filepath.Join(home, name), file.mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []struct{ word, env string }{
		{"clean", "A=b"},
		{"argument of " + token, "A=b"},
		{"environment", "GH_TOKEN=" + token},
		{"agents", "OCAPTAIN_SHIP=ship-0\x00KEY=" + key},
		{"no-agents", "KEY=" + key},
	} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", "read x", p.word)
		cmd.Dir, cmd.Env = home, append(strings.Split(p.env, "\x00"), "HOME="+home)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = in.Close(); _ = cmd.Wait() }()
	}
	s.files(false)
	want := []string{
		"GH_TOKEN is in " + home + "/encoded", "GH_TOKEN is in " + home + "/plain", "GH_TOKEN is in " + home + "/quoted.url",
		"GH_TOKEN is in " + home + "/voyages/voyage-3/secrets.json",
		"GH_TOKEN is in the command line sh -c read x argument of " + token + " ",
		"GH_TOKEN is in the environment of sh -c read x environment ",
		"KEY is in " + home + "/.local/share/ocaptain/ships/x/home/.sh",
		"KEY is in " + home + "/voyages/voyage-2/secrets.json, which is open to others: -rw-r--r--",
		"KEY is in the environment of sh -c read x no-agents ",
	}
	s.finds(t, want)
	s.mu.Lock()
	s.found = nil // the finding is not a failure of this test
	s.mu.Unlock()
	s.files(true)
	if !slices.Contains(s.found, "KEY is still in "+home+"/voyages/voyage-1/secrets.json") {
		t.Errorf("what stays is not found: %s", s.found)
	}
	s.leave()
}

// finds waits until the scan has found exactly these.
func (s *scan) finds(t *testing.T, want []string) {
	t.Helper()
	var got []string
	eventually.Succeeds(t, "the scan has found as much", func() error {
		s.mu.Lock()
		got = slices.Clone(s.found)
		s.mu.Unlock()
		if len(got) < len(want) {
			return fmt.Errorf("it has found %q, want %q", got, want)
		}
		return nil
	})
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// leave ends the watch, and drops its findings, so that they do not fail the test.
func (s *scan) leave() {
	close(s.over)
	<-s.ended
}

// TestScanOfSprites checks that the scan sees processes in the sandbox of a sprite, which name no directory of this
// machine, and that it reports a sprite that it has not seen.
func TestScanOfSprites(t *testing.T) {
	const token, key = "gh-canary/with+odd chars", "agent-key-0123456789"
	f := spritestest.Start(t, spritestest.Options{Exe: program, Args: []string{"aboard", "sshd"}})
	home := t.TempDir()
	c := &captain{TB: t, home: home, program: "ocaptain", hub: fleet.Hub{State: filepath.Join(home, ".local", "share", "ocaptain")}}
	c.env = []string{"GH_TOKEN=" + token}
	s := newScan(c)
	defer s.leave()
	s.add(newSecret("KEY", key, true))
	s.also(f.Root)
	f.Add("voyage-1-ship0")
	n := 0
	for word, env := range map[string]string{
		"clean": "A=b", "argument of " + token: "A=b", "environment": "GH_TOKEN='" + token + "'",
		"agents": "OCAPTAIN_VOYAGE=voyage-1 OCAPTAIN_SHIP=ship-0 KEY=" + key,
		"sh":     "KEY=" + key, // the captain's own shell has that name too
	} {
		n++
		name := fmt.Sprintf("service-%d", n)
		// A shell does not show a variable that it exports; the program that it execs does.
		script := "mkfifo " + name + ".in\nexport " + env + "\nexec -a '" + word + "' sh <>" + name + ".in\n"
		if err := os.WriteFile(filepath.Join(f.Home("voyage-1-ship0"), name), []byte(script), 0o644); err != nil {
			t.Fatal(err)
		}
		f.Serve("voyage-1-ship0", name, "bash", name)
	}
	b := fleet.Board{Voyage: fleet.Voyage{ID: "voyage-1"}}
	for _, name := range []string{"ship-0", "ship-1", "idle"} {
		b.Ships = append(b.Ships, fleet.ShipView{Ship: fleet.Ship{Name: name}, Completed: len(name) - len("idle")})
	}
	eventually.Succeeds(t, "no process was looked at aboard ship-1 alone", func() error {
		if none := s.unseen(b); !slices.Equal(none, []string{"ship-1"}) {
			return fmt.Errorf("none was aboard %q", none)
		}
		return nil
	})
	s.finds(t, []string{
		"GH_TOKEN is in the command line argument of " + token + " ",
		"GH_TOKEN is in the environment of environment ",
		"KEY is in the environment of sh ",
	})
}
