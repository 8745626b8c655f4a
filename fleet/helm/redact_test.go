package helm

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ocaptain/fleet/aboard/wire"
)

// TestRedact takes what agents must keep to themselves out of all that ships say, also as JSON
// writes it, and leaves what is no key.
func TestRedact(t *testing.T) {
	t.Parallel()
	v := &voyage{}
	if got := v.redact("nothing is known yet"); got != "nothing is known yet" {
		t.Errorf("got %q", got)
	}
	v.learnSecrets(secrets{Secrets: map[string]string{"KEY": `quoted "key" of 20`, "WORD": "word"}})
	for in, want := range map[string]string{
		`a quoted "key" of 20, and a word`: "a [secret], and a word",
		"nothing":                          "nothing",
	} {
		if got := v.redact(in); got != want {
			t.Errorf("%q becomes %q", in, got)
		}
	}
	if err := errors.New("plain"); !errors.Is(v.redactError(err), err) {
		t.Error("an error without secrets is another one now")
	}
	type said struct{ Text string }
	var heard said
	handlers := v.redacted(wire.Handlers{"say": wire.Handle(func(_ context.Context, s said) (any, error) {
		heard = s
		return nil, nil
	})})
	raw, _ := json.Marshal(said{`my key is quoted "key" of 20.`})
	if _, err := handlers["say"](t.Context(), raw); err != nil || heard.Text != "my key is [secret]." {
		t.Errorf("heard %q, %v", heard.Text, err)
	}
	if _, err := handlers["say"](t.Context(), nil); err != nil {
		t.Error(err)
	}
	if err := v.redactError(errors.New(`npm: quoted "key" of 20 is refused`)); strings.Contains(err.Error(), "quoted") {
		t.Error(err)
	}
}
