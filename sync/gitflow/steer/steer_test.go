package steer

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"ocaptain/sync/gitflow/git"
)

func TestSteeringNames(t *testing.T) {
	for name, want := range map[string]bool{
		"CLAUDE.md": true, "claude.MD": true, "pkg/deep/CLAUDE.md": true, "AGENTS.md": true, "pkg/GEMINI.md": true, ".mcp.json": true,
		".claude/settings.json": true, "pkg/.claude/agents/x.md": true, ".CLAUDE/settings.json": true, ".clau\u200cde/settings.json": true,
		".\u212airo/x": true, ".github/workflow\u017f/ci.yml": true, // the Kelvin sign and the long s fold to letters
		".env": true, ".env.local": true, "app/.env.production": true, ".envrc": true, ".ENV": true,
		".github/workflows/ci.yml": true, ".GitHub/Workflows/ci.yml": true, ".github/copilot-instructions.md": true,
		".husky/pre-commit": true, ".githooks/pre-push": true, ".vscode/tasks.json": true, ".idea/workspace.xml": true,
		".cursor/rules/a.mdc": true, ".gemini/settings.json": true, ".codex/config.toml": true, ".devcontainer/devcontainer.json": true,
		".claude": true, ".vscode": true, // links or files with a steering directory's name

		"claude.go": false, "README.md": false, "docs/claude/md": false, ".github/CODEOWNERS": false, "workflows/ci.yml": false,
		"x/.envelope/y": false, "environment": false, "CLAUDE.md/x": false, "claude": false, "vscode/tasks.json": false,
	} {
		if got := len(Paths([]string{name}, nil)) == 1; got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestSteeringLinks(t *testing.T) {
	for name, c := range map[string]struct {
		links   map[string]string
		changed string // changed paths, with a + before each that steers
	}{
		"file":          {map[string]string{"CLAUDE.md": "docs/guide.md"}, "+docs/guide.md docs/other.md"},
		"directory":     {map[string]string{".claude": "conf/agent"}, "+conf/agent/settings.json conf/x conf/agents/x"},
		"chain":         {map[string]string{".claude": "a", "a": "b/c", "b": "real"}, "+real/c/x +a real/d"},
		"up":            {map[string]string{"pkg/.claude": "../conf"}, "+conf/x pkg/conf/x"},
		"inside":        {map[string]string{".claude": "conf", "conf/agents": "../prompts"}, "+prompts/a.md"},
		"in a place":    {map[string]string{".claude/agents": "../prompts"}, "+prompts/a.md"},
		"to a place":    {map[string]string{"tools": ".claude"}, "+tools other"},
		"other case":    {map[string]string{".claude": "Conf", "conf": "real"}, "+real/x"},
		"two cases":     {map[string]string{".claude": "a", ".CLAUDE": "b"}, "+a/x +b/x"},
		"whole tree":    {map[string]string{".claude": "."}, "+settings.json +a/b"},
		"out":           {map[string]string{".claude": "../conf", ".codex": "/conf", "AGENTS.md": ""}, "conf/x"},
		"loop":          {map[string]string{".claude": "a", "a": ".claude"}, "b"},
		"back and to":   {map[string]string{".claude": "x/../conf"}, "+conf/x x/y"},
		"of no account": {map[string]string{"a": "b"}, "b/c a"},
	} {
		var changed, want []string
		for f := range strings.FieldsSeq(c.changed) {
			plain, steers := strings.CutPrefix(f, "+")
			if changed = append(changed, plain); steers {
				want = append(want, plain)
			}
		}
		slices.Sort(want)
		if got := Paths(changed, c.links); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// FuzzSteering: for any names and links, Paths returns only changed paths, finds a steering name in any case and
// below any directory, and finds the target of a steering link.
func FuzzSteering(f *testing.F) {
	f.Add("docs/guide.md", ".claude", "docs")
	f.Add("a/b", "a", "../..")
	f.Add("\xff", "\u212a", "//")
	f.Fuzz(func(t *testing.T, name, link, target string) {
		links := map[string]string{link: target, "CLAUDE.md": name}
		got := Paths([]string{name}, links)
		if len(got) > 1 || len(got) == 1 && got[0] != name {
			t.Errorf("%q of %q", got, name)
		}
		below := name + "/.Claude/x"
		if git.BadPath(below) == "" && len(Paths([]string{below}, links)) != 1 {
			t.Errorf("%q is not found", below)
		}
		if _, linked := links[name]; git.BadPath(name) == "" && !linked && !strings.HasPrefix(name, link+"/") && len(got) != 1 {
			t.Errorf("%q is not found though CLAUDE.md leads to it", name)
		}
	})
}

// TestSteeringIsBounded: Paths gives up on names and links that take too long to follow, and counts them as steering.
func TestSteeringIsBounded(t *testing.T) {
	links := map[string]string{".claude": strings.Repeat("a/../", 800) + "b", "b": strings.Repeat("c/../", 800) + "d"}
	var changed []string
	deep := strings.Repeat("x/", 2000)
	for i := range 5000 {
		links[deep+strconv.Itoa(i)] = strings.Repeat("y/../", 800)
		changed = append(changed, deep+strconv.Itoa(i), "d/settings"+strconv.Itoa(i))
	}
	slices.Sort(changed)
	got := Paths(changed, links)
	for _, name := range changed {
		if _, found := slices.BinarySearch(got, name); !found && strings.HasPrefix(name, "d/") {
			t.Fatalf("%q is not found", name)
		}
	}
}
