package config

import (
	"strings"
	"testing"
	"time"
)

func TestPools(t *testing.T) {
	dir := write(t, map[string]string{"config.yaml": "pools:\n  kite:\n    repo: owner/kite\n    max: 7\n    provider: hosts\n    agent: codex\n    model: small\n    base: next\n  sea:\n    repo: ./sea\n"})
	c, err := Load(Sources{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := c.FindPool("kite"); !ok || p != (Pool{"owner/kite", "next", 7, "hosts", "codex", "small"}) {
		t.Errorf("kite is %+v", p)
	}
	if p, ok := c.FindPool("sea"); !ok || p != (Pool{Repo: "./sea"}) {
		t.Errorf("sea is %+v", p)
	}
	if _, ok := c.FindPool("owner/kite"); ok {
		t.Error("a repository is a name")
	}
}

func TestPoolCheck(t *testing.T) {
	for yaml, want := range map[string]time.Duration{
		"":                                   30 * time.Minute,
		"pools:\n  check: 1h\n":              time.Hour,
		"pools:\n  check: 0\n":               0,
		"pools:\n  check: {repo: a/check}\n": 30 * time.Minute, // a pool of that name
	} {
		c, err := Load(Sources{Dir: write(t, map[string]string{"config.yaml": yaml})})
		if err != nil || c.PoolCheck != want {
			t.Errorf("%q: %s, %v", yaml, c.PoolCheck, err)
		}
	}
}

func TestPoolErrors(t *testing.T) {
	for yaml, want := range map[string]string{
		"pools:\n  check: often\n":                                 "config.yaml:2: pools.check is often; it must be a duration of a minute or more",
		"pools:\n  check: 1s\n":                                    "pools.check is 1s",
		"pools: kite\n":                                            "config.yaml:1: pools must hold the names of pools",
		"pools:\n  kite: 3\n":                                      "config.yaml:2: pools.kite must hold lines like: repo: owner/kite",
		"pools:\n  kite:\n    max: 3\n":                            "config.yaml:2: pools.kite has no repo",
		"pools:\n  kite:\n    repo: a/b\n    size: 3\n":            "config.yaml:4: a pool has no size; there are: repo, base, max",
		"pools:\n  kite:\n    repo: a/b\n    max: 0\n":             "config.yaml:4: pools.kite.max must be a whole number from 1 to",
		"pools:\n  kite:\n    repo: a/b\n    max: many\n":          "config.yaml:4: pools.kite.max must be a whole number",
		"pools:\n  kite:\n    repo: [a]\n":                         "config.yaml:3: pools.kite.repo must be a text",
		"pools:\n  kite:\n    repo: \"\"\n":                        "config.yaml:3: pools.kite.repo is empty",
		"pools:\n  kite:\n    repo: a/b\n    repo: a/c\n":          "config.yaml:4: pools.kite.repo is there twice; remove one",
		"pools:\n  kite:\n    repo: a/b\n  kite:\n    repo: a/c\n": "config.yaml:4: pools.kite is there twice; remove one",
	} {
		_, err := Load(Sources{Dir: write(t, map[string]string{"config.yaml": yaml})})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", yaml, err)
		}
	}
}
