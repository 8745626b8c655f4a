package hush_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/hush"
)

func TestRetold(t *testing.T) {
	err := fmt.Errorf("key 0123456789 \x1b[2J: %w", io.EOF)
	got := hush.NewSecrets("0123456789", "key").HideIn(err)
	if got.Error() != "key [secret] \x1b[2J: EOF" || !errors.Is(got, io.EOF) || errors.Unwrap(got) != nil {
		t.Errorf("%v", got)
	}
}

func TestHide(t *testing.T) {
	const key = "-----BEGIN KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\nshort\nBG5vbmUAAAAEbm9uZQAAAAAA\n-----END KEY-----\n"
	secrets := hush.NewSecrets(key, "token-1", "token-1234", `a "b" <c>`, "short")
	for in, want := range map[string]string{
		"nothing":                       "nothing",
		"it is token-1234.":             "it is [secret].",
		"it is token-1, and short":      "it is [secret], and short",
		`a "b" <c>`:                     "[secret]",
		`{"k":"a \"b\" <c>"}`:           `{"k":"[secret]"}`,
		`{"k":"a \"b\" \u003cc\u003e"}`: `{"k":"[secret]"}`,
		"key: " + key:                   "key: [secret]",
		`"` + strings.ReplaceAll(key, "\n", `\n`) + `"`:                `"[secret]"`,
		"1 -----BEGIN KEY-----\n2 b3BlbnNzaC1rZXktdjEAAAAA\n3 short\n": "1 -----BEGIN KEY-----\n2 [secret]\n3 short\n",
	} {
		if got := secrets.HideText(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	var none *hush.Secrets
	if got := none.HideText("token-1"); got != "token-1" || none.HideIn(nil) != nil || new(hush.Secrets).HideText("x") != "x" {
		t.Errorf("got %q", got)
	}
}

// A secret is also hidden if escape sequences split it, since a terminal would show it whole.
func TestHideInColours(t *testing.T) {
	s := hush.NewSecrets("s3cretword")
	for _, text := range []string{"a s3cretword b", "a s3\x1b[31mcret\x1b[0mword b", "a s3\u200bcretword b", "a s3\x07cret\x1b]0;x\x07word b", strings.Repeat("x\u202e", 20<<10) + " s3\u009b1mcretword b"} {
		if got := s.HideText(text); strings.Contains(clean.Whole(got), "s3cretword") || !strings.HasSuffix(got, hush.Word+" b") {
			t.Errorf("%.100q: %.100q", text, got)
		}
	}
	if text := "a \x1b[31mred\x1b[0m s3cre"; s.HideText(text) != text {
		t.Errorf("%q", s.HideText(text))
	}
}
