package link_test

import (
	"os/exec"
	"strings"
	"testing"

	"ocaptain/fleet/link"
)

func runLocal(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).CombinedOutput()
	return string(out), err
}

func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "plain", "two words", "it's", "''", "$(id)", "`id`", "\\", "\n", "-n", "~root", "a=b", "é", "\x80\xff", "{a,b}", "[a]", "!!", "#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsRune(s, 0) {
			return
		}
		for _, shell := range []string{"sh", "bash"} {
			out, err := runLocal(shell, "-c", "printf %s "+link.Quote(s))
			if err != nil || out != s {
				t.Errorf("%s: got %q, want %q (%v)", shell, out, s, err)
			}
		}
	})
}
