package config

import (
	"os"
	"testing"
)

func TestWithhold(t *testing.T) {
	dir := write(t, map[string]string{"config.yaml": "agents:\n  mine:\n    command: [coder, \"{prompt}\"]\n    env: [CODER_KEY]\n"})
	for _, name := range []string{"GH_TOKEN", "CODER_KEY", "OCAPTAIN_AGENT"} {
		t.Setenv(name, "canary")
	}
	c, err := Load(Sources{Dir: dir, Environ: append(os.Environ(), "OCAPTAIN_AGENT=mine")})
	if err != nil {
		t.Fatal(err)
	}
	c.Withhold()
	for name, want := range map[string]string{"GH_TOKEN": "", "CODER_KEY": "", "OCAPTAIN_AGENT": "canary"} {
		if got := os.Getenv(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	for _, name := range []string{"GH_TOKEN", "CODER_KEY"} {
		if v, _ := c.Variable(name); v != "canary" {
			t.Errorf("the configuration has lost %s", name)
		}
	}
}
