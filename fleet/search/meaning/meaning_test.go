package meaning_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/search/meaning"
	"ocaptain/fleet/search/meaning/meaningtest"
	"ocaptain/tasks/eventually"
)

func client(t *testing.T, service, key, address string) *meaning.Client {
	t.Helper()
	s, ok := meaning.ServiceOf(service)
	if !ok {
		t.Fatalf("no service %s", service)
	}
	c, err := meaning.NewClient(s, key, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func vector(t *testing.T, text string) meaning.Vector {
	t.Helper()
	v, err := meaning.NewVector(meaningtest.Vector(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestVector(t *testing.T) {
	v, same, other := vector(t, "erase the file"), vector(t, "delete the file"), vector(t, "a quick brown fox")
	if a, b := v.Similarity(&same), v.Similarity(&other); a < 0.99 || a > 1.001 || b > 0.5 {
		t.Errorf("similar: %v, other: %v", a, b)
	}
	raw, err := v.MarshalBinary()
	var again meaning.Vector
	if err := errors.Join(err, again.UnmarshalBinary(raw)); err != nil || again != v {
		t.Errorf("written and read it is another: %v", err)
	}
	for _, bad := range [][]byte{nil, raw[1:], make([]byte, meaning.Size)} {
		if again.UnmarshalBinary(bad) == nil {
			t.Errorf("%d bytes are a vector", len(bad))
		}
	}
	if _, err := meaning.NewVector(make([]float32, meaning.Size)); err == nil {
		t.Error("nothing has a direction")
	}
}

func status(code int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, text, code) }
}

func answers(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
}

func TestService(t *testing.T) {
	for _, service := range []string{"openai", "voyage"} {
		fake := meaningtest.New(t)
		c := client(t, service, meaningtest.Key, fake.URL)
		fake.Fail(status(429, "slow down"), status(503, ""), func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		all, tokens, err := c.Vectors(t.Context(), []string{"erase", "a fox"}, false)
		if err != nil || tokens < 2 || all[0] != vector(t, "delete") || all[1] != vector(t, "a fox") {
			t.Errorf("%s: %d tokens, %v", service, tokens, err)
		}
		if calls, _ := fake.Asked(); calls != 4 {
			t.Errorf("%s: %d calls", service, calls)
		}
	}
}

func TestServiceFails(t *testing.T) {
	fake := meaningtest.New(t)
	for _, tt := range []struct {
		by   http.HandlerFunc
		want string
	}{
		{status(400, "input is too long"), "400 Bad Request: input is too long"},
		{answers("{"), "its answer"},
		{answers(`{"data":[]}`), "0 vectors of 1"},
		{answers(`{"data":[{"index":1,"embedding":[1]}]}`), "text 1 of 1"},
		{answers(`{"data":[{"index":0,"embedding":[1,2]}]}`), "another size"},
		{answers(`{"data":[{"index":0,"embedding":[` + strings.TrimSuffix(strings.Repeat("0,", meaning.Size), ",") + `]}]}`), "without a direction"},
		{func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		}, "302 Found"},
	} {
		fake.Fail(tt.by)
		if _, _, err := client(t, "openai", meaningtest.Key, fake.URL).Vectors(t.Context(), []string{"a"}, false); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
	_, _, err := client(t, "openai", "sk-another", fake.URL).Vectors(t.Context(), []string{"a"}, false)
	if !errors.Is(err, meaning.ErrKey) || strings.Contains(err.Error(), "sk-another") {
		t.Errorf("another key: %v", err)
	}
}

// The key is sent only over TLS, or to this machine.
func TestAddress(t *testing.T) {
	s, _ := meaning.ServiceOf("openai")
	for address, ok := range map[string]bool{
		"": true, "https://example.com/v1": true, "http://127.0.0.1:1/v1": true, "http://[::1]:1": true, "http://localhost:11434/v1": true,
		"http://example.com": false, "http://10.0.0.1": false, "https://user:pass@example.com": false, "ftp://127.0.0.1": false, "example.com": false,
	} {
		if _, err := meaning.NewClient(s, "k", address); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// A text that any Maker has had before costs nothing. Vectors of another model are not used.
func TestMaker(t *testing.T) {
	fake := meaningtest.New(t)
	dir := filepath.Join(t.TempDir(), "cache")
	m := meaning.NewMaker(client(t, "openai", meaningtest.Key, fake.URL), dir)
	makes := func(m *meaning.Maker, cost bool, texts ...string) {
		t.Helper()
		all, tokens, err := m.Vectors(t.Context(), texts, false)
		if err != nil || (tokens > 0) != cost {
			t.Fatalf("%q cost %d tokens: %v", texts, tokens, err)
		}
		for i, text := range texts {
			if all[i] != vector(t, text) {
				t.Errorf("%q has the vector of another", text)
			}
		}
	}
	makes(m, true, "one", "two")
	makes(m, true, "two", "three", "one")
	if _, texts := fake.Asked(); !slices.Equal(texts, []string{"one", "two", "three"}) {
		t.Errorf("asked for %q", texts)
	}
	makes(meaning.NewMaker(client(t, "openai", meaningtest.Key, fake.URL), dir), false, "three", "one")
	makes(meaning.NewMaker(client(t, "voyage", meaningtest.Key, fake.URL), dir), true, "one")
	if _, tokens, err := m.Vectors(t.Context(), []string{"one"}, true); err != nil || tokens == 0 {
		t.Errorf("a question is asked: %d tokens, %v", tokens, err)
	}

	file := filepath.Join(dir, "vectors.db")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, damage := range [][]byte{raw[:100], []byte("half"), append(make([]byte, 8<<10), raw[8<<10:]...)} {
		if err := os.WriteFile(file, damage, 0o600); err != nil {
			t.Fatal(err)
		}
		eventually.Holds(t, "it begins again", func() bool {
			_, _, err := m.Vectors(t.Context(), []string{"one", "four"}, false)
			return err == nil
		})
		makes(m, false, "four", "one")
	}
}
