package cli

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/packages"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
)

// The README fits on a few screens, names every provider, agent and page of help, and says which version of Claude Code is tested.
func TestREADME(t *testing.T) {
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) > 5<<10 {
		t.Errorf("README.md has %d bytes: what is more than 5 KB belongs into a page of help", len(raw))
	}
	files, err := fs.Glob(pages, "help/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, launch.Providers()...) {
		name = strings.TrimSuffix(path.Base(name), ".md")
		if !strings.Contains(string(raw), "`"+name+"`") {
			t.Errorf("README.md does not name `%s`: add it to its section Read on", name)
		}
	}
	for _, name := range agent.Names() {
		if a, _ := agent.Lookup(name); a.Packaged && !regexp.MustCompile(`(?i)\b`+name+`\b`).Match(raw) {
			t.Errorf("README.md does not name the agent %s: add it to the line of `agents` in its section Read on", name)
		}
	}
	if told := regexp.MustCompile(`\d+\.\d+\.\d+`).FindAllString(string(raw), -1); !slices.Equal(told, []string{packages.Claude}) {
		t.Errorf("README.md tells of the versions %q; ships get Claude Code %s", told, packages.Claude)
	}
}

// The map of the code names every folder with code, and no folder that does not exist.
func TestMap(t *testing.T) {
	root := os.DirFS("../..")
	raw, err := fs.ReadFile(root, ".github/CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, top := range []string{"fleet", "sync", "tasks", "theme", "ui"} {
		err := fs.WalkDir(root, top, func(file string, _ fs.DirEntry, err error) error {
			if path.Base(file) == "testdata" {
				return fs.SkipDir
			}
			if dir := path.Dir(file); path.Ext(file) == ".go" && !strings.Contains(string(raw), "`"+dir+"`") {
				t.Errorf("CONTRIBUTING.md does not name `%s`: add it to the table of folders", dir)
				return fs.SkipDir
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range regexp.MustCompile("`((?:fleet|sync|tasks|ui)/[a-z_./]+)`").FindAllStringSubmatch(string(raw), -1) {
		if _, err := fs.Stat(root, m[1]); err != nil {
			t.Errorf("CONTRIBUTING.md names %s, which is not there", m[1])
		}
	}
}

// The page on the configuration names every setting, variable and provider.
func TestConfigurationPage(t *testing.T) {
	raw, err := pages.ReadFile("help/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	where := ""
	has := func(row, what string) {
		t.Helper()
		if what != "" && !strings.Contains(row, "`"+what+"`") {
			t.Errorf("help/configuration.md does not tell of `%s`%s", what, where)
		}
	}
	for _, s := range config.Settings() {
		has(string(raw), s.Key)
		has(string(raw), s.Env)
	}
	for _, v := range config.Variables() {
		has(string(raw), v.Name)
	}
	where = ": add it to the line of `OCAPTAIN_PROVIDER`"
	row := regexp.MustCompile("(?m)^.*`OCAPTAIN_PROVIDER`.*$").FindString(string(raw))
	for _, name := range launch.Providers() {
		has(row, name)
	}
}

// The page on agents describes each agent.
func TestAgentsPage(t *testing.T) {
	raw, err := pages.ReadFile("help/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range agent.Names() {
		if !strings.Contains(string(raw), "`"+name+"`") {
			t.Errorf("help/agents.md does not tell of `%s`: say what was tried with it", name)
		}
	}
}

// The page on captain.yaml names every key of the file.
func TestCaptainPage(t *testing.T) {
	raw, err := pages.ReadFile("help/captain-yaml.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range config.CaptainSettings() {
		if !strings.Contains(string(raw), "`"+s.Key+"`") {
			t.Errorf("help/captain-yaml.md does not tell of `%s`: add a line to what it may hold", s.Key)
		}
	}
}

// The defaults of captain.yaml are the defaults of the flags.
func TestCaptainFlags(t *testing.T) {
	b, _ := testBridge(t, 0)
	for _, s := range config.CaptainSettings() {
		flag := flagOf[s.Key]
		if flag == "" {
			continue
		}
		if f := startCmd(b).Flags().Lookup(flag); f == nil || f.DefValue != s.Default {
			t.Errorf("%s is %q, and --%s %+v", s.Key, s.Default, flag, f)
		}
	}
}

// Every command that runs something has a description, and every command at the top belongs to a group.
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
