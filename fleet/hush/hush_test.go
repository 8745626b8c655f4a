package hush_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"ocaptain/fleet/hush"
)

func TestRetold(t *testing.T) {
	err := fmt.Errorf("key 0123456789 \x1b[2J: %w", io.EOF)
	got := hush.Know("0123456789", "key").HideIn(err)
	if got.Error() != "key [secret] \x1b[2J: EOF" || !errors.Is(got, io.EOF) || errors.Unwrap(got) != nil {
		t.Errorf("%v", got)
	}
	if same := hush.Retold(err, err.Error()); same != err { //nolint:errorlint // the very same
		t.Errorf("%v", same)
	}
}

func TestHide(t *testing.T) {
	const key = "-----BEGIN KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\nshort\nBG5vbmUAAAAEbm9uZQAAAAAA\n-----END KEY-----\n"
	secrets := hush.Know(key, "token-1", "token-1234", `a "b" <c>`, "short")
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
		if got := secrets.Hide(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	var none *hush.Secrets
	if got := none.Hide("token-1"); got != "token-1" || none.HideIn(nil) != nil || new(hush.Secrets).Hide("x") != "x" {
		t.Errorf("got %q", got)
	}
}
