package pullrequest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/clean/cleantest"
	"ocaptain/fleet/dispatch"
)

// gh gets the token in the environment and the text on standard input; the agent's text is cleaned.
func TestPullRequest(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nprintf '%s\\n' \"$@\" >" + dir + "/argv\ncat >" + dir + "/text\necho \"$GH_TOKEN\" >" + dir + "/token\necho https://github.com/owner/kite/pull/7\n"
	if err := os.WriteFile(filepath.Join(dir, "gh"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	r := &dispatch.Result{Task: "7", Command: "fix \"it\"\nand $that", From: "next", Branch: "dispatch/kite-2-7", Said: "done" + cleantest.Hostile}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	open := func() (string, error) {
		return OfDispatch(r).Open(t.Context(), "owner/kite", "ghp_SECRET", dir, os.Environ())
	}
	address, err := open()
	if err != nil || address != "https://github.com/owner/kite/pull/7" {
		t.Fatalf("%q, %v", address, err)
	}
	if got := read("argv"); got != "pr\ncreate\n--repo\nowner/kite\n--head\ndispatch/kite-2-7\n--title=fix \"it\"…\n--body-file\n-\n--base=next\n" {
		t.Errorf("gh was asked %q", got)
	}
	text := read("text")
	cleantest.Check(t, "text", text, cleantest.Texts)
	if !strings.HasPrefix(text, "fix \"it\"\nand $that\n\n---\n\ndone") || read("token") != "ghp_SECRET\n" {
		t.Errorf("it says %q", text)
	}
	if err := os.WriteFile(filepath.Join(dir, "gh"), []byte("#!/bin/sh\necho no such branch >&2; exit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := open(); err == nil || !strings.Contains(err.Error(), "no such branch") {
		t.Errorf("got %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := open(); err == nil || !strings.Contains(err.Error(), "gh pr create --repo owner/kite") {
		t.Errorf("without gh: %v", err)
	}
}
