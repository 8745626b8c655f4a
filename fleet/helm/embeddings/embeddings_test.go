package embeddings

import (
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/hush"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/search/meaning"
	"ocaptain/fleet/search/meaning/meaningtest"
	"ocaptain/fleet/tokens"
)

// TestMake makes vectors until the limit is reached. The next helm knows the count.
func TestMake(t *testing.T) {
	dir := t.TempDir()
	hub := fleet.Hub{Config: filepath.Join(dir, "config"), Cache: filepath.Join(dir, "cache"), State: filepath.Join(dir, "state"), Voyages: filepath.Join(dir, "voyages"), Runtime: filepath.Join(dir, "run")}
	if err := hub.Make(); err != nil {
		t.Fatal(err)
	}
	fake := meaningtest.New(t)
	if err := tokens.StoreOf(hub).KeepToken("openai", tokens.Token{Secret: meaningtest.Key, URL: fake.URL}); err != nil {
		t.Fatal(err)
	}
	const limit, secret = 2000, "sk-agent-secret-000000000000"
	var told []string
	open := func() *Maker {
		order := fleet.Embeddings{Service: "openai", Tokens: limit}
		return New(hub, fleet.Dir(dir), order, hush.NewSecrets(secret).HideText, func(text string) { told = append(told, text) })
	}
	m := open()
	ask := func(texts ...string) error {
		_, err := m.Make(t.Context(), proto.MeaningRequest{Texts: texts})
		return err
	}
	for _, bad := range [][]string{nil, {""}, {strings.Repeat("x", meaning.MaxText+1)}, make([]string, meaning.MaxTexts+1)} {
		if ask(bad...) == nil {
			t.Errorf("vectors of %d texts", len(bad))
		}
	}
	if err := ask("the key is " + secret); err != nil {
		t.Fatal(err)
	}
	calls, texts := fake.Asked()
	if strings.Contains(strings.Join(texts, " "), secret) {
		t.Errorf("a secret was sent: %q", texts)
	}
	var err error
	for i := range 3 {
		err = ask(strings.Repeat("word ", meaning.MaxText/6) + strings.Repeat("x", i))
	}
	if err == nil || !strings.Contains(err.Error(), "2000 tokens that this voyage may cost at openai are spent") || len(told) != 1 {
		t.Errorf("past the limit: %v, and the captain was told %q", err, told)
	}
	if again, _ := fake.Asked(); again != calls+2 {
		t.Errorf("%d calls were made past the limit", again-calls-2)
	}
	if n, err := open().tokens(); err != nil || n < limit {
		t.Errorf("the next helm knows of %d tokens: %v", n, err)
	}
	m.order = fleet.Embeddings{}
	if ask("text") == nil {
		t.Error("vectors without a service")
	}
}
