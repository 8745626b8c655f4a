package logins

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/search/meaning/meaningtest"
	"ocaptain/fleet/tokens"
	"ocaptain/ui/cli/config"
)

// Code is sent only to the service in the captain's own configuration, with the captain's own key.
func TestEmbeddings(t *testing.T) {
	const openai, voyage = "embeddings: openai\n", "embeddings: voyage\n"
	for _, c := range []struct {
		name, yaml, env, own, cwd string // cwd is the .env of the working directory
		kept                      tokens.Token
		service                   string
		want                      tokens.Token
		problem                   string
	}{
		{name: "off", env: "OPENAI_API_KEY=sk-mine"},
		{name: "off in words", yaml: "embeddings: off\n", env: "OPENAI_API_KEY=sk-mine"},
		{name: "environment", yaml: openai, env: "OPENAI_API_KEY=sk-mine", service: "openai", want: tokens.Token{Secret: "sk-mine"}},
		{name: "own file", yaml: voyage, own: "VOYAGE_API_KEY=pa-mine\nVOYAGE_BASE_URL=https://example.com/v1\n", service: "voyage", want: tokens.Token{Secret: "pa-mine", URL: "https://example.com/v1"}},
		{name: "kept", yaml: openai, kept: tokens.Token{Secret: "sk-kept"}, service: "openai", want: tokens.Token{Secret: "sk-kept"}},
		{name: "led away", yaml: openai, env: "OPENAI_API_KEY=sk-mine", cwd: "OPENAI_BASE_URL=https://example.org\n", service: "openai", want: tokens.Token{Secret: "sk-mine"}},
		{name: "somebody's account", yaml: openai, cwd: "OPENAI_API_KEY=sk-theirs\n", kept: tokens.Token{Secret: "sk-kept"}, service: "openai", want: tokens.Token{Secret: "sk-kept"}},
		{name: "somebody's voyage", yaml: voyage, cwd: "VOYAGE_API_KEY=pa-theirs\n", service: "voyage", problem: "VOYAGE_API_KEY is not set"},
		{name: "no key", yaml: openai, service: "openai", problem: "OPENAI_API_KEY is not set"},
		{name: "in the clear", yaml: openai, own: "OPENAI_API_KEY=sk-mine\nOPENAI_BASE_URL=http://example.com\n", service: "openai", problem: "in the clear"},
	} {
		t.Run(c.name, func(t *testing.T) {
			hub := fleet.Hub{State: t.TempDir(), Config: t.TempDir()}
			cwd := t.TempDir()
			for name, content := range map[string]string{
				filepath.Join(cwd, ".env"): c.cwd, filepath.Join(hub.Config, ".env"): c.own, filepath.Join(hub.Config, "config.yaml"): c.yaml,
			} {
				if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if c.kept.Secret != "" {
				if err := tokens.StoreOf(hub).KeepToken(c.service, c.kept); err != nil {
					t.Fatal(err)
				}
			}
			cfg, err := config.Load(config.Sources{Dir: hub.Config, Cwd: cwd, Environ: []string{c.env}})
			if err != nil {
				t.Fatal(err)
			}
			s, own, _, p := Embeddings(hub, cfg)
			if s.Name != c.service || (p != nil) != (c.problem != "") || p != nil && !strings.Contains(p.Error(), c.problem) {
				t.Fatalf("%q, %v", s.Name, p)
			}
			if p != nil && strings.Contains(p.Error()+p.Hint, "-mine") {
				t.Errorf("the key is told: %v", p)
			}
			if p == nil && own != c.want {
				t.Errorf("%s at %q, from %s", own.Secret, own.URL, c.want.Secret)
			}
		})
	}
}

// The captain's own searches get their vectors from the configured service.
func TestMeaningMaker(t *testing.T) {
	fake := meaningtest.New(t)
	hub := fleet.Hub{State: t.TempDir(), Config: t.TempDir(), Cache: t.TempDir()}
	if err := os.WriteFile(hub.ConfigFile(), []byte("embeddings: openai\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(config.Sources{Dir: hub.Config, Environ: []string{"OPENAI_API_KEY=" + meaningtest.Key, "OPENAI_BASE_URL=" + fake.URL}})
	if err != nil {
		t.Fatal(err)
	}
	m, end, p := MeaningMaker(hub, cfg)
	if p != nil || m == nil {
		t.Fatal(p)
	}
	defer end()
	if all, n, err := m.Vectors(t.Context(), []string{"erase"}, false); err != nil || n == 0 || len(all) != 1 {
		t.Errorf("%d vectors, %d tokens: %v", len(all), n, err)
	}
}
