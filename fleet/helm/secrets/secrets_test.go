package secrets

import (
	"errors"
	"os"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kept"
)

func open(t *testing.T, d fleet.Dir) *Keeper {
	t.Helper()
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		t.Fatal(err)
	}
	return New(d, &kept.Files{})
}

// TestRedact checks that secrets of agents are removed from texts, and other values stay.
func TestRedact(t *testing.T) {
	k := open(t, fleet.Dir(t.TempDir()))
	if got := k.Redact("nothing is known yet"); got != "nothing is known yet" {
		t.Errorf("got %q", got)
	}
	if err := k.Keep(Given{Secrets: map[string]string{"KEY": `quoted "key" of 20`, "WORD": "word"}}); err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		`a quoted "key" of 20, and a word`: "a [secret], and a word",
		"nothing":                          "nothing",
	} {
		if got := k.Redact(in); got != want {
			t.Errorf("%q becomes %q", in, got)
		}
	}
	if err := errors.New("plain"); !errors.Is(k.RedactError(err), err) {
		t.Error("an error without secrets is another one now")
	}
	if err := k.RedactError(errors.New(`npm: quoted "key" of 20 is refused`)); strings.Contains(err.Error(), "quoted") {
		t.Error(err)
	}
}

// TestRestore restarts helm while the file is missing, damaged or intact.
func TestRestore(t *testing.T) {
	for name, damage := range map[string]func(d fleet.Dir) error{
		"there":   func(fleet.Dir) error { return nil },
		"gone":    func(d fleet.Dir) error { return os.Remove(d.Secrets()) },
		"damaged": func(d fleet.Dir) error { return os.WriteFile(d.Secrets(), []byte("{"), 0o600) },
	} {
		d := fleet.Dir(t.TempDir())
		if err := open(t, d).Keep(Given{Secrets: map[string]string{"KEY": "a key of twenty bytes"}}); err != nil {
			t.Fatal(err)
		}
		if err := damage(d); err != nil {
			t.Fatal(err)
		}
		k, lost := open(t, d), 0
		if err := k.Restore(func(error) { lost++ }); err != nil || (lost > 0) != (name != "there") {
			t.Errorf("%s: %v, and %d were lost", name, err, lost)
		}
		if text := k.Redact("a key of twenty bytes"); strings.Contains(text, "twenty") {
			t.Errorf("%s: it knows no secret: %q", name, text)
		}
		if s, err := open(t, d).Load(); err != nil || s.Secrets["KEY"] == "" {
			t.Errorf("%s: the file has %+v, %v", name, s, err)
		}
		if err := Remove(d); err != nil {
			t.Fatal(err)
		}
		if err := open(t, d).Restore(func(error) {}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: after it was removed: %v", name, err)
		}
	}
}
