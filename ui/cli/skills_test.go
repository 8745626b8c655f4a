package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ocaptain/ui/skills"
)

func TestSkills(t *testing.T) {
	b, out := testBridge(t, 0)
	do := func(want int, args ...string) string {
		t.Helper()
		out.Reset()
		root := newRoot(b)
		root.SetArgs(append([]string{"skills"}, args...))
		root.SilenceErrors, root.SilenceUsage = true, true
		if err := root.Execute(); exitCode(err) != want {
			t.Errorf("skills %v: %v", args, err)
		}
		return out.String()
	}
	mine := filepath.Join(b.hub.Home, ".claude", "skills", "voyage-plan", "SKILL.md")
	if got := do(OK, "install"); strings.Count(got, "installed") != 3 || !strings.Contains(got, mine) {
		t.Errorf("install: %s", got)
	}
	if got := do(OK, "install"); strings.Count(got, "was installed already") != 3 {
		t.Errorf("again: %s", got)
	}
	if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	do(Refused, "install")
	do(Refused, "uninstall")
	if got := do(OK, "list"); !strings.Contains(got, "voyage-plan     changed") || !strings.Contains(got, "not installed") {
		t.Errorf("list: %s", got) // the test uninstalled the others
	}
	if got := do(OK, "install", "voyage-plan", "--force"); !strings.Contains(got, "written anew") {
		t.Errorf("by force: %s", got)
	}
	do(NotFound, "install", "sailing")
	do(NotFound, "install", "--project", "nowhere")
	mustMkdir(t, filepath.Join(b.cwd, "project"))
	if got := do(OK, "install", "--project", "project"); !strings.Contains(got, "project/.claude/skills/ocaptain-fleet/SKILL.md") {
		t.Errorf("into a project: %s", got)
	}
	if got := do(OK, "show", "ocaptain-fleet"); !strings.HasPrefix(got, "---\nname: ocaptain-fleet\n") {
		t.Errorf("show: %.100s", got)
	}
}

// Skills name only commands and flags that exist.
func TestSkillsTeachWhatThereIs(t *testing.T) {
	b, _ := testBridge(t, 0)
	root := newRoot(b)
	told := regexp.MustCompile("`ocaptain ([^`]*)`")
	for _, s := range skills.All() {
		for _, m := range told.FindAllStringSubmatch(s.Text, -1) {
			words := strings.Fields(m[1])
			cmd, _, err := root.Find(words)
			if err != nil || cmd == root {
				t.Errorf("%s: there is no ocaptain %s", s.Name, m[1])
				continue
			}
			for _, w := range words {
				if name, ok := strings.CutPrefix(w, "--"); ok && cmd.Flags().Lookup(name) == nil {
					t.Errorf("%s: ocaptain %s has no flag %s", s.Name, m[1], w)
				}
			}
		}
	}
}
