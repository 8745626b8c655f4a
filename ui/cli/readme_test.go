package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
)

// The README names every command, setting, variable and exit code there is.
func TestREADMEIsComplete(t *testing.T) {
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(raw)
	has := func(what string) {
		t.Helper()
		if !strings.Contains(readme, what) {
			t.Errorf("README.md does not tell of %s", what)
		}
	}
	b, _ := testBridge(t, 0)
	root := newRoot(b)
	for _, c := range root.Commands() {
		if c.Hidden || c.Name() == "help" || c.GroupID == groupMore {
			continue
		}
		row := regexp.MustCompile("`ocaptain " + c.Name() + "[ `].*").FindString(readme)
		if row == "" && c.Name() != "completion" {
			t.Errorf("README.md does not tell of %s", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			if !sub.Hidden && c.Name() != "completion" && !strings.Contains(row, sub.Name()) {
				t.Errorf("README.md does not tell of %s", sub.CommandPath())
			}
		}
	}
	row := regexp.MustCompile("(?m)^.*`OCAPTAIN_PROVIDER`.*$").FindString(readme)
	for _, name := range launch.Providers() {
		if !strings.Contains(row, "`"+name+"`") {
			t.Errorf("README.md does not name %s in the row of provider: %s", name, row)
		}
	}
	for _, s := range config.Settings() {
		has("`" + s.Key + "`")
		has("`" + s.Env + "`")
	}
	for _, v := range config.Variables() {
		has("`" + v.Name + "`")
	}
	for line := range strings.SplitSeq(exitHelp, "\n") {
		if code, text, ok := strings.Cut(strings.TrimSpace(line), "  "); ok {
			has("| " + code + " | " + text + " |")
		}
	}
}

// Every command that runs says what it is for, and belongs to a group when it is at the top.
func TestCommandsAreDescribed(t *testing.T) {
	b, _ := testBridge(t, 0)
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if sub.Short == "" || strings.HasSuffix(sub.Short, ".") {
				t.Errorf("%s: short description %q", sub.CommandPath(), sub.Short)
			}
			if c == c.Root() && !sub.Hidden && sub.GroupID == "" && sub.Name() != "help" && sub.Name() != "completion" {
				t.Errorf("%s is in no group", sub.CommandPath())
			}
			walk(sub)
		}
	}
	walk(newRoot(b))
}
