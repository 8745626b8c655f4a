package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/fleet/tokens"
)

// newSprites starts a fake sprites.dev, and a captain with an account there.
func newSprites(t *testing.T, o spritestest.Options, more ...string) (*spritestest.Fake, *captain) {
	t.Helper()
	o.Exe, o.Args = program, []string{"aboard", "sshd"}
	f := spritestest.Start(t, o)
	env := append(canaries("SPRITES_TOKEN", "SPRITE_TOKEN"), "OCAPTAIN_PROVIDER=sprites", "SPRITES_API_URL="+f.URL, "SPRITES_TOKEN="+f.Token())
	c := newCaptain(t, append(env, more...)...)
	c.scan.agentsGet()
	c.scan.also(f.Root)
	t.Cleanup(func() { // runs before the captain's own cleanup
		c.scan.files(false)
		c.scan.text("an address that sprites.dev was asked for", []byte(strings.Join(f.Requests(), "\n")))
		c.scan.text("a header that sprites.dev was sent", []byte(strings.Join(f.Headers(), "\n")))
		if out, code := c.try("sink", "--all", "-f"); code != 0 {
			t.Errorf("sink: %s", out)
		}
		if left := f.Names(); len(left) > 0 {
			t.Errorf("sprites left: %s", left)
		}
	})
	return f, c
}

// misbehave has sprites.dev do each of these misdeeds once, one after the other, to the next requests of a kind.
func misbehave(f *spritestest.Fake, method, path string, misdeeds ...spritestest.Misdeed) {
	for _, m := range misdeeds {
		f.Plan(spritestest.Fault{Method: method, Path: "/v1/sprites" + path, Times: 1, Misdeed: m})
	}
}

// TestSprites sails a voyage on sprites.dev, which misbehaves in all known ways. Helm is stopped, and meanwhile sprites are
// paused and lose their processes; another captain's sprite is left alone; the token appears nowhere.
func TestSprites(t *testing.T) {
	t.Parallel()
	f, c := newSprites(t, spritestest.Options{Latency: 5 * time.Millisecond, CreatesPerMinute: 10})
	f.Add("of-somebody-else", "team:blue")
	t.Cleanup(func() { f.Remove("of-somebody-else") })
	misbehave(f, "POST", "", spritestest.TooMany, spritestest.Drop, spritestest.Break)
	misbehave(f, "GET", "/*", spritestest.Drop, spritestest.Refuse)
	misbehave(f, "GET", "/*/exec", spritestest.Drop, spritestest.NoExit, spritestest.TooMany, spritestest.EarlyExit, spritestest.FastPath)
	misbehave(f, "PUT", "/*/fs/write", spritestest.TooMany, spritestest.Break)
	misbehave(f, "POST", "/*/fs/rename", spritestest.LoseAnswer)
	misbehave(f, "PUT", "/*/services/*", spritestest.LoseAnswer)
	misbehave(f, "GET", "/*/proxy", spritestest.Drop, spritestest.Refuse, spritestest.TooMany)
	jobs := smallPlan(5, 2, moored+"; sleep 0.5")
	d := c.sail(c.plan("far", "", smallVerify(10), jobs), "-n", "2", "--agent", "script")
	if left := f.Left(); left > 0 {
		t.Errorf("%d misdeeds have not happened while the ships were made", left)
	}
	c.rounds(d, func() (all []int) {
		for _, name := range f.Names() {
			all = append(all, f.Processes(name)...)
		}
		return all
	})
	names := slices.DeleteFunc(f.Names(), func(name string) bool { return !strings.HasPrefix(name, d.ID()) })
	if len(names) != 2 {
		t.Fatalf("sprites: %s", f.Names())
	}
	if got := f.Tasks(names[0]); !slices.Contains(got, "ocaptain-agent") {
		t.Errorf("an agent works, and only %v keeps its sprite awake", got)
	}
	f.Pause(names[1]) // helm is connected, and connects again
	c.until(d, "work goes on", func(b fleet.Board) bool { _, _, n := b.CountTasks(); return n > 3 })
	c.ocaptain("helm", "stop")
	f.Pause(names[0])
	f.Chill(names[1])
	if a, b := f.Status(names[0]), f.Status(names[1]); a != "warm" || b != "cold" {
		t.Fatalf("now they are %s and %s", a, b)
	}
	misbehave(f, "GET", "/*/proxy", spritestest.TooMany, spritestest.Drop, spritestest.Refuse)
	misbehave(f, "GET", "/*", spritestest.Refuse)
	c.ocaptain("status", d.ID()) // starts helm, which wakes the sprites
	checkVoyage(t, c, d, c.complete(d), jobs)

	token := f.Token()
	secret := token[strings.LastIndex(token, "/")+1:]
	for _, r := range f.Requests() {
		if strings.Contains(r, secret) {
			t.Errorf("the token is in an address: %s", r)
		}
	}
	c.secretOnlyIn(secret, tokens.StoreOf(c.hub).File("sprites"))
	misbehave(f, "DELETE", "/*", spritestest.LoseAnswer, spritestest.TooMany, spritestest.Break)
	c.ocaptain("sink", d.ID(), "-f")
	if left := f.Names(); len(left) != 1 {
		t.Errorf("after sink there are %s", left)
	}
	if left := f.Left(); left > 0 {
		t.Errorf("%d misdeeds have not happened afterwards", left)
	}
}

// secretOnlyIn checks that of the captain's files and all command lines, only this file has a secret.
func (c *captain) secretOnlyIn(secret, file string) {
	c.Helper()
	_ = filepath.WalkDir(c.home, func(path string, e os.DirEntry, _ error) error {
		if e != nil && e.Type().IsRegular() && path != file {
			if raw, err := os.ReadFile(path); err == nil && bytes.Contains(raw, []byte(secret)) {
				c.Errorf("the secret is in %s", path)
			}
		}
		return nil
	})
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range all {
		if raw, err := os.ReadFile(name); err == nil && bytes.Contains(raw, []byte(secret)) {
			c.Errorf("the secret is in a command line: %q", raw)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		c.Errorf("%s: %v, %v", file, info, err)
	}
}
