package helm

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/hush"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/search/meaning"
	"ocaptain/fleet/search/meaning/meaningtest"
	"ocaptain/fleet/tokens"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestVectors has a ship find code by what it means, with a key that it does not get, until what that may cost is spent.
func TestVectors(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	fake := meaningtest.New(t)
	if err := tokens.StoreOf(hub).KeepToken("openai", tokens.Token{Secret: meaningtest.Key, URL: fake.URL}); err != nil {
		t.Fatal(err)
	}
	const limit = 2000
	d := newVoyage(t, hub, fleet.Voyage{Search: true, Embeddings: fleet.Embeddings{Service: "openai", Tokens: limit}}, "#!/bin/sh\n",
		task("1", `printf 'package a\n\n// Erase does it.\nfunc Erase(name string) {\n\terase(name)\n}\n' >a.go; ocaptain search delete >~/found 2>&1; env >~/env`))
	h := startHelm(t, hub)
	v := openIt(t, h, d)
	if err := v.provisionFirst(context.Background(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "its task is completed", func() bool { return v.store.Snapshot().Task("1").Status == tasks.Completed })
	s := reads(v, func() *ship { return v.ships["ship-0"] })
	home := reads(v, func() string { return v.fleet.Ships[0].Home })
	found, err := os.ReadFile(filepath.Join(home, "found"))
	if err != nil || !strings.Contains(string(found), "a.go:3-6  Erase") {
		t.Errorf("the ship found %q: %v", found, err)
	}
	env, err := os.ReadFile(filepath.Join(home, "env"))
	if err != nil || strings.Contains(string(env), meaningtest.Key) {
		t.Errorf("the ship has the key: %v", err)
	}

	ask := func(texts ...string) error {
		_, err := s.makeVectors(t.Context(), proto.MeaningRequest{Texts: texts})
		return err
	}
	for _, bad := range [][]string{nil, {""}, {strings.Repeat("x", meaning.MaxText+1)}, make([]string, meaning.MaxTexts+1)} {
		if ask(bad...) == nil {
			t.Errorf("vectors of %d texts", len(bad))
		}
	}
	secret := "sk-agent-secret-000000000000"
	v.secrets.Store(hush.NewSecrets(secret))
	if err := ask("the key is " + secret); err != nil {
		t.Fatal(err)
	}
	calls, texts := fake.Asked()
	if strings.Contains(strings.Join(texts, " "), secret) {
		t.Errorf("a secret was sent: %q", texts)
	}
	for i := range 3 {
		err = ask(strings.Repeat("word ", meaning.MaxText/6) + strings.Repeat("x", i))
	}
	if err == nil || !strings.Contains(err.Error(), "2000 tokens that this voyage may cost at openai are spent") {
		t.Errorf("past the limit: %v", err)
	}
	if again, _ := fake.Asked(); again != calls+2 {
		t.Errorf("%d calls were made past the limit", again-calls-2)
	}

	h.close() // what was spent stays so
	h = startHelm(t, hub)
	v = openIt(t, h, d)
	if n, err := v.vectors.tokens(d); err != nil || n < limit {
		t.Errorf("the next helm knows of %d tokens: %v", n, err)
	}
}
