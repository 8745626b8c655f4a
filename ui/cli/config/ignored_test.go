package config

import (
	"path/filepath"
	"strings"
	"testing"
)

// The .env of a directory that somebody else wrote cannot set where secrets go.
func TestIgnored(t *testing.T) {
	steers := []string{"ANTHROPIC_BASE_URL", "OCAPTAIN_SPRITES_ORG", "EXE_TOKEN", "OCAPTAIN_TAILSCALE_OAUTH_SECRET", "OCAPTAIN_TAILSCALE_URL", "SPRITES_API_URL", "SPRITES_TOKEN", "SPRITE_TOKEN"}
	alone := []string{"OCAPTAIN_EXEDEV_KEY", "OCAPTAIN_EXEDEV_URL"}
	var all strings.Builder
	for _, name := range append(append([]string{"GH_TOKEN"}, steers...), alone...) {
		all.WriteString(name + "=theirs\n")
	}
	dir, cwd := t.TempDir(), write(t, map[string]string{".env": all.String()})
	c, err := Load(Sources{Dir: dir, Cwd: cwd})
	if err != nil {
		t.Fatal(err)
	}
	told := ""
	for _, i := range c.Ignored() {
		told += i.String() + "; " + i.Advice() + "\n"
	}
	for _, name := range append(steers, alone...) {
		if v, from := c.Variable(name); v != "" || from != "" {
			t.Errorf("%s is %q from %s", name, v, from)
		}
		if !strings.Contains(told, name+" in "+filepath.Join(cwd, ".env")+" is ignored") {
			t.Errorf("nothing tells of %s:\n%s", name, told)
		}
	}
	if v, _ := c.Variable("GH_TOKEN"); v != "theirs" || strings.Contains(told, "GH_TOKEN") || strings.Contains(told, "theirs") {
		t.Errorf("GH_TOKEN %q, and told is\n%s", v, told)
	}
	// In the captain's own directory the same file counts, except for variables that helm reads from the environment;
	// also when that is the working directory.
	for _, standing := range []string{t.TempDir(), cwd} {
		c, err = Load(Sources{Dir: cwd, Cwd: standing})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range steers {
			if v, _ := c.Variable(name); v != "theirs" {
				t.Errorf("%s is %q", name, v)
			}
		}
		if len(c.Ignored()) != len(alone) {
			t.Errorf("ignored are %v", c.Ignored())
		}
	}
	// A variable that is set in the environment anyway is not reported.
	c, err = Load(Sources{Dir: dir, Cwd: cwd, Environ: []string{"EXE_TOKEN=mine"}})
	if v, _ := c.Variable("EXE_TOKEN"); err != nil || v != "mine" || len(c.Ignored()) != len(steers)+len(alone)-1 {
		t.Errorf("%q, %v, %v", v, c.Ignored(), err)
	}
}

// The .env of a repository sets neither what runs nor what that costs; it may set the look of the dashboard.
func TestRepositoryDecidesNothing(t *testing.T) {
	values := map[string]string{"OCAPTAIN_PROVIDER": "sprites", "OCAPTAIN_AGENT": "script", "OCAPTAIN_THEME": "light", "OCAPTAIN_BELL": "off"}
	for _, s := range Settings() {
		if s.Env != "" && values[s.Env] == "" {
			values[s.Env] = sampleValue(s)
		}
	}
	var all strings.Builder
	for name, value := range values {
		all.WriteString("export " + name + "=" + value + "\n")
	}
	c, err := Load(Sources{Dir: t.TempDir(), Cwd: write(t, map[string]string{".env": all.String()})})
	if err != nil {
		t.Fatal(err)
	}
	usual, _ := Load(Sources{Dir: t.TempDir()})
	for _, s := range Settings() {
		if from, want := c.SourceOf(s.Key), usual.SourceOf(s.Key); from != want && s.Key != "theme" && s.Key != "bell" {
			t.Errorf("%s comes from %q", s.Key, from)
		}
	}
	if c.Theme != "light" || c.Bell || c.Provider != usual.Provider || c.Ships != 0 || c.Agent != usual.Agent || len(c.Ignored()) != len(values)-2 {
		t.Errorf("%+v", c)
	}
}
